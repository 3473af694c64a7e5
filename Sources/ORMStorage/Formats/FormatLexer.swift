internal import ORMValues

/// Cuts a format into tokens, one at a time.
struct FormatLexer {
  let source: FormatSource
  var offset = 0
  /// True if the last token ends a value, so that an operator follows.
  private var endsValue = false
  private var isBehindDot = false

  init(_ source: FormatSource) { self.source = source }

  private var bytes: [UInt8] { source.bytes }

  /// The byte at a distance from here; 0 past the end, which no token begins with.
  func byte(_ distance: Int = 0) -> UInt8 {
    let index = offset + distance
    return index < source.bytes.count ? source.bytes[index] : 0
  }

  mutating func advance(_ count: Int = 1) { offset += count }

  func fault(_ message: String, at position: Int? = nil) -> StoreError {
    source.fault(message, at: position ?? offset)
  }

  /// The next byte that is no white space, without going there.
  func peekByte() -> UInt8 {
    var index = offset
    while index < source.bytes.count, Self.isSpace(source.bytes[index]) { index += 1 }
    return index < source.bytes.count ? source.bytes[index] : 0
  }

  /// The next token.
  mutating func next() throws -> FormatToken {
    while offset < source.bytes.count, Self.isSpace(source.bytes[offset]) { offset += 1 }
    let start = offset
    guard start < source.bytes.count else {
      return FormatToken(kind: .end, range: start..<start)
    }
    let kind = try kind(of: byte())
    endsValue = Self.endsValue(kind, isBehindDot: isBehindDot)
    isBehindDot = kind == .sign(.dot)
    return FormatToken(kind: kind, range: start..<offset)
  }

  private mutating func kind(of first: UInt8) throws -> FormatToken.Kind {
    switch first {
    case _ where FormatName.beginsName(first):
      let name = name()
      return .name(name, FormatWord(name: name))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: ".") where FormatName.isDigit(byte(1)): return try number()
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try string(closedBy: first))
    case UInt8(ascii: "%"):
      if endsValue, !isArgumentBehindOptions {
        advance()
        return .sign(.percent)
      }
      return try argument()
    case UInt8(ascii: "#"):
      advance()
      switch byte() {
      case let quote where quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""):
        return .key(try string(closedBy: quote))
      case let first where FormatName.beginsName(first): return .key(name())
      default: throw fault("expected a name after #")
      }
    case UInt8(ascii: "$"): return .variable(try name(after: "$"))
    case UInt8(ascii: "@"): return .collectionOperator(try name(after: "@"))
    default: return .sign(try sign(first))
    }
  }

  /// Returns whether a token ends a value.
  private static func endsValue(_ kind: FormatToken.Kind, isBehindDot: Bool) -> Bool {
    switch kind {
    case .name(_, let word?): isBehindDot || word.isValue
    case .name, .key, .variable, .collectionOperator, .string, .integer, .number, .argument: true
    case .sign(.close), .sign(.closeList), .sign(.closeIndex): true
    case .sign, .end: false
    }
  }

  /// True if an argument follows options in brackets here: `==[c] %@`.
  private var isArgumentBehindOptions: Bool {
    var before = offset - 1
    while before >= 0, Self.isSpace(bytes[before]) { before -= 1 }
    guard before >= 0, bytes[before] == UInt8(ascii: "]") else { return false }
    var ahead = self
    guard (try? ahead.argument()) != nil else { return false }
    return !FormatName.isInName(ahead.byte())
  }

  private mutating func name(after sign: String) throws -> String {
    advance()
    guard FormatName.beginsName(byte()) else { throw fault("expected a name after \(sign)") }
    return name()
  }

  private mutating func name() -> String {
    let start = offset
    while FormatName.isInName(byte()) { offset += 1 }
    return source.text(start..<offset)
  }

  private mutating func sign(_ first: UInt8) throws -> FormatSign {
    // Every sign of one or two characters, the longer ones first.
    let start = offset
    let second = byte(1)
    let long: FormatSign? =
      switch (first, second) {
      case (UInt8(ascii: "="), UInt8(ascii: "=")): .equal
      case (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")): .notEqual
      case (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: "="), UInt8(ascii: "<")):
        .lessOrEqual
      case (UInt8(ascii: ">"), UInt8(ascii: "=")), (UInt8(ascii: "="), UInt8(ascii: ">")):
        .greaterOrEqual
      case (UInt8(ascii: "*"), UInt8(ascii: "*")): .power
      case (UInt8(ascii: "<"), UInt8(ascii: "<")): .shiftLeft
      case (UInt8(ascii: ">"), UInt8(ascii: ">")): .shiftRight
      case (UInt8(ascii: "&"), UInt8(ascii: "&")): .and
      case (UInt8(ascii: "|"), UInt8(ascii: "|")): .or
      default: nil
      }
    if let long {
      advance(2)
      return long
    }
    advance()
    if first == UInt8(ascii: "=") { return .equal }
    let text = String(UnicodeScalar(first))
    if let sign = FormatSign(rawValue: text) { return sign }
    switch first {
    case UInt8(ascii: "\\"): throw fault("a backslash has a meaning only inside quotes", at: start)
    default: throw fault("\(text) has no meaning here", at: start)
    }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }
}
