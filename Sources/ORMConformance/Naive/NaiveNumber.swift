internal import Foundation
internal import ORMCore

/// A number of any length, as decimal digits, with which the naive model computes.
///
/// Every integer, decimal and finite double is one exactly, since a binary fraction is a decimal
/// fraction too. Slow and plain; it shares nothing with the arithmetic of core but the text form of
/// decimals (`DecimalText`), which Foundation has no exact replacement for.
struct NaiveNumber {
  var isNegative = false
  /// Groups of nine digits, the least first, no zero group at the end.
  private(set) var groups: [UInt32] = []
  /// The power of ten that the digits are multiplied by.
  private(set) var exponent = 0

  private static let base: UInt64 = 1_000_000_000

  var isZero: Bool { groups.isEmpty }

  init(_ whole: UInt64) {
    var rest = whole
    while rest > 0 {
      groups.append(UInt32(rest % Self.base))
      rest /= Self.base
    }
  }

  init(_ integer: Int64) {
    self.init(integer.magnitude)
    isNegative = integer < 0
  }

  /// A finite double: its significand times a power of two, or of five and a tenth as often.
  init(finite double: Double) {
    var significand = double.significandBitPattern
    var power = -1074
    if double.exponentBitPattern > 0 {
      significand |= 1 << 52
      power = Int(double.exponentBitPattern) - 1075
    }
    while significand != 0, significand.isMultiple(of: 2), power < 0 {
      significand /= 2
      power += 1
    }
    self.init(significand)
    isNegative = double < 0
    if power < 0, !isZero { exponent = power }
    // 2^31 and 5^13 are the greatest powers that fit a factor.
    multiply(by: power < 0 ? 5 : 2, times: power.magnitude, atOnce: power < 0 ? 13 : 31)
  }

  private mutating func multiply(by factor: UInt32, times: UInt, atOnce: UInt) {
    var left = times
    while left > 0, !isZero {
      let count = min(left, atOnce)
      multiply(by: (0..<count).reduce(1) { power, _ in power * factor })
      left -= count
    }
  }

  /// A number written as a sign, digits with a point, and an exponent after an E.
  init(text: String) {
    let parts = text.uppercased().split(separator: "E")
    exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    var isFraction = false
    for character in (parts.first ?? "").utf8 {
      switch character {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        multiply(by: 10)
        add(UInt32(character - UInt8(ascii: "0")))
        if isFraction { exponent -= 1 }
      default: continue
      }
    }
    if isZero { isNegative = false }
  }

  /// The number that a stored value is; nil for infinities, NaN and values that are not numbers.
  init?(_ value: StoredValue) {
    switch value {
    case .int(let number): self.init(number)
    case .uint(let number): self.init(number)
    case .double(let number):
      guard number.isFinite else { return nil }
      self.init(finite: number)
    case .decimal(let number):
      guard !number.isNaN else { return nil }
      self.init(text: DecimalText.text(of: number))
    default: return nil
    }
  }

  mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for index in groups.indices {
      let product = UInt64(groups[index]) * UInt64(factor) + carry
      groups[index] = UInt32(product % Self.base)
      carry = product / Self.base
    }
    while carry > 0 {
      groups.append(UInt32(carry % Self.base))
      carry /= Self.base
    }
  }

  private mutating func add(_ digit: UInt32) {
    var carry = digit
    for index in groups.indices where carry > 0 {
      let sum = groups[index] + carry
      carry = sum >= Self.base ? 1 : 0
      groups[index] = sum >= Self.base ? sum - UInt32(Self.base) : sum
    }
    if carry > 0 { groups.append(carry) }
  }

  /// The same number with a lower power of ten.
  private func scaled(to lower: Int) -> NaiveNumber {
    var copy = self
    var left = exponent - lower
    while left >= 9, !copy.isZero {
      copy.groups.insert(0, at: 0)
      left -= 9
    }
    while left > 0 {
      copy.multiply(by: 10)
      left -= 1
    }
    copy.exponent = lower
    return copy
  }
}

extension NaiveNumber {
  /// The sign of the order of two numbers.
  static func order(_ a: NaiveNumber, _ b: NaiveNumber) -> Int {
    if a.isZero || b.isZero || a.isNegative != b.isNegative {
      return a.sign < b.sign ? -1 : a.sign > b.sign ? 1 : 0
    }
    let lower = min(a.exponent, b.exponent)
    let order = orderOfGroups(a.scaled(to: lower).groups, b.scaled(to: lower).groups)
    return a.isNegative ? -order : order
  }

  private var sign: Int { isZero ? 0 : isNegative ? -1 : 1 }

