/// The letters and digits that a name in the format language consists of.
package enum FormatName {
  /// The ten digits of ASCII.
  package static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Letters of ASCII, the underscore, and every scalar beyond ASCII.
  package static func beginsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  /// Bytes of a name after its first.
  package static func isInName(_ byte: UInt8) -> Bool { beginsName(byte) || isDigit(byte) }

  /// True if a text is one name, as the language writes it.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, beginsName(first) else { return false }
    return text.utf8.allSatisfy(isInName)
  }
}
