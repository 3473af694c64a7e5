// Literals: texts in quotes, numbers, and arguments.

internal import ORMValues

extension FormatLexer {
  /// A text in quotes.
  ///
  /// `\n`, `\t`, `\r`, `\\`, `\"`, `\'`, `\uXXXX` (two of them for a surrogate pair) and `\UXXXXXXXX` are
  /// escapes; before any other character the backslash stands for itself, so that patterns need not be
  /// escaped twice.
  mutating func string(closedBy quote: UInt8) throws -> String {
    let start = offset
    advance()
    var text: [UInt8] = []
    while true {
      // Scalars that stand for themselves are taken in one piece.
      let piece = offset
      while offset < source.bytes.count, byte() != quote, byte() != UInt8(ascii: "\\") {
        offset += 1
      }
      text += source.bytes[piece..<offset]
      guard offset < source.bytes.count else {
        throw fault("the text that begins here has no closing quote", at: start)
      }
      if byte() == quote {
        advance()
        return String(decoding: text, as: UTF8.self)
      }
      try escape(into: &text)
    }
  }

  private mutating func escape(into text: inout [UInt8]) throws {
    let start = offset
    let letter = byte(1)
    advance(2)
    switch letter {
    case UInt8(ascii: "n"): text.append(10)
    case UInt8(ascii: "t"): text.append(9)
    case UInt8(ascii: "r"): text.append(13)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): text.append(letter)
    case UInt8(ascii: "u"):
      var value = try hexadecimal(digits: 4, from: start)
      if 0xD800..<0xDC00 ~= value, byte() == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u") {
        advance(2)
        let low = try hexadecimal(digits: 4, from: start)
        guard 0xDC00..<0xE000 ~= low else {
          throw fault("a surrogate must be followed by its other half", at: start)
        }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      try append(value, to: &text, from: start)
    case UInt8(ascii: "U"):
      try append(try hexadecimal(digits: 8, from: start), to: &text, from: start)
    default:
      text.append(UInt8(ascii: "\\"))
      advance(-1)
    }
  }

  private func append(_ value: UInt32, to text: inout [UInt8], from start: Int) throws {
    guard let scalar = Unicode.Scalar(value) else {
      throw fault("this escape stands for no character", at: start)
    }
    text.append(contentsOf: String(Character(scalar)).utf8)
  }

  private mutating func hexadecimal(digits: Int, from start: Int) throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = Self.digit(byte()) else {
        throw fault("expected an escape of \(digits) hexadecimal digits", at: start)
      }
      value = value << 4 | UInt32(digit)
      advance()
    }
    return value
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  /// A number: decimal, `0x`, `0o`, `0b`, or with a fraction or an exponent.
  mutating func number() throws -> FormatToken.Kind {
    let start = offset
    if byte() == UInt8(ascii: "0"), let radix = Self.radix(byte(1)) {
      advance(2)
      return .integer(try integer(radix: radix, from: start))
    }
    digits()
    var isWhole = true
    if byte() == UInt8(ascii: "."), FormatName.isDigit(byte(1)) {
      isWhole = false
      advance()
      digits()
    }
    if byte() | 0x20 == UInt8(ascii: "e") {
      let hasSign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
      if FormatName.isDigit(byte(hasSign ? 2 : 1)) {
        isWhole = false
        advance(hasSign ? 2 : 1)
        digits()
      }
    }
    if FormatName.isInName(byte()) {
      throw fault(
        "a letter follows the number; put a space or an operator between them", at: start)
    }
    var text = source.text(start..<offset)
    if isWhole, let value = UInt64(text) { return .integer(value) }
    if text.hasPrefix(".") { text = "0" + text }
    return .number(text)
  }

  private mutating func digits() {
    while FormatName.isDigit(byte()) { offset += 1 }
  }

  private static func radix(_ byte: UInt8) -> Int? {
    switch byte | 0x20 {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  private mutating func integer(radix: Int, from start: Int) throws -> UInt64 {
    let first = offset
    var value: UInt64 = 0
    while FormatName.isInName(byte()) {
      guard let digit = Self.digit(byte()), digit < radix else {
        throw fault("this is not a digit in base \(radix)")
      }
      let (scaled, isTooLarge) = value.multipliedReportingOverflow(by: UInt64(radix))
      let (sum, isPast) = scaled.addingReportingOverflow(UInt64(digit))
      if isTooLarge || isPast { throw fault("the number does not fit 64 bits", at: start) }
      value = sum
      advance()
    }
    if first == offset { throw fault("digits were expected", at: offset) }
    return value
  }

  /// `%@` and its family, with a position or without: `%1$@`.
  mutating func argument() throws -> FormatToken.Kind {
    let start = offset
    advance()
    let position = try position()
    // Sizes of C's integers mean nothing here.
    while [
      UInt8(ascii: "l"), UInt8(ascii: "h"), UInt8(ascii: "q"), UInt8(ascii: "z"),
      UInt8(ascii: "t"), UInt8(ascii: "j"), UInt8(ascii: "L"),
    ].contains(byte()) {
      advance()
    }
    let letter = byte()
    advance()
    let conversion: FormatConversion
    switch letter {
    case UInt8(ascii: "@"): conversion = .object
    case UInt8(ascii: "K"): conversion = .key
    case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "i"), UInt8(ascii: "u"),
      UInt8(ascii: "U"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "O"):
      conversion = .integer
    case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"),
      UInt8(ascii: "g"), UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"):
      conversion = .floating
    case UInt8(ascii: "s"), UInt8(ascii: "S"): conversion = .text
    case UInt8(ascii: "c"), UInt8(ascii: "C"): conversion = .character
    case UInt8(ascii: "%"):
      throw fault("%% has no meaning in a format; a % inside quotes stands for itself", at: start)
    default:
      throw fault("found %, expected one of %@ %K %d %i %u %x %o %f %e %g %s %c", at: start)
    }
    return .argument(conversion, position: position)
  }

  private mutating func position() throws -> Int? {
    var count = 0
    while FormatName.isDigit(byte(count)) { count += 1 }
    guard count > 0, byte(count) == UInt8(ascii: "$") else { return nil }
    let text = source.text(offset..<offset + count)
    guard let position = Int(text), position > 0 else {
      throw fault("\(text) is not the position of an argument; positions count from 1")
    }
    advance(count + 1)
    return position
  }
}
