internal import FoundationEssentials

/// A decimal number taken apart: ±coefficient × 10^exponent.
///
/// Foundation's `Decimal` holds coefficients below 2^128 and exponents from -128 to 127, and does not
/// report its rounding; here every step is exact or fails.
struct DecimalParts: Hashable, Sendable {
  var isNegative: Bool
  var coefficient: UInt128
  var exponent: Int

  /// The exponents that a `Decimal` can hold.
  static let exponents = -128...127

  init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
    self.isNegative = isNegative
    self.coefficient = coefficient
    self.exponent = exponent
  }

  init<Integer: BinaryInteger>(_ value: Integer) {
    self.init(isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
  }

  /// Takes a decimal apart, as it is; nil for NaN.
  init?(_ decimal: Decimal) {
    guard let parts = DecimalLayout.read(decimal) else { return nil }
    self = parts
  }

  var isZero: Bool { coefficient == 0 }

  /// The one form of the number: no trailing zeros in the coefficient, zero without sign or
  /// exponent.
  var canonical: DecimalParts {
    if coefficient == 0 { return DecimalParts(isNegative: false, coefficient: 0, exponent: 0) }
    var parts = self
    while parts.coefficient >> 64 != 0 {
      let (quotient, remainder) = parts.coefficient.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { return parts }
      parts.coefficient = quotient
      parts.exponent += 1
    }
    var small = UInt64(truncatingIfNeeded: parts.coefficient)
    while true {
      let (quotient, remainder) = small.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { break }
      small = quotient
      parts.exponent += 1
    }
    parts.coefficient = UInt128(small)
    return parts
  }

  /// The decimal of this number; nil when it has too many digits or is too large or too small to
  /// be held exactly.
  var decimal: Decimal? {
    var parts = canonical
    guard parts.exponent >= Self.exponents.lowerBound else { return nil }
    let excess = parts.exponent - Self.exponents.upperBound
    if excess > 0 {
      guard excess < Self.powersOfTen.count else { return nil }
      let (scaled, overflow) = parts.coefficient.multipliedReportingOverflow(
        by: Self.powersOfTen[excess])
      if overflow { return nil }
      parts.coefficient = scaled
      parts.exponent = Self.exponents.upperBound
    }
    return DecimalLayout.make(parts)
  }

  /// 10^0 to 10^38, all that are below 2^128.
  static let powersOfTen: [UInt128] = (0..<38).reduce(into: [1]) { powers, _ in
    powers.append(powers[powers.count - 1] * 10)
  }

  /// Orders two numbers exactly.
  func compare(to other: DecimalParts) -> StoredValue.Comparison {
    if isZero || other.isZero || isNegative != other.isNegative {
      return StoredValue.Comparison(signum, other.signum)
    }
    let magnitudes = compareMagnitude(to: other)
    return isNegative ? magnitudes.reversed : magnitudes
  }

  private var signum: Int { isZero ? 0 : (isNegative ? -1 : 1) }

  /// Orders the absolute values of two numbers that are not zero.
  private func compareMagnitude(to other: DecimalParts) -> StoredValue.Comparison {
    if exponent < other.exponent { return other.compareMagnitude(to: self).reversed }
    let shift = exponent - other.exponent
    // Scaled to the other's exponent, a coefficient past 2^128 is greater than any.
    guard shift < Self.powersOfTen.count else { return .greater }
    let (scaled, overflow) = coefficient.multipliedReportingOverflow(by: Self.powersOfTen[shift])
    return overflow ? .greater : StoredValue.Comparison(scaled, other.coefficient)
  }
}
