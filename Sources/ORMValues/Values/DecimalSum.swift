internal import FoundationEssentials

/// The exact sum of decimals of any order and size.
///
/// Decimals of one column mostly share an exponent, so the sum runs in 128 bits at one exponent. A part that
/// does not fit there moves to integers of any size, which count units of 10^-128, the least that a decimal
/// can hold.
struct DecimalSum: Sendable {
  private var near: Int128 = 0
  private var nearExponent = 0
  private var positive = BigMagnitude(0 as UInt64)
  private var negative = BigMagnitude(0 as UInt64)

  private static let unitExponent = DecimalParts.exponents.lowerBound

  mutating func add(_ value: DecimalParts) {
    if value.isZero { return }
    if near == 0 { nearExponent = value.exponent }
    if value.exponent < nearExponent { lowerNear(to: value.exponent) }
    if let aligned = aligned(value) {
      let (sum, overflow) = near.addingReportingOverflow(aligned)
      if !overflow {
        near = sum
        return
      }
    }
    addFar(value)
  }

  mutating func add(_ value: Int128) {
    if value == 0 { return }
    add(DecimalParts(isNegative: value < 0, coefficient: value.magnitude, exponent: 0))
  }

  mutating func add(_ other: DecimalSum) {
    positive.add(other.positive)
    negative.add(other.negative)
    if let rest = other.nearParts { add(rest) }
  }

  private var nearParts: DecimalParts? {
    near == 0
      ? nil
      : DecimalParts(isNegative: near < 0, coefficient: near.magnitude, exponent: nearExponent)
  }

  /// The value in units of the near exponent, which must not be above its own.
  private func aligned(_ value: DecimalParts) -> Int128? {
    let shift = value.exponent - nearExponent
    guard shift < DecimalParts.powersOfTen.count else { return nil }
    let (scaled, overflow) = value.coefficient.multipliedReportingOverflow(
      by: DecimalParts.powersOfTen[shift])
    guard !overflow, let magnitude = Int128(exactly: scaled) else { return nil }
    return value.isNegative ? -magnitude : magnitude
  }

  /// Counts the near sum in smaller units, or moves it away where that does not fit.
  private mutating func lowerNear(to exponent: Int) {
    if let rest = nearParts {
      nearExponent = exponent
      if let lowered = aligned(rest) {
        near = lowered
      } else {
        near = 0
        addFar(rest)
      }
    }
    nearExponent = exponent
  }

  private mutating func addFar(_ value: DecimalParts) {
    var magnitude = BigMagnitude(value.coefficient)
    magnitude.multiply(byPowerOfTen: value.exponent - Self.unitExponent)
    if value.isNegative { negative.add(magnitude) } else { positive.add(magnitude) }
  }

  /// The whole sum: a sign and a magnitude in units of 10^-128.
  private var total: (isNegative: Bool, magnitude: BigMagnitude) {
    var copy = self
    if let rest = copy.nearParts { copy.addFar(rest) }
    if copy.positive.compare(to: copy.negative) == .less {
      copy.negative.subtract(copy.positive)
      return (true, copy.negative)
    }
    copy.positive.subtract(copy.negative)
    return (false, copy.positive)
  }

  /// The sum as a decimal; nil when it is not exactly one.
  var decimal: Decimal? {
    if positive.isZero && negative.isZero {
      return nearParts.map(\.decimal) ?? Decimal(0)
    }
    let (isNegative, magnitude) = total
    return DecimalParts(
      isNegative: isNegative, magnitude: magnitude, exponent: Self.unitExponent)?.decimal
  }

  /// The sum divided by a count that is not zero, rounded once.
  func average(of count: UInt64) -> Double {
    let (isNegative, magnitude) = total
    let average = magnitude.nearestDouble(dividedBy: count, andPowerOfTen: -Self.unitExponent)
    return isNegative ? -average : average
  }
}