  private static func orderOfGroups(_ a: [UInt32], _ b: [UInt32]) -> Int {
    if a.count != b.count { return a.count < b.count ? -1 : 1 }
    for index in a.indices.reversed() where a[index] != b[index] {
      return a[index] < b[index] ? -1 : 1
    }
    return 0
  }

  var negated: NaiveNumber {
    var copy = self
    copy.isNegative = !isNegative && !isZero
    return copy
  }

  static func + (a: NaiveNumber, b: NaiveNumber) -> NaiveNumber {
    let lower = min(a.exponent, b.exponent)
    var result = a.scaled(to: lower)
    let other = b.scaled(to: lower)
    if a.isNegative == b.isNegative {
      result.groups = sum(result.groups, other.groups)
    } else if orderOfGroups(result.groups, other.groups) >= 0 {
      result.groups = difference(result.groups, other.groups)
    } else {
      result.groups = difference(other.groups, result.groups)
      result.isNegative = other.isNegative
    }
    if result.isZero { result.isNegative = false }
    return result
  }

  private static func sum(_ a: [UInt32], _ b: [UInt32]) -> [UInt32] {
    var result: [UInt32] = []
    var carry: UInt64 = 0
    for index in 0..<max(a.count, b.count) {
      let sum =
        carry + UInt64(index < a.count ? a[index] : 0) + UInt64(index < b.count ? b[index] : 0)
      result.append(UInt32(sum % base))
      carry = sum / base
    }
    if carry > 0 { result.append(UInt32(carry)) }
    return result
  }

  /// The difference of two magnitudes, the first not less.
  private static func difference(_ a: [UInt32], _ b: [UInt32]) -> [UInt32] {
    var result = a
    var borrow: Int64 = 0
    for index in a.indices {
      var digit = Int64(a[index]) - borrow - Int64(index < b.count ? b[index] : 0)
      borrow = digit < 0 ? 1 : 0
      if digit < 0 { digit += Int64(base) }
      result[index] = UInt32(digit)
    }
    while result.last == 0 { result.removeLast() }
    return result
  }

  static func * (a: NaiveNumber, b: NaiveNumber) -> NaiveNumber {
    var total = NaiveNumber(UInt64(0))
    total.exponent = a.exponent + b.exponent
    for (index, group) in b.groups.enumerated() {
      var part = a
      part.isNegative = false
      part.multiply(by: group)
      while part.groups.last == 0 { part.groups.removeLast() }
      if !part.isZero { part.groups.insert(contentsOf: Array(repeating: 0, count: index), at: 0) }
      part.exponent = total.exponent
      total = total + part
    }
    total.isNegative = a.isNegative != b.isNegative && !total.isZero
    return total
  }

  /// Returns the leading digits of the absolute quotient, truncated, with the remainder and its
  /// divisor.
  ///
  /// - Parameter isEnough: asked after each digit, with the digits so far and the exponent.
  func divided(
    by divisor: NaiveNumber, until isEnough: (NaiveNumber, Int) -> Bool
  ) -> (quotient: NaiveNumber, remainder: NaiveNumber, divisor: NaiveNumber) {
    var divisor = divisor
    divisor.isNegative = false
    var quotient = NaiveNumber(UInt64(0))
    var index = exponent - divisor.exponent
    divisor.exponent = 0
    var rest = NaiveNumber(UInt64(0))
    var digits = self.digits.utf8.reversed().map { UInt32($0 - UInt8(ascii: "0")) }
    while true {
      if digits.isEmpty {
        if rest.isZero || isEnough(quotient, index) { break }
        index -= 1
      }
      rest.multiply(by: 10)
      rest.add(digits.popLast() ?? 0)
      var digit: UInt32 = 0
      while NaiveNumber.order(rest, divisor) >= 0 {
        rest = rest + divisor.negated
        digit += 1
      }
      quotient.multiply(by: 10)
      quotient.add(digit)
    }
    quotient.exponent = index
    quotient.isNegative = false
    return (quotient, rest, divisor)
  }

  /// The digits without sign and power of ten.
  var digits: String {
    guard let last = groups.last else { return "0" }
    return String(last)
      + groups.dropLast().reversed().map { group in
        let text = String(group)
        return String(repeating: "0", count: 9 - text.count) + text
      }.joined()
  }

  /// The number as a text.
  var text: String { (isNegative ? "-" : "") + digits + "E\(exponent)" }

  /// The nearest double; `0.0` for zero, infinity past the greatest.
  ///
  /// The standard library reads decimal texts of any length and rounds once.
  var nearestDouble: Double { isZero ? 0 : Double(text) ?? .nan }

  /// The number as a decimal, where it fits.
  var decimal: Decimal? { DecimalText.decimal(from: text) }

  /// The whole number of a type, where it is one and fits.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    guard exponent == 0 else { return nil }
    return Integer((isNegative ? "-" : "") + digits)
  }
}
