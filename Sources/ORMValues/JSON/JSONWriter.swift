/// Writes one JSON text without space, putting in commas and colons.
package struct JSONWriter {
  package init() {}

  private var utf8: [UInt8] = []
  /// The closing bracket of every object and array that is open.
  private var open: [UInt8] = []
  private var needsComma = false

  /// The text so far.
  package var text: String { String(decoding: utf8, as: UTF8.self) }

  package mutating func beginObject() { begin("{", "}") }
  package mutating func beginArray() { begin("[", "]") }

  private mutating func begin(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar) {
    separate()
    utf8.append(UInt8(ascii: opening))
    open.append(UInt8(ascii: closing))
    needsComma = false
  }

  /// Ends the innermost object or array.
  package mutating func end() {
    if let closing = open.popLast() { utf8.append(closing) }
    needsComma = true
  }

  /// Writes the name of the next value.
  package mutating func key(_ name: String) {
    string(name)
    utf8.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a value that is JSON already.
  package mutating func literal(_ text: String) {
    separate()
    utf8.append(contentsOf: text.utf8)
  }

  package mutating func string(_ text: String) {
    separate()
    utf8.append(.quote)
    for byte in text.utf8 {
      switch byte {
      case .quote, .backslash:
        utf8.append(.backslash)
        utf8.append(byte)
      case 0x20...: utf8.append(byte)
      default: escape(byte)
      }
    }
    utf8.append(.quote)
  }

  private mutating func escape(_ control: UInt8) {
    utf8.append(.backslash)
    switch control {
    case 0x08: utf8.append(UInt8(ascii: "b"))
    case 0x09: utf8.append(UInt8(ascii: "t"))
    case 0x0A: utf8.append(UInt8(ascii: "n"))
    case 0x0C: utf8.append(UInt8(ascii: "f"))
    case 0x0D: utf8.append(UInt8(ascii: "r"))
    default:
      let digits = Array("0123456789abcdef".utf8)
      utf8.append(contentsOf: "u00".utf8)
      utf8.append(digits[Int(control >> 4)])
      utf8.append(digits[Int(control & 15)])
    }
  }

  /// The text of a double that reads back to the bit, never as an integer.
  ///
  /// The shortest digits that do; infinities, which JSON has no word for, are `9e999` and
  /// `-9e999`, numbers past the greatest double, as SQLite writes them too. NaN has no text.
  package static func text(of value: Double) -> String {
    value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : value.description
  }

  private mutating func separate() {
    if needsComma { utf8.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}
