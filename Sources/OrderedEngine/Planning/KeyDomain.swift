internal import FoundationEssentials
internal import ORMStorage

/// The values that a term of a key can have, and the position of any value of a condition among them.
///
/// Conditions compare numbers of all kinds exactly (clause 2.2); keys know only their own kind.
/// So `price > 2.5` over integers is `price >= 3`, and `price == 2.5` holds nowhere.
struct KeyDomain {
  private let encoding: RecordField.Encoding

  init(_ encoding: RecordField.Encoding) { self.encoding = encoding }

  /// The position of a value among those of the domain.
  enum Position {
    /// It compares with nothing here.
    case nowhere
    /// It is less than every value of the domain.
    case below
    /// The greatest value that is not greater, and whether it is equal.
    case at(StoredValue, isEqual: Bool)
  }

  /// Returns whether every value of a kind has a position.
  func takes(_ kind: AttributeType.Kind) -> Bool {
    switch encoding {
    case .bool: kind == .bool
    case .string: kind == .string
    case .data: kind == .data
    case .date: kind == .date
    case .uuid: kind == .uuid
    // A double need not have the digits that a decimal can hold.
    case .decimal: kind == .int || kind == .unsigned || kind == .decimal
    case .array, .json: false
    default: kind.isNumber
    }
  }

  /// The position of a value.
  func position(of value: StoredValue) -> Position {
    guard !value.isNaN, let kind = value.kind, takes(kind) else { return .nowhere }
    switch (encoding, value) {
    case (.decimal, .int(let number)): return .at(.decimal(Decimal(number)), isEqual: true)
    case (.decimal, .uint(let number)): return .at(.decimal(Decimal(number)), isEqual: true)
    case (.double, .double), (.uint64, .uint): return .at(value, isEqual: true)
    case (.uint64, .int(let number)): return number < 0 ? .below : .at(value, isEqual: true)
    case (.uint64, _): return bisect(value) { .unsigned($0) }
    case (.double, _): return bisect(value, in: Self.infinities) { .double(Self.double($0)) }
    case (_, .int) where encoding.isInteger: return .at(value, isEqual: true)
    case (_, .uint), (_, .double), (_, .decimal):
      if !encoding.isInteger { return .at(value, isEqual: true) }
      return bisect(value) { .int(Int64(bitPattern: $0 ^ (1 << 63))) }
    default: return .at(value, isEqual: true)
    }
  }

  /// The orders of the bits of the two infinities, as keys have them.
  private static let infinities =
    order(of: -Double.infinity)...order(of: Double.infinity)

  private static func order(of number: Double) -> UInt64 {
    let bits = number.bitPattern
    return bits >> 63 == 0 ? bits ^ (1 << 63) : ~bits
  }

  private static func double(_ order: UInt64) -> Double {
    Double(bitPattern: order >> 63 == 1 ? order ^ (1 << 63) : ~order)
  }

  /// The position among values that are numbered in their order.
  private func bisect(
    _ value: StoredValue, in numbers: ClosedRange<UInt64> = 0 ... .max,
    _ member: (UInt64) -> StoredValue
  ) -> Position {
    func isReached(_ number: UInt64) -> Bool {
      StoredValue.compare(member(number), value) != .greater
    }
    var (low, high) = (numbers.lowerBound, numbers.upperBound)
    guard isReached(low) else { return .below }
    while low < high {
      let middle = high - (high - low) / 2
      if isReached(middle) { low = middle } else { high = middle - 1 }
    }
    return .at(member(low), isEqual: StoredValue.compare(member(low), value) == .equal)
  }
}
