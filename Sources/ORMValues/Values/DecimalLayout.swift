internal import FoundationEssentials

/// Reads and makes `Decimal` by its bytes.
///
/// `Decimal` has no public access to its coefficient, and going through its text costs microseconds
/// a value. Its twenty bytes are those of the C structure it has been since the first Foundation:
/// an 8-bit exponent; length (4 bits, in 16-bit words), sign, compactness; 18 unused bits; eight
/// 16-bit words of coefficient, the least first. Whether that holds here is tried once on known
/// numbers; where it does not, the public text is used instead.
enum DecimalLayout {
  /// Takes a decimal apart; nil for NaN.
  static func read(_ decimal: Decimal) -> DecimalParts? {
    isAsKnown ? readBytes(decimal) : readText(decimal)
  }

  /// Puts a decimal together; nil if its exponent is out of range.
  static func make(_ parts: DecimalParts) -> Decimal? {
    guard DecimalParts.exponents.contains(parts.exponent) else { return nil }
    return isAsKnown ? makeBytes(parts) : makeText(parts)
  }

  /// True if the bytes are laid out as described, tried on numbers that use every field.
  static let isAsKnown: Bool = {
    guard MemoryLayout<Decimal>.size == 20 else { return false }
    let probes = [
      "0", "1", "-7", "12.5", "-0.00007", "70000000", "65536", "4294967297",
      "-123456789012345678901234567890.12345", "340282366920938463463374607431768211455",
      "1e127", "-1e-128", "1844674407370955161600000000000000000001e-100",
    ]
    return readBytes(.nan) == nil
      && probes.allSatisfy { probe in
        guard let decimal = Decimal(string: probe), let read = readBytes(decimal),
          let text = readText(decimal), let made = makeBytes(read.canonical)
        else { return false }
        return read.canonical == text.canonical && made == decimal
          && made.description == decimal.description
      }
  }()

  static func readBytes(_ decimal: Decimal) -> DecimalParts? {
    withUnsafeBytes(of: decimal) { bytes in
      let flags = bytes[1]
      let words = min(Int(flags >> 4), 8)
      let isNegative = flags & 0b1000 != 0
      if words == 0 {
        return isNegative ? nil : DecimalParts(isNegative: false, coefficient: 0, exponent: 0)
      }
      var coefficient: UInt128 = 0
      for word in stride(from: words - 1, through: 0, by: -1) {
        coefficient =
          coefficient << 16
          | UInt128(bytes.loadUnaligned(fromByteOffset: 4 + 2 * word, as: UInt16.self))
      }
      return DecimalParts(
        isNegative: isNegative && coefficient != 0, coefficient: coefficient,
        exponent: Int(Int8(bitPattern: bytes[0])))
    }
  }

  static func makeBytes(_ parts: DecimalParts) -> Decimal? {
    var decimal = Decimal()
    if parts.isZero { return decimal }
    withUnsafeMutableBytes(of: &decimal) { bytes in
      var rest = parts.coefficient
      var words = 0
      while rest != 0 {
        bytes.storeBytes(
          of: UInt16(truncatingIfNeeded: rest), toByteOffset: 4 + 2 * words, as: UInt16.self)
        rest >>= 16
        words += 1
      }
      bytes[0] = UInt8(bitPattern: Int8(truncatingIfNeeded: parts.exponent))
      // The compact flag (4) says that there are no trailing zeros.
      let isCompact = parts.coefficient % 10 != 0
      bytes[1] = UInt8(words) << 4 | (parts.isNegative ? 8 : 0) | (isCompact ? 4 : 0)
    }
    return decimal
  }

  static func readText(_ decimal: Decimal) -> DecimalParts? {
    decimal.isNaN ? nil : DecimalText.parts(of: decimal.description.utf8)
  }

  static func makeText(_ parts: DecimalParts) -> Decimal? {
    let sign = parts.isNegative ? "-" : ""
    return Decimal(string: "\(sign)\(parts.coefficient)e\(parts.exponent)")
  }
}
