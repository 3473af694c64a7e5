internal import FoundationEssentials

extension StoredValue: Hashable {
  /// Returns whether both are of one kind and hold the same.
  ///
  /// Strings and JSON texts are the same when their scalars are, not when they are canonically
  /// equivalent; doubles and dates as `Double`'s `==` has it (`-0.0 == 0.0`, a NaN equals
  /// nothing); decimals when they are the same number.
  public static func == (a: StoredValue, b: StoredValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.uint(let a), .uint(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.string(let a), .string(let b)): ByteOrder.areEqual(a, b)
    case (.data(let a), .data(let b)): a == b
    case (.date(let a), .date(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.decimal(let a), .decimal(let b)): NumberOrder.compare(a, b) == .equal
    case (.array(let a), .array(let b)): a == b
    case (.json(let a), .json(let b)): ByteOrder.areEqual(a, b)
    default: false
    }
  }

  /// Hashes the kind and the parts that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kindRank)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .uint(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let text), .json(let text): ByteOrder.hash(text, into: &hasher)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(DecimalParts(value)?.canonical)
    case .array(let elements): hasher.combine(elements)
    }
  }

  /// Returns whether both are the same to the last bit: `-0.0` and `0.0` are not.
  ///
  /// Decimals that are the same number are the same here, however many zeros they trail.
  public func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
    default: self == other
    }
  }
}
