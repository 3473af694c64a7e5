internal import FoundationEssentials
private import ORMPlatform

extension StoredValue {
  /// The arithmetic of filters and updates (clause 2.6).
  ///
  /// - Null with anything is null, and so are a division by zero of any kind and a NaN result.
  /// - Two integers give an integer, exact or `.overflow`. The result must fit Int64, or, with
  ///   `isUnsigned` or an operand above Int64, Int64 or UInt64: pass `isUnsigned` where an
  ///   operand is declared `uint64`, because small values of such an attribute are `.int` too.
  /// - Two doubles give a double by IEEE 754; an integer beside one is first converted to the
  ///   nearest double.
  /// - A decimal beside a decimal or an integer gives a decimal: sums, differences and products
  ///   exact or `.overflow`, quotients rounded to the nearest decimal (a coefficient below 2^128,
  ///   an exponent from -128), ties to even. Decimal beside double or date is `.mismatch`.
  /// - A power is a double, and has no decimals.
  /// - A remainder, an operator of bits and a shift take two integers, exact or `.overflow`; of any
  ///   other numbers they are `.mismatch`.
  /// - A date plus or minus a number, and a number plus a date, is a date; date minus date is
  ///   seconds, a double.
  package static func arithmetic(
    _ operation: ArithmeticOperator, _ a: StoredValue, _ b: StoredValue, isUnsigned: Bool = false
  ) -> ArithmeticOutcome {
    switch (a, b) {
    case (.null, _), (_, .null): .value(.null)
    case (.int(let a), .int(let b)): integers(operation, a, b, isUnsigned: isUnsigned)
    case (.int(let a), .uint(let b)): wide(operation, Int128(a), Int128(b), isUnsigned: true)
    case (.uint(let a), .int(let b)): wide(operation, Int128(a), Int128(b), isUnsigned: true)
    case (.uint(let a), .uint(let b)): wide(operation, Int128(a), Int128(b), isUnsigned: true)
    case (.double(let a), .double(let b)): doubles(operation, a, b)
    case (.decimal(let a), .decimal(let b)):
      decimals(operation, DecimalParts(a), DecimalParts(b))
    case (.decimal(let a), .int(let b)): decimals(operation, DecimalParts(a), DecimalParts(b))
    case (.decimal(let a), .uint(let b)): decimals(operation, DecimalParts(a), DecimalParts(b))
    case (.int(let a), .decimal(let b)): decimals(operation, DecimalParts(a), DecimalParts(b))
    case (.uint(let a), .decimal(let b)): decimals(operation, DecimalParts(a), DecimalParts(b))
    case (.date(let a), .date(let b)) where operation == .subtract:
      number(a.timeIntervalSinceReferenceDate - b.timeIntervalSinceReferenceDate)
    case (.date(let date), _): dates(operation, date, b.asDouble)
    case (_, .date(let date)) where operation == .add: dates(operation, date, a.asDouble)
    default:
      if let a = a.asDouble, let b = b.asDouble { doubles(operation, a, b) } else { .mismatch }
    }
  }

