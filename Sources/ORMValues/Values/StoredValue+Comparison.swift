internal import FoundationEssentials

extension StoredValue {
  /// The order of one value relative to another.
  public enum Comparison: Int, Hashable, Codable, Sendable {
    /// The first comes before the second.
    case less = -1
    /// Neither comes before the other.
    case equal = 0
    /// The first comes after the second.
    case greater = 1

    /// Compares two values of one ordered type.
    @inlinable
    public init<Value: Comparable>(_ a: Value, _ b: Value) {
      self = a < b ? .less : (a == b ? .equal : .greater)
    }

    /// The same seen from the second value.
    @inlinable
    public var reversed: Comparison {
      switch self {
      case .less: .greater
      case .equal: .equal
      case .greater: .less
      }
    }
  }

  /// Compares two values as a condition does; nil if they have no order.
  ///
  /// Numbers of every kind compare exactly, never through rounding: 2^53 + 1 is not the double
  /// 2^53, and a double counts as the binary fraction it is. `-0.0` equals `0.0`. Texts go by code
  /// point, data and UUIDs by bytes (the shorter first on a tie), false before true, dates by
  /// their timestamp. Arrays and JSON know only equality: element by element, and by text.
  ///
  /// nil when either side is null or NaN, when the kinds do not compare, and for arrays and JSON
  /// texts that are not equal.
  public static func compare(_ a: StoredValue, _ b: StoredValue) -> Comparison? {
    switch (a, b) {
    case (.int(let a), .int(let b)): Comparison(a, b)
    case (.string(let a), .string(let b)): ByteOrder.compare(a, b)
    case (.double(let a), .double(let b)): NumberOrder.compare(a, b)
    case (.bool(let a), .bool(let b)): Comparison(a ? 1 : 0, b ? 1 : 0)
    case (.date(let a), .date(let b)):
      NumberOrder.compare(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
    case (.uuid(let a), .uuid(let b)):
      withUnsafeBytes(of: a.uuid) { a in
        withUnsafeBytes(of: b.uuid) { b in ByteOrder.compare(a, b) }
      }
    case (.data(let a), .data(let b)):
      a.withUnsafeBytes { a in b.withUnsafeBytes { b in ByteOrder.compare(a, b) } }
    case (.array, .array): equals(a, b) ? .equal : nil
    case (.json(let a), .json(let b)): ByteOrder.areEqual(a, b) ? .equal : nil
    default: NumberOrder.compare(a, b)
    }
  }

  /// Returns whether two values are equal in a condition: two-valued, so nil equals nil (clause
  /// 2.1).
  ///
  /// Null equals null and nothing else, a NaN not even itself. Otherwise as
  /// ``compare(_:_:)`` has it; inside arrays the same rule holds for each element.
  public static func equals(_ a: StoredValue, _ b: StoredValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.string(let a), .string(let b)): ByteOrder.areEqual(a, b)
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { equals($0, $1) }
    default: compare(a, b) == .equal
    }
  }

  /// A total order for sorting: negative, zero or positive as `a` comes before, with or after `b`.
  ///
  /// Null comes first. Values that ``compare(_:_:)`` orders are in its order. The rest is fixed so that
  /// every sort is well defined: a NaN comes after all numbers (or dates) and with other NaNs; arrays go
  /// element by element, a shorter one before those that it begins; JSON goes by the bytes of its text;
  /// and the kinds are in the order null, bool, number, date, string, uuid, data, array, JSON.
  public static func order(_ a: StoredValue, _ b: StoredValue) -> Int {
    if let comparison = compare(a, b) { return comparison.rawValue }
    switch (a, b) {
    case (.json(let a), .json(let b)): return ByteOrder.compare(a, b).rawValue
    case (.array(let a), .array(let b)):
      for (first, second) in zip(a, b) {
        let order = order(first, second)
        if order != 0 { return order }
      }
      return Comparison(a.count, b.count).rawValue
    default:
      let ranks = Comparison(a.kindRank, b.kindRank)
      if ranks != .equal { return ranks.rawValue }
      // The remaining pairs of one rank are nulls and pairs with a NaN.
      return Comparison(a.isNaN ? 1 : 0, b.isNaN ? 1 : 0).rawValue
    }
  }

  /// True if this is a number or date that is not one.
  package var isNaN: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }
}
