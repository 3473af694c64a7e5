extension BigMagnitude {
  /// The double nearest to this number × 2^`exponent`, ties to even, infinity past the greatest.
  ///
  /// `isSticky` says that the true number is a little more than this one, by less than its last
  /// bit, as after a division that left something over.
  func nearestDouble(exponent: Int = 0, isSticky: Bool = false) -> Double {
    guard !isZero else { return 0 }
    // The last bit that the result keeps: 53 below the first, or the last of the subnormals.
    let first = bitCount - 1 + exponent
    let last = max(first - 52, -1074)
    let dropped = last - exponent
    if dropped <= 0 {
      // Every bit stays, and nothing was left over: divisions bring 64 bits or more.
      return Double(sign: .plus, exponent: exponent, significand: Double(bits(from: 0)))
    }
    var significand = bits(from: dropped)
    let half = isSet(dropped - 1)
    if half && (isSticky || significand & 1 == 1 || hasBits(below: dropped - 1)) {
      significand += 1
    }
    if first > 1023 { return .infinity }
    return Double(sign: .plus, exponent: last, significand: Double(significand))
  }

  /// The double nearest to this number divided by `divisor` × 10^`tens`, rounded once.
  func nearestDouble(
    exponent: Int = 0, dividedBy divisor: UInt64, andPowerOfTen tens: Int = 0
  ) -> Double {
    guard !isZero else { return 0 }
    // Shifted so far that the quotient keeps at least 64 bits: 10^n has fewer than 4n.
    let shift = max(0, 64 + 64 + 4 * tens - bitCount)
    var quotient = self
    quotient.shiftLeft(by: shift)
    var isSticky = quotient.divide(by: divisor) != 0
    var rest = tens
    while rest > 0 {
      let step = min(rest, Self.tensInWord)
      if quotient.divide(by: Self.powerOfTen(step)) != 0 { isSticky = true }
      rest -= step
    }
    return quotient.nearestDouble(exponent: exponent - shift, isSticky: isSticky)
  }

  /// Up to 64 bits from this one on.
  private func bits(from bit: Int) -> UInt64 {
    let word = bit >> 6
    let within = UInt64(bit & 63)
    guard word < words.count else { return 0 }
    let low = words[word] >> within
    guard within != 0, word + 1 < words.count else { return low }
    return low | words[word + 1] << (64 - within)
  }

  private func isSet(_ bit: Int) -> Bool {
    let word = bit >> 6
    return word < words.count && words[word] >> UInt64(bit & 63) & 1 == 1
  }

  private func hasBits(below bit: Int) -> Bool {
    let word = bit >> 6
    if words.prefix(word).contains(where: { $0 != 0 }) { return true }
    return word < words.count && words[word] & (1 << UInt64(bit & 63) - 1) != 0
  }
}