  /// A whole or floating number as the nearest double; nil for every other kind.
  private var asDouble: Double? {
    switch self {
    case .int(let value): Double(value)
    case .uint(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  private static func integers(
    _ operation: ArithmeticOperator, _ a: Int64, _ b: Int64, isUnsigned: Bool
  ) -> ArithmeticOutcome {
    let (result, overflow): (Int64, Bool)
    switch operation {
    case .add: (result, overflow) = a.addingReportingOverflow(b)
    case .subtract: (result, overflow) = a.subtractingReportingOverflow(b)
    case .multiply: (result, overflow) = a.multipliedReportingOverflow(by: b)
    case .divide:
      if b == 0 { return .value(.null) }
      (result, overflow) = a.dividedReportingOverflow(by: b)
    case .power: return doubles(operation, Double(a), Double(b))
    case .remainder, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft, .shiftRight:
      return wide(operation, Int128(a), Int128(b), isUnsigned: isUnsigned)
    }
    if !overflow { return .value(.int(result)) }
    return isUnsigned ? wide(operation, Int128(a), Int128(b), isUnsigned: true) : .overflow
  }

  private static func wide(
    _ operation: ArithmeticOperator, _ a: Int128, _ b: Int128, isUnsigned: Bool
  ) -> ArithmeticOutcome {
    switch operation {
    case .add: return integer(a + b, isUnsigned: isUnsigned)
    case .subtract: return integer(a - b, isUnsigned: isUnsigned)
    case .multiply:
      let (result, overflow) = a.multipliedReportingOverflow(by: b)
      return overflow ? .overflow : integer(result, isUnsigned: isUnsigned)
    case .divide: return b == 0 ? .value(.null) : integer(a / b, isUnsigned: isUnsigned)
    case .power:
      // Both came from 64 bits.
      return doubles(operation, nearestDouble(a), nearestDouble(b))
    case .remainder: return b == 0 ? .value(.null) : integer(a % b, isUnsigned: isUnsigned)
    case .bitwiseAnd: return integer(a & b, isUnsigned: isUnsigned)
    case .bitwiseOr: return integer(a | b, isUnsigned: isUnsigned)
    case .bitwiseXor: return integer(a ^ b, isUnsigned: isUnsigned)
    case .shiftLeft: return shifted(a, left: b, isUnsigned: isUnsigned)
    case .shiftRight: return shifted(a, left: -b, isUnsigned: isUnsigned)
    }
  }

  /// An integer times a power of two, rounded down.
  private static func shifted(
    _ value: Int128, left distance: Int128, isUnsigned: Bool
  ) -> ArithmeticOutcome {
    if distance <= 0 { return integer(value >> -distance, isUnsigned: isUnsigned) }
    if value == 0 { return .value(.int(0)) }
    // 64 bits shifted by less than 64 fit 128; by more they do not fit 64.
    return distance < 64 ? integer(value << distance, isUnsigned: isUnsigned) : .overflow
  }

  private static func nearestDouble(_ value: Int128) -> Double {
    value < 0 ? Double(Int64(truncatingIfNeeded: value)) : Double(UInt64(truncatingIfNeeded: value))
  }

  /// An integer in its one form, when it fits.
  static func integer(_ value: Int128, isUnsigned: Bool) -> ArithmeticOutcome {
    if let value = Int64(exactly: value) { return .value(.int(value)) }
    if isUnsigned, let value = UInt64(exactly: value) { return .value(.uint(value)) }
    return .overflow
  }

  /// A double, or null for NaN.
  static func number(_ value: Double) -> ArithmeticOutcome {
    .value(value.isNaN ? .null : .double(value))
  }

  private static func doubles(
    _ operation: ArithmeticOperator, _ a: Double, _ b: Double
  ) -> ArithmeticOutcome {
    switch operation {
    case .add: number(a + b)
    case .subtract: number(a - b)
    case .multiply: number(a * b)
    case .divide: b == 0 ? .value(.null) : number(a / b)
    case .power: number(pow(a, b))
    case .remainder, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft, .shiftRight: .mismatch
    }
  }

  private static func decimals(
    _ operation: ArithmeticOperator, _ a: DecimalParts?, _ b: DecimalParts?
  ) -> ArithmeticOutcome {
    if operation == .power || operation.isOfIntegers { return .mismatch }
    guard let a, let b else { return .value(.null) }
    let result: DecimalParts?
    switch operation {
    case .add: result = a.adding(b)
    case .subtract: result = a.adding(b.negated)
    case .multiply: result = a.multiplied(by: b)
    case .divide:
      if b.isZero { return .value(.null) }
      result = a.divided(by: b)
    case .power, .remainder, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft, .shiftRight:
      return .mismatch
    }
    guard let decimal = result?.decimal else { return .overflow }
    return .value(.decimal(decimal))
  }

  private static func dates(
    _ operation: ArithmeticOperator, _ date: Date, _ seconds: Double?
  ) -> ArithmeticOutcome {
    guard let seconds, operation == .add || operation == .subtract else { return .mismatch }
    let start = date.timeIntervalSinceReferenceDate
    let timestamp = operation == .add ? start + seconds : start - seconds
    return .value(timestamp.isNaN ? .null : .date(Date(timeIntervalSinceReferenceDate: timestamp)))
  }
}
