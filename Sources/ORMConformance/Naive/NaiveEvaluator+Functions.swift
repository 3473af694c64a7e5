internal import Foundation
internal import ORM
internal import ORMCore

/// Operators of bits, parts of dates and casts, from the words of clauses 2.6, 2.11 and 2.12.
enum NaiveFunctions {
  /// An operator of integers on endless two's complements, bit by bit; nil for a remainder by zero
  /// and for a result past 100 bits.
  static func whole(_ symbol: ArithmeticOperator, _ a: Int128, _ b: Int128) -> Int128? {
    switch symbol {
    case .remainder: return b == 0 ? nil : a - a / b * b
    case .shiftLeft: return shifted(a, by: b)
    case .shiftRight: return shifted(a, by: -b)
    default: break
    }
    var result: Int128 = 0
    for exponent in 0...100 {
      let (one, other) = (bit(exponent, of: a), bit(exponent, of: b))
      let isSet =
        switch symbol {
        case .bitwiseAnd: one && other
        case .bitwiseOr: one || other
        default: one != other
        }
      // The last bit is the sign.
      if isSet { result += (exponent == 100 ? -1 : 1) * power(exponent) }
    }
    return result
  }

  private static func power(_ exponent: Int) -> Int128 {
    (0..<exponent).reduce(1) { power, _ in power * 2 }
  }

  private static func bit(_ exponent: Int, of value: Int128) -> Bool {
    let power = power(exponent)
    let quotient = value / power - (value % power < 0 ? 1 : 0)
    return quotient % 2 != 0
  }

  private static func shifted(_ value: Int128, by distance: Int128) -> Int128? {
    var value = value
    for _ in 0..<min(distance.magnitude, 100) {
      if distance < 0 {
        value = value / 2 - (value % 2 < 0 ? 1 : 0)
      } else {
        value *= 2
        if value.magnitude > UInt128(1) << 80 { return nil }
      }
    }
    return value
  }

  /// A part of a date, found by counting years and months from 2001.
  static func part(_ part: DatePart, _ zone: DateZone, of date: Date) -> StoredValue {
    let interval = date.timeIntervalSinceReferenceDate
    guard abs(interval.rounded(.down)) <= 9_007_199_254_740_992 else { return .null }
    let second = Int(interval.rounded(.down))
    let offset =
      switch zone {
      case .fixed(let seconds): seconds
      case .named(let name):
        TimeZone(identifier: name)?.secondsFromGMT(
          for: Date(timeIntervalSinceReferenceDate: Double(second))) ?? 0
      }
    let local = Int(((Double(second + offset)) / 86_400).rounded(.down))
    let rest = second + offset - local * 86_400
    let periods = Int((Double(local) / 146_097).rounded(.down))
    var (year, month, days) = (2001 + 400 * periods, 1, local - periods * 146_097)
    while days >= length(of: year) {
      days -= length(of: year)
      year += 1
    }
    let startOfYear = local - days
    while days >= length(of: month, year) {
      days -= length(of: month, year)
      month += 1
    }
    func start(_ day: Int) -> StoredValue {
      .date(Date(timeIntervalSinceReferenceDate: Double(day * 86_400 - offset)))
    }
    return switch part {
    case .year: .int(Int64(year))
    case .month: .int(Int64(month))
    case .day: .int(Int64(days + 1))
    case .hour: .int(Int64(rest / 3600))
    case .minute: .int(Int64(rest % 3600 / 60))
    case .second: .int(Int64(rest % 60))
    // 2001 began on a Monday.
    case .weekday: .int(Int64(((local % 7) + 7) % 7 + 1))
    case .startOfDay: start(local)
    case .startOfMonth: start(local - days)
    case .startOfYear: start(startOfYear)
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
  }

  private static func length(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

  private static func length(of month: Int, _ year: Int) -> Int {
    month == 2 && isLeap(year)
      ? 29 : [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  static func cast(_ value: StoredValue, to kind: AttributeType.Kind) -> StoredValue {
    switch (kind, value) {
    case (.int, .uint): return value
    case (.int, .bool(let value)): return .int(value ? 1 : 0)
    case (.int, .string(let text)): return Int64(text).map { .int($0) } ?? .null
    case (.double, .string(let text)):
      return Double(text).map { $0.isNaN ? .null : .double($0) } ?? .null
    case (.double, .double): return value
    case (.double, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
    case (.decimal, .string(let text)):
      return DecimalText.decimal(from: text).map { .decimal($0) } ?? .null
    case (.string, .string): return value
    case (.string, .int(let value)): return .string("\(value)")
    case (.string, .uint(let value)): return .string("\(value)")
    case (.string, .double(let value)): return .string("\(value)")
    case (.string, .bool(let value)): return .string(value ? "true" : "false")
    case (.string, .uuid(let value)): return .string(value.uuidString)
    case (.string, .decimal(let value)): return .string(DecimalText.text(of: value))
    case (.date, .date): return value
    default: break
    }
    var number = value
    if case .date(let date) = value { number = .double(date.timeIntervalSinceReferenceDate) }
    guard let exact = NaiveNumber(number) else { return .null }
    switch kind {
    case .int:
      let fraction = exact.digits.utf8.suffix(max(0, -exact.exponent))
      guard exact.exponent < 40, fraction.allSatisfy({ $0 == UInt8(ascii: "0") }) else {
        return exact.isZero ? .int(0) : .null
      }
      let whole =
        exact.exponent < 0
        ? String(exact.digits.dropLast(-exact.exponent))
        : exact.digits + String(repeating: "0", count: exact.exponent)
      return Int64((exact.isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole))
        .map { .int($0) } ?? .null
    case .double, .date:
      let nearest = exact.nearestDouble
      guard nearest.isFinite, NaiveNumber.order(NaiveNumber(finite: nearest), exact) == 0 else {
        return .null
      }
      return kind == .double
        ? .double(nearest) : .date(Date(timeIntervalSinceReferenceDate: nearest))
    case .decimal: return exact.decimal.map { .decimal($0) } ?? .null
    default: return .null
    }
  }
}
