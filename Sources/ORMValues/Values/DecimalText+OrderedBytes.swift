package import FoundationEssentials

/// Bytes of decimals in the order of the numbers, for keys.
///
/// Comparing two byte strings as unsigned bytes compares the numbers; equal numbers have equal
/// bytes; no byte string begins another, so that more may follow in a compound key.
///
/// The form: one byte for the sign (1 negative, 2 zero, 3 positive). Zero ends there. Then the
/// number is ±0.p₁p₂… × 100^e with pairs of digits: one byte e + 128, one byte pair + 1 for each
/// pair to the last that is not zero, and a 0. In negative numbers all bytes after the first are
/// inverted. At most 23 bytes.
extension DecimalText {
  private static let negative: UInt8 = 1
  private static let zero: UInt8 = 2
  private static let positive: UInt8 = 3
  /// After every number; a NaN is never stored, but a total function is easier to rely on.
  private static let notANumber: UInt8 = 4
  private static let bias = 128

  /// The bytes of a decimal.
  package static func orderedBytes(of decimal: Decimal) -> [UInt8] {
    guard let parts = DecimalParts(decimal)?.canonical else { return [notANumber] }
    if parts.isZero { return [zero] }
    // Digits, the last first, in pairs that are aligned to the point.
    var digits: [UInt8] = parts.exponent & 1 == 0 ? [] : [0]
    var rest = parts.coefficient
    while rest != 0 {
      let (quotient, chunk) = rest.quotientAndRemainder(dividingBy: DecimalParts.powersOfTen[19])
      var word = UInt64(truncatingIfNeeded: chunk)
      for _ in 0..<19 where word != 0 || quotient != 0 {
        digits.append(UInt8(truncatingIfNeeded: word % 10))
        word /= 10
      }
      rest = quotient
    }
    if digits.count & 1 == 1 { digits.append(0) }
    let pairs = digits.count / 2
    // An arithmetic shift rounds down, as the digit put in front asks.
    let exponent = (parts.exponent >> 1) + pairs
    let mask: UInt8 = parts.isNegative ? 0xFF : 0
    var bytes = [parts.isNegative ? negative : positive]
    bytes.reserveCapacity(pairs + 3)
    bytes.append(UInt8(truncatingIfNeeded: exponent + bias) ^ mask)
    for pair in stride(from: digits.count - 1, to: 0, by: -2) {
      bytes.append((digits[pair] * 10 + digits[pair - 1] + 1) ^ mask)
    }
    bytes.append(mask)
    return bytes
  }
}
