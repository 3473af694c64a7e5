internal import Foundation
internal import ORM
internal import ORMCore

/// Clause 2.6.
extension NaiveEvaluator {
  func arithmetic(
    _ symbol: ArithmeticOperator, _ a: StoredValue, _ b: StoredValue, isUnsigned: Bool
  ) throws -> StoredValue {
    switch (a, b) {
    case (.null, _), (_, .null): return .null
    case (.date(let a), .date(let b)) where symbol == .subtract:
      return double(a.timeIntervalSinceReferenceDate - b.timeIntervalSinceReferenceDate)
    case (.date(let start), _) where symbol == .add || symbol == .subtract:
      guard let seconds = asDouble(b) else { return try mismatch() }
      return date(
        symbol == .add
          ? start.timeIntervalSinceReferenceDate + seconds
          : start.timeIntervalSinceReferenceDate - seconds)
    case (_, .date(let start)) where symbol == .add:
      guard let seconds = asDouble(a) else { return try mismatch() }
      return date(start.timeIntervalSinceReferenceDate + seconds)
    default: break
    }
    if symbol.isOfIntegers {
      guard let one = whole(a)?.integer(Int128.self), let other = whole(b)?.integer(Int128.self)
      else { return try mismatch() }
      if symbol == .remainder, other == 0 { return .null }
      let hasRoom = isUnsigned || one > Int64.max || other > Int64.max
      let result = NaiveFunctions.whole(symbol, one, other)
      return try integer(result.map { NaiveNumber(text: "\($0)") }, hasRoom)
    }
    if symbol != .power, let whole = whole(a), let other = self.whole(b) {
      return try integers(symbol, whole, other, isUnsigned: isUnsigned)
    }
    if symbol != .power, isDecimal(a) || isDecimal(b) {
      guard let one = decimalPart(a), let other = decimalPart(b) else { return try mismatch() }
      return try decimals(symbol, one, other)
    }
    guard let one = asDouble(a), let other = asDouble(b) else { return try mismatch() }
    switch symbol {
    case .add: return double(one + other)
    case .subtract: return double(one - other)
    case .multiply: return double(one * other)
    case .divide: return other == 0 ? .null : double(one / other)
    case .power: return double(pow(one, other))
    default: return .null
    }
  }

  /// Kinds that do not mix, which only JSON brings to a row: an error in an update, else nil.
  private func mismatch() throws -> StoredValue {
    if throwsOverflow {
      throw StoreError(.invalidCondition, "these kinds do not mix in arithmetic")
    }
    return .null
  }

  private func double(_ number: Double) -> StoredValue { number.isNaN ? .null : .double(number) }

