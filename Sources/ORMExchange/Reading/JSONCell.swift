/// One attribute of a record that is being read: where its value lies, or the value itself.
struct JSONCell {
  enum Kind: UInt8 {
    case null
    case bool
    case integer
    case double
    /// A string of the text without escapes.
    case text
    /// A string of the text with escapes.
    case escapedText
    /// A value of the list beside the cells.
    case other
    /// The time of reading.
    case now
    /// A new UUID.
    case uuid
    /// A value is required, and there is none.
    case missing
    /// JSON had a value that was refused.
    case refused
  }

  var kind: Kind
  /// The position of the path that gave the value among those of the attribute; ``notGiven`` where
  /// JSON had none.
  var rank: UInt8 = Self.notGiven
  /// The number of bytes of a string.
  var count: Int32 = 0
  /// The first byte of the value in the text, without the quote of a string.
  var start = 0
  /// The integer, the bits of the double, or the position in the list of values.
  var bits: UInt64 = 0

  static let notGiven: UInt8 = 255

  /// The rank of a null that keeps the value; any source with a value comes before it.
  static let unchanged: UInt8 = 254

  /// The first byte of the value, the quote of a string.
  var valueStart: Int { kind == .text || kind == .escapedText ? start - 1 : start }

  var isGiven: Bool { rank != Self.notGiven }
}
