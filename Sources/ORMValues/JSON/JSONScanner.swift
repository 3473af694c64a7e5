/// A position in a JSON text, moved on token by token.
///
/// Reads bytes that outlive it and never past them. Where the bytes are not JSON (RFC 8259), its functions
/// return nil or false or do not advance; none traps.
@usableFromInline
package struct JSONScanner {
  @usableFromInline package let bytes: UnsafeRawBufferPointer
  @usableFromInline package var position = 0

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// A string's bytes between its quotes.
  package struct StringToken {
    package let range: Range<Int>
    package let hasEscapes: Bool

    package init(range: Range<Int>, hasEscapes: Bool) {
      self.range = range
      self.hasEscapes = hasEscapes
    }
  }

  /// A number's bytes.
  package struct NumberToken {
    package let range: Range<Int>
    /// True if there is neither fraction nor exponent.
    package let isInteger: Bool
  }

  /// The byte at the position; 0, which begins no token, at the end.
  @inlinable @inline(__always)
  package var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  @inlinable @inline(__always)
  package var isAtEnd: Bool { position >= bytes.count }

  /// Moves past spaces, tabs and line ends.
  @inlinable @inline(__always)
  package mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Moves past a byte if it is the next one after space.
  @inlinable @inline(__always)
  package mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte, !isAtEnd else { return false }
    position += 1
    return true
  }

  /// Moves past a word if it is the next thing.
  package mutating func skip(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for offset in 0..<count where bytes[position + offset] != word.utf8Start[offset] {
      return false
    }
    position += count
    return true
  }

  /// Moves past a string, checking its escapes; a surrogate must be one of a pair, because no
  /// text can hold it alone.
  package mutating func string() -> StringToken? {
    guard next == .quote else { return nil }
    let start = position + 1
    var offset = start
    var hasEscapes = false
    while offset < bytes.count {
      if let plain = plainBytes(at: offset) {
        offset += plain
        if plain == 8 { continue }
      }
      let byte = bytes[offset]
      if byte == .quote {
        position = offset + 1
        return StringToken(range: start..<offset, hasEscapes: hasEscapes)
      }
      if byte < 0x20 { return nil }
      if byte == .backslash {
        hasEscapes = true
        guard let (_, end) = escape(at: offset) else { return nil }
        offset = end
      } else {
        offset += 1
      }
    }
    return nil
  }

  /// The number of bytes, of the eight from here on, before the first that may end a string or begin
  /// an escape; nil where fewer than eight are left.
  @inline(__always)
  private func plainBytes(at offset: Int) -> Int? {
    guard offset &+ 8 <= bytes.count, let start = bytes.baseAddress else { return nil }
    let word = UInt64(littleEndian: (start + offset).loadUnaligned(as: UInt64.self))
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* UInt64(UInt8.quote))
    let backslashes = word ^ (ones &* UInt64(UInt8.backslash))
    // The lowest bit that is set is exact: a subtraction borrows from higher bytes alone.
    let ends =
      ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
      | ((word &- (ones &* 0x20)) & ~word)
    return (ends & (ones &* 0x80)).trailingZeroBitCount / 8
  }

  /// The first byte, from one on, that a string of JSON has as an escape or ends at; the end of the
  /// text where there is none.
  package func endOfPlain(from start: Int) -> Int {
    var offset = start
    while let plain = plainBytes(at: offset) {
      offset += plain
      if plain < 8 { return offset }
    }
    while offset < bytes.count, bytes[offset] >= 0x20, bytes[offset] != .quote,
      bytes[offset] != .backslash
    { offset += 1 }
    return offset
  }

  /// The scalar of the escape whose backslash is here, and where it ends.
  func escape(at offset: Int) -> (scalar: Unicode.Scalar, end: Int)? {
    guard offset + 1 < bytes.count else { return nil }
    let scalar: Unicode.Scalar
    switch bytes[offset + 1] {
    case .quote: scalar = "\""
    case .backslash: scalar = "\\"
    case UInt8(ascii: "/"): scalar = "/"
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"):
      guard let unit = unit(at: offset + 2) else { return nil }
      if let scalar = Unicode.Scalar(unit) { return (scalar, offset + 6) }
      guard unit < 0xDC00, offset + 7 < bytes.count, bytes[offset + 6] == .backslash,
        bytes[offset + 7] == UInt8(ascii: "u"), let low = self.unit(at: offset + 8),
        (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(
          0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
      else { return nil }
      return (scalar, offset + 12)
    default: return nil
    }
    return (scalar, offset + 2)
  }

  /// The four hexadecimal digits here.
  private func unit(at offset: Int) -> UInt16? {
    guard offset + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[offset..<(offset + 4)] {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// Moves past a number.
  package mutating func number() -> NumberToken? {
    let start = position
    var offset = position
    func digits() -> Bool {
      let first = offset
      while offset < bytes.count, bytes[offset].isDigit { offset += 1 }
      return offset > first
    }
    if next == UInt8(ascii: "-") { offset += 1 }
    let whole = offset
    guard digits() else { return nil }
    // No leading zeros.
    if bytes[whole] == UInt8(ascii: "0") && offset > whole + 1 { return nil }
    var isInteger = true
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      isInteger = false
      offset += 1
      guard digits() else { return nil }
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      offset += 1
      if offset < bytes.count,
        bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+")
      {
        offset += 1
      }
      guard digits() else { return nil }
    }
    position = offset
    return NumberToken(range: start..<offset, isInteger: isInteger)
  }

  /// Moves past one value of a text known to be JSON, without looking into it.
  ///
  /// Returns false when the text ends inside the value; it may miss other faults.
  package mutating func skipValue() -> Bool {
    skipSpace()
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case .quote:
        guard skipString() else { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // One more than were opened belongs to the object or array around the value.
        if depth == 0 { return true }
        depth -= 1
        position += 1
      case UInt8(ascii: ",") where depth == 0: return true
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
        position += 1
        continue
      default:
        while position < bytes.count, bytes[position].isWordByte { position += 1 }
        if position < bytes.count, !bytes[position].isAfterWord { return false }
      }
      if depth == 0 { return true }
    }
    return false
  }

  /// Moves past a string without looking at its escapes.
  private mutating func skipString() -> Bool {
    var offset = position + 1
    while offset < bytes.count {
      switch bytes[offset] {
      case .quote:
        position = offset + 1
        return true
      case .backslash: offset += 2
      default: offset += 1
      }
    }
    return false
  }
}

extension UInt8 {
  static var quote: UInt8 { 0x22 }
  static var backslash: UInt8 { 0x5C }
  var isDigit: Bool { self &- 0x30 < 10 }

  /// True if the byte can be part of a number or of one of the three words.
  fileprivate var isWordByte: Bool {
    switch self {
    case 0x30...0x39, 0x61...0x7A, 0x41...0x5A, 0x2B, 0x2D, 0x2E: true
    default: false
    }
  }

  /// True if this can come after a number or word.
  fileprivate var isAfterWord: Bool {
    switch self {
    case 0x20, 0x0A, 0x0D, 0x09, 0x2C, 0x5D, 0x7D: true
    default: false
    }
  }
}
