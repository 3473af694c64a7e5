internal import FoundationEssentials

/// The exact order of numbers across their kinds (clause 2.2).
enum NumberOrder {
  typealias Comparison = StoredValue.Comparison

  /// Orders two numbers of any kinds; nil when one is NaN or no number.
  static func compare(_ a: StoredValue, _ b: StoredValue) -> Comparison? {
    switch (a, b) {
    case (.int(let a), .int(let b)): Comparison(a, b)
    case (.int, .uint): .less
    case (.uint, .int): .greater
    case (.uint(let a), .uint(let b)): Comparison(a, b)
    case (.double(let a), .double(let b)): compare(a, b)
    case (.int(let a), .double(let b)): compare(a, b)
    case (.double(let a), .int(let b)): compare(b, a)?.reversed
    case (.uint(let a), .double(let b)): compare(a, b)
    case (.double(let a), .uint(let b)): compare(b, a)?.reversed
    case (.decimal(let a), .decimal(let b)): compare(a, b)
    case (.decimal(let a), .int(let b)): DecimalParts(a).map { $0.compare(to: DecimalParts(b)) }
    case (.int(let a), .decimal(let b)): DecimalParts(b).map { DecimalParts(a).compare(to: $0) }
    case (.decimal(let a), .uint(let b)): DecimalParts(a).map { $0.compare(to: DecimalParts(b)) }
    case (.uint(let a), .decimal(let b)): DecimalParts(b).map { DecimalParts(a).compare(to: $0) }
    case (.decimal(let a), .double(let b)): DecimalParts(a)?.compare(to: b)
    case (.double(let a), .decimal(let b)): DecimalParts(b)?.compare(to: a)?.reversed
    default: nil
    }
  }

  @inline(__always)
  static func compare(_ a: Double, _ b: Double) -> Comparison? {
    a < b ? .less : (a == b ? .equal : (a > b ? .greater : nil))
  }

  static func compare(_ a: Decimal, _ b: Decimal) -> Comparison? {
    guard let a = DecimalParts(a), let b = DecimalParts(b) else { return nil }
    return a.compare(to: b)
  }

  /// Rounding an integer to the nearest double keeps order, so only where the nearest double is
  /// that very one do the two have to be compared as integers.
  static func compare<Integer: FixedWidthInteger>(_ a: Integer, _ b: Double) -> Comparison? {
    let nearest = Double(a)
    if nearest < b { return .less }
    if nearest > b { return .greater }
    guard nearest == b else { return nil }
    // A double that an integer rounds to is whole, and past the integers only as their end.
    guard let integer = Integer(exactly: b) else { return .less }
    return Comparison(a, integer)
  }
}
