extension DecimalParts {
  /// The number of a magnitude of any size; nil when it has more digits than a coefficient holds.
  init?(isNegative: Bool, magnitude: BigMagnitude, exponent: Int) {
    var rest = magnitude
    var exponent = exponent
    while rest.uint128 == nil {
      guard rest.divide(by: 10) == 0 else { return nil }
      exponent += 1
    }
    guard let coefficient = rest.uint128 else { return nil }
    self.init(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
    self = canonical
  }

  /// The number with the other sign; zero has none.
  var negated: DecimalParts {
    DecimalParts(
      isNegative: !isNegative && !isZero, coefficient: coefficient, exponent: exponent)
  }

  /// The exact sum; nil when it has too many digits.
  func adding(_ other: DecimalParts) -> DecimalParts? {
    if exponent < other.exponent { return other.adding(self) }
    if isZero { return other }
    if other.isZero { return self }
    let shift = exponent - other.exponent
    if shift < Self.powersOfTen.count {
      let (scaled, overflow) = coefficient.multipliedReportingOverflow(by: Self.powersOfTen[shift])
      if !overflow {
        if isNegative != other.isNegative {
          let isLess = scaled < other.coefficient
          return DecimalParts(
            isNegative: isLess ? other.isNegative : isNegative,
            coefficient: isLess ? other.coefficient - scaled : scaled - other.coefficient,
            exponent: other.exponent)
        }
        let (sum, overflow) = scaled.addingReportingOverflow(other.coefficient)
        if !overflow {
          return DecimalParts(
            isNegative: isNegative, coefficient: sum, exponent: other.exponent)
        }
      }
    }
    var left = BigMagnitude(coefficient)
    left.multiply(byPowerOfTen: shift)
    var right = BigMagnitude(other.coefficient)
    if isNegative == other.isNegative {
      left.add(right)
      return DecimalParts(isNegative: isNegative, magnitude: left, exponent: other.exponent)
    }
    if left.compare(to: right) == .less {
      right.subtract(left)
      return DecimalParts(isNegative: other.isNegative, magnitude: right, exponent: other.exponent)
    }
    left.subtract(right)
    return DecimalParts(isNegative: isNegative, magnitude: left, exponent: other.exponent)
  }

  /// The exact product; nil when it has too many digits.
  func multiplied(by other: DecimalParts) -> DecimalParts? {
    let isNegative = isNegative != other.isNegative
    let exponent = exponent + other.exponent
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: other.coefficient)
    if !overflow {
      return DecimalParts(isNegative: isNegative, coefficient: product, exponent: exponent)
    }
    let wide = coefficient.multipliedFullWidth(by: other.coefficient)
    let magnitude = BigMagnitude(words: [
      UInt64(truncatingIfNeeded: wide.low), UInt64(truncatingIfNeeded: wide.low >> 64),
      UInt64(truncatingIfNeeded: wide.high), UInt64(truncatingIfNeeded: wide.high >> 64),
    ])
    return DecimalParts(isNegative: isNegative, magnitude: magnitude, exponent: exponent)
  }

  /// The quotient by a number that is not zero, rounded once.
  ///
  /// The result is the nearest number that a decimal holds, ties to even. A number that is too
  /// large fails when it is made a decimal.
  func divided(by other: DecimalParts) -> DecimalParts {
    let divisor = other.canonical.coefficient
    let dividend = canonical
    var exponent = dividend.exponent - other.canonical.exponent
    var (quotient, remainder) = dividend.coefficient.quotientAndRemainder(dividingBy: divisor)
    // Long division, one digit at a time, until it comes out or the coefficient is full.
    while remainder != 0 && exponent > Self.exponents.lowerBound {
      let (digit, rest) = divisor.dividingFullWidth(remainder.multipliedFullWidth(by: 10))
      let (scaled, overflow) = quotient.multipliedReportingOverflow(by: 10)
      let (next, more) = scaled.addingReportingOverflow(digit)
      if overflow || more { break }
      quotient = next
      remainder = rest
      exponent -= 1
    }
    let isNegative = isNegative != other.isNegative
    let excess = Self.exponents.lowerBound - exponent
    if excess > 0 {
      // Too small for its last digits, which are dropped. 10^39 is more than twice any coefficient.
      guard excess < Self.powersOfTen.count else {
        return DecimalParts(isNegative: false, coefficient: 0, exponent: 0)
      }
      let unit = Self.powersOfTen[excess]
      let (whole, dropped) = quotient.quotientAndRemainder(dividingBy: unit)
      let isAbove = dropped > unit / 2 || (dropped == unit / 2 && remainder != 0)
      let isTie = dropped == unit / 2 && remainder == 0
      quotient = whole + (isAbove || (isTie && whole % 2 == 1) ? 1 : 0)
      exponent = Self.exponents.lowerBound
    } else if remainder != 0 {
      // Past the greatest coefficient the next number is ten steps away, so that one stays.
      let isUp = remainder > divisor - remainder
      let isTie = remainder == divisor - remainder
      if (isUp || (isTie && quotient % 2 == 1)) && quotient != .max { quotient += 1 }
    }
    return DecimalParts(
      isNegative: isNegative && quotient != 0, coefficient: quotient, exponent: exponent)
  }

  /// The whole number next to this one by a directed rule; itself where it is whole.
  func whole(_ rule: FloatingPointRoundingRule) -> DecimalParts {
    let number = canonical
    if number.exponent >= 0 { return number }
    let power = -number.exponent
    var (whole, rest, one): (UInt128, UInt128, UInt128) = (0, number.coefficient, .max)
    if power < Self.powersOfTen.count {
      one = Self.powersOfTen[power]
      (whole, rest) = number.coefficient.quotientAndRemainder(dividingBy: one)
    }
    // A canonical number with a negative exponent always has a fraction. Below one tenth of a power
    // of ten that is past 128 bits, it is less than a half.
    let isAway =
      switch rule {
      case .up: !isNegative
      case .down: isNegative
      case .toNearestOrAwayFromZero: one != .max && rest >= one - rest
      default: false
      }
    if isAway { whole += 1 }
    return DecimalParts(isNegative: isNegative && whole != 0, coefficient: whole, exponent: 0)
  }
}
