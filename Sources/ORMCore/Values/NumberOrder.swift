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

  /// Compares the whole parts as integers, then asks which way the fraction pulls: every step is
  /// exact because a double's whole part inside the range is an integer without rounding.
  static func compare<Integer: FixedWidthInteger>(_ a: Integer, _ b: Double) -> Comparison? {
    if b.isNaN { return nil }
    let whole = b.rounded(.towardZero)
    guard let integer = Integer(exactly: whole) else { return b > 0 ? .less : .greater }
    if a != integer { return a < integer ? .less : .greater }
    return compare(whole, b)
  }
}