  private func date(_ seconds: Double) -> StoredValue {
    seconds.isNaN ? .null : .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// A whole or floating number as the nearest double.
  private func asDouble(_ value: StoredValue) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  private func whole(_ value: StoredValue) -> NaiveNumber? {
    switch value {
    case .int, .uint: NaiveNumber(value)
    default: nil
    }
  }

  private func isDecimal(_ value: StoredValue) -> Bool {
    if case .decimal = value { true } else { false }
  }

  private func decimalPart(_ value: StoredValue) -> NaiveNumber? {
    if case .double = value { nil } else { NaiveNumber(value) }
  }

  private func integers(
    _ symbol: ArithmeticOperator, _ a: NaiveNumber, _ b: NaiveNumber, isUnsigned: Bool
  ) throws -> StoredValue {
    // An operand past Int64 is unsigned, also if another kind is declared.
    let hasRoom = isUnsigned || a.integer(Int64.self) == nil || b.integer(Int64.self) == nil
    switch symbol {
    case .add: return try integer(a + b, hasRoom)
    case .subtract: return try integer(a + b.negated, hasRoom)
    case .multiply: return try integer(a * b, hasRoom)
    default:
      if b.isZero { return .null }
      var quotient = a.divided(by: b) { _, _ in true }.quotient
      quotient.isNegative = a.isNegative != b.isNegative && !quotient.isZero
      return try integer(quotient, hasRoom)
    }
  }

  private func integer(_ number: NaiveNumber?, _ isUnsigned: Bool) throws -> StoredValue {
    if let integer = number?.integer(Int64.self) { return .int(integer) }
    if isUnsigned, let integer = number?.integer(UInt64.self) { return .uint(integer) }
    return try overflow()
  }

  private func overflow() throws -> StoredValue {
    if throwsOverflow { throw StoreError(.overflow, "does not fit") }
    return .null
  }

  private func decimals(
    _ symbol: ArithmeticOperator, _ a: NaiveNumber, _ b: NaiveNumber
  ) throws -> StoredValue {
    switch symbol {
    case .add: return try decimal(a + b)
    case .subtract: return try decimal(a + b.negated)
    case .multiply: return try decimal(a * b)
    default: return b.isZero ? .null : try decimal(quotient(a, b))
    }
  }

  private func decimal(_ number: NaiveNumber) throws -> StoredValue {
    try number.decimal.map(StoredValue.decimal) ?? overflow()
  }

  /// The nearest number that a decimal holds (coefficient below 2^128, exponent from -128), ties to
  /// even.
  private func quotient(_ a: NaiveNumber, _ b: NaiveNumber) -> NaiveNumber {
    let greatest = NaiveNumber(text: String(UInt128.max))
    let ten = NaiveNumber(Int64(10))
    var (cut, rest, divisor) = a.divided(by: b) { digits, exponent in
      exponent <= -128 || NaiveNumber.order(digits * ten, greatest) > 0
    }
    if NaiveNumber.order(cut.wholeDigits, greatest) > 0 {
      let count = cut.digits.utf8.count - 1
      (cut, rest, divisor) = a.divided(by: b) { digits, _ in digits.digits.utf8.count >= count }
    }
    // Twice the remainder compared with the divisor decides the rounding of the last digit.
    let side = NaiveNumber.order(rest + rest, divisor)
    let isOdd = cut.digits.utf8.last.map { !$0.isMultiple(of: 2) } ?? false
    var rounded = cut
    if side > 0 || side == 0 && isOdd {
      rounded = cut + NaiveNumber(text: "1E\(cut.exponent)")
    }
    rounded.isNegative = a.isNegative != b.isNegative && !rounded.isZero
    return rounded
  }

  /// An exact result of the kind of its operand.
  func fitting(
    _ number: NaiveNumber?, like value: StoredValue, isUnsigned: Bool
  ) throws -> StoredValue {
    switch value {
    case .null: return .null
    case .int: return try integer(number, isUnsigned)
    case .uint: return try integer(number, true)
    case .decimal: return try number.map(decimal) ?? .null
    default: return try mismatch()
    }
  }

  private func folded(_ value: StoredValue, _ options: TextOptions) -> StoredValue {
    if case .string = value { NaiveText.folded(value, options) } else { .null }
  }

  func apply(
    _ function: Operand.Function, _ value: StoredValue, isUnsigned: Bool
  ) throws -> StoredValue {
    switch (function, value) {
    case (_, .null): return .null
    case (.length, .string(let text)): return .int(Int64(text.unicodeScalars.count))
    case (.uppercase, .string(let text)): return .string(NaiveText.uppercase(text))
    case (.lowercase, .string(let text)): return .string(NaiveText.lowercase(text))
    case (.count, .array(let elements)): return .int(Int64(elements.count))
    case (.last, .array(let elements)): return elements.last ?? .null
    case (.length, _), (.uppercase, _), (.lowercase, _), (.count, _), (.last, _): return .null
    case (.foldC, _): return folded(value, .caseInsensitive)
    case (.foldD, _): return folded(value, .diacriticInsensitive)
    case (.foldN, _): return folded(value, .normalized)
    case (.foldCD, _): return folded(value, [.caseInsensitive, .diacriticInsensitive])
    case (.foldCN, _): return folded(value, [.caseInsensitive, .normalized])
    case (.foldDN, _): return folded(value, [.diacriticInsensitive, .normalized])
    case (.foldCDN, _):
      return folded(value, [.caseInsensitive, .diacriticInsensitive, .normalized])
    case (.abs, .double(let number)): return double(Swift.abs(number))
    case (.ceiling, .double(let number)): return double(number.rounded(.up))
    case (.floor, .double(let number)): return double(number.rounded(.down))
    case (.trunc, .double(let number)): return double(number.rounded(.towardZero))
    case (.round, .double(let number)):
      let whole = number.rounded(.towardZero)
      return double(abs(number - whole) >= 0.5 ? whole + (number < 0 ? -1 : 1) : whole)
    case (.sqrt, _), (.exp, _), (.ln, _), (.log, _):
      guard let number = asDouble(value) else { return try mismatch() }
      let result =
        switch function {
        case .sqrt: sqrt(number)
        case .exp: exp(number)
        case .ln: log(number)
        default: log10(number)
        }
      return double(result)
    case (.onesComplement, _):
      guard let number = whole(value) else { return try mismatch() }
      return try integer(number.negated + NaiveNumber(Int64(-1)), isUnsigned)
    case (.part(let part, let zone), .date(let date)):
      return NaiveFunctions.part(part, zone, of: date)
    case (.part, _): return .null
    case (.cast(let kind), _): return NaiveFunctions.cast(value, to: kind)
    case (.abs, _):
      let number = NaiveNumber(value)
      return try fitting(
        number?.isNegative == true ? number?.negated : number, like: value, isUnsigned: isUnsigned)
    case (.ceiling, .decimal), (.floor, .decimal), (.trunc, .decimal), (.round, .decimal):
      return try fitting(NaiveNumber(value)?.whole(function), like: value, isUnsigned: false)
    case (.ceiling, _), (.floor, _), (.trunc, _), (.round, _):
      return try fitting(NaiveNumber(value), like: value, isUnsigned: true)
    }
  }
}

extension NaiveNumber {
  /// The digits as a whole number.
  var wholeDigits: NaiveNumber { NaiveNumber(text: digits) }

  /// The whole number next to this one.
  func whole(_ function: Operand.Function) -> NaiveNumber {
    guard exponent < 0 else { return self }
    var cut = NaiveNumber(text: String(digits.dropLast(-exponent)))
    let hasFraction = digits.utf8.suffix(-exponent).contains { $0 != UInt8(ascii: "0") }
    let tenths = digits.utf8.dropLast(-exponent - 1).last ?? UInt8(ascii: "0")
    let isFar = -exponent <= digits.utf8.count && tenths >= UInt8(ascii: "5")
    if hasFraction, function == .round ? isFar : function == (isNegative ? .floor : .ceiling) {
      cut = cut + NaiveNumber(Int64(1))
    }
    cut.isNegative = isNegative && !cut.isZero
    return cut
  }
}
