extension DecimalParts {
  /// Orders this number against the binary fraction that a double is; nil for NaN.
  ///
  /// Rounding to the nearest double keeps order, so the two are only worked out in full where the
  /// nearest double is that very one.
  func compare(to double: Double) -> StoredValue.Comparison? {
    if double.isNaN { return nil }
    let nearest = nearestDouble
    if nearest != double { return StoredValue.Comparison(nearest, double) }
    if isZero { return .equal }
    var left = BigMagnitude(coefficient)
    var right = BigMagnitude(UInt64(double.significandBitPattern | 1 << 52))
    let binaryExponent = Int(double.exponent) - 52
    if exponent >= 0 {
      left.multiply(byPowerOfTen: exponent)
    } else {
      right.multiply(byPowerOfTen: -exponent)
    }
    if binaryExponent >= 0 {
      right.shiftLeft(by: binaryExponent)
    } else {
      left.shiftLeft(by: -binaryExponent)
    }
    let magnitudes = left.compare(to: right)
    return isNegative ? magnitudes.reversed : magnitudes
  }

  /// The double nearest to this number, ties to even.
  var nearestDouble: Double {
    let magnitude: Double
    if coefficient <= 1 << 53 && (-22...22).contains(exponent) {
      // Both operands are exact doubles, so the one operation rounds once.
      let whole = Double(UInt64(coefficient))
      magnitude =
        exponent < 0 ? whole / Self.exactTens[-exponent] : whole * Self.exactTens[exponent]
    } else {
      var whole = BigMagnitude(coefficient)
      if exponent >= 0 {
        whole.multiply(byPowerOfTen: exponent)
        magnitude = whole.nearestDouble()
      } else {
        magnitude = whole.nearestDouble(dividedBy: 1, andPowerOfTen: -exponent)
      }
    }
    return isNegative ? -magnitude : magnitude
  }

  /// 10^0 to 10^22, all powers of ten that a double holds exactly.
  static let exactTens: [Double] = (0..<22).reduce(into: [1]) { powers, _ in
    powers.append(powers[powers.count - 1] * 10)
  }
}
