internal import FoundationEssentials
internal import ORMStorage

/// The bytes of a decimal in a key, which order as the numbers do.
///
/// The number is 0.d₁d₂… × 10^e with d₁ not zero. Its bytes are 1, 2 or 3 for less than, equal to
/// or greater than zero; then, unless it is zero, e + 2^15 in 2 bytes, and the digits two to a
/// byte. Each pair is one more than its number, so that 0 ends them. Those of negative numbers have
/// every bit turned after the first byte.
enum DecimalKey {
  private static let negative: UInt8 = 1
  private static let zero: UInt8 = 2
  private static let positive: UInt8 = 3
  private static let exponentBias = 1 << 15

  /// Appends the bytes of a decimal.
  static func append(_ value: Decimal, to buffer: inout ByteBuffer) {
    var text = DecimalText.text(of: value)
    text.withUTF8 { _ = append(text: UnsafeRawBufferPointer($0), to: &buffer) }
  }

  /// Appends the bytes of a decimal given as `DecimalText` writes it; false when it is none.
  static func append(text: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) -> Bool {
    var at = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative { at = 1 }
    let digitsStart = at
    var wholeDigits: Int?
    var firstDigit: Int?
    var lastDigit = 0
    var digits = 0
    scan: while at < text.count {
      switch text[at] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if text[at] != UInt8(ascii: "0") {
          firstDigit = firstDigit ?? digits
          lastDigit = digits
        }
        digits += 1
      case UInt8(ascii: ".") where wholeDigits == nil: wholeDigits = digits
      default: break scan
      }
      at += 1
    }
    guard digits > 0 else { return false }
    guard let firstDigit else {
      buffer.append(zero)
      return at == text.count
    }
    var exponent = (wholeDigits ?? digits) - firstDigit
    if at < text.count {
      guard text[at] == UInt8(ascii: "E"),
        let tail = String(
          validating: UnsafeRawBufferPointer(rebasing: text[(at + 1)...]), as: UTF8.self),
        let power = Int(tail), abs(power) < 1 << 14
      else { return false }
      exponent += power
    }
    guard let biased = UInt16(exactly: exponent + exponentBias) else { return false }

    buffer.append(isNegative ? negative : positive)
    let start = buffer.count
    buffer.append(bigEndian: biased)
    var pair: UInt8 = 0
    var isHalf = false
    var digit = 0
    var offset = digitsStart
    while digit <= lastDigit {
      defer { offset += 1 }
      guard text[offset] != UInt8(ascii: ".") else { continue }
      defer { digit += 1 }
      guard digit >= firstDigit else { continue }
      let value = text[offset] - UInt8(ascii: "0")
      if isHalf { buffer.append(pair + value + 1) } else { pair = value * 10 }
      isHalf.toggle()
    }
    if isHalf { buffer.append(pair + 1) }
    buffer.append(0)
    if isNegative { buffer.complement(from: start) }
    return true
  }

  /// The bytes of the decimal at a position, or nil where there is none.
  ///
  /// `isComplemented` says that every bit was turned once more, for a descending part.
  static func length(
    in bytes: UnsafeRawBufferPointer, at position: Int, isComplemented: Bool
  ) -> Int? {
    guard position < bytes.count else { return nil }
    let turn: UInt8 = isComplemented ? 0xFF : 0
    switch bytes[position] ^ turn {
    case zero: return 1
    case negative, positive:
      let end: UInt8 = bytes[position] ^ turn == negative ? 0xFF : 0
      var at = position + 3
      while at < bytes.count {
        if bytes[at] ^ turn == end { return at + 1 - position }
        at += 1
      }
      return nil
    default: return nil
    }
  }

  /// The decimal whose bytes, not complemented, these are; nil when they are none.
  static func decimal(of bytes: [UInt8]) -> Decimal? {
    guard let sign = bytes.first else { return nil }
    if sign == zero { return Decimal(0) }
    guard bytes.count >= 5, sign == negative || sign == positive else { return nil }
    let turn: UInt8 = sign == negative ? 0xFF : 0
    let exponent = Int(bytes[1] ^ turn) << 8 + Int(bytes[2] ^ turn) - exponentBias
    var text = sign == negative ? "-0." : "0."
    for byte in bytes[3..<(bytes.count - 1)] {
      let pair = Int(byte ^ turn) - 1
      guard (0..<100).contains(pair) else { return nil }
      text += "\(pair / 10)\(pair % 10)"
    }
    return DecimalText.decimal(from: text + "E\(exponent)")
  }
}
