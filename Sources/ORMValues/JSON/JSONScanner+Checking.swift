extension JSONScanner {
  /// The limits that text from elsewhere is held to.
  package struct Limits: Sendable {
    /// The greatest depth to which objects and arrays may be nested.
    package var depth = 200
    /// The most members of one object.
    package var members = 100_000
    /// The most bytes of a member's name.
    package var nameSize = 64 << 10
    /// The most bytes of a number.
    package var digits = 10_000

    package init() {}
  }

  /// Moves past one value and checks every byte of it; the text must be UTF-8.
  ///
  /// - Parameters:
  ///   - limits: the greatest size of each part.
  ///   - depth: the number of objects and arrays around the value.
  /// - Returns: nil, or the fault at the position where the scanner stopped.
  package mutating func skipChecked(_ limits: Limits, depth: Int) -> String? {
    skipSpace()
    switch next {
    case .quote: return string() == nil ? "a string that is not JSON" : nil
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return skipContainer(limits, depth: depth)
    case UInt8(ascii: "t") where skip(word: "true"): return nil
    case UInt8(ascii: "f") where skip(word: "false"): return nil
    case UInt8(ascii: "n") where skip(word: "null"): return nil
    default:
      guard let token = number() else { return "no JSON value" }
      return token.range.count > limits.digits
        ? "a number of more than \(limits.digits) digits" : nil
    }
  }

  private mutating func skipContainer(_ limits: Limits, depth: Int) -> String? {
    if depth >= limits.depth { return "more than \(limits.depth) nested objects and arrays" }
    let isObject = next == UInt8(ascii: "{")
    let end = UInt8(ascii: isObject ? "}" : "]")
    position += 1
    if skip(end) { return nil }
    var count = 0
    repeat {
      if isObject {
        count += 1
        if count > limits.members { return "more than \(limits.members) members" }
        if let fault = skipName(limits) { return fault }
      }
      if let fault = skipChecked(limits, depth: depth + 1) { return fault }
    } while skip(UInt8(ascii: ","))
    return skip(end) ? nil : "no comma and no closing bracket after a value"
  }

  /// Moves past the name of a member and its colon.
  private mutating func skipName(_ limits: Limits) -> String? {
    skipSpace()
    guard let name = string() else { return "no name of a member" }
    if name.range.count > limits.nameSize { return "a name of more than \(limits.nameSize) bytes" }
    return skip(UInt8(ascii: ":")) ? nil : "no colon after a name"
  }

  /// The position of the first byte that is not UTF-8; nil if there is none.
  package static func firstInvalidByte(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    var offset = 0
    while offset < bytes.count {
      while offset &+ 16 <= bytes.count {
        let low = (start + offset).loadUnaligned(as: UInt64.self)
        let high = (start + offset + 8).loadUnaligned(as: UInt64.self)
        if (low | high) & 0x8080_8080_8080_8080 != 0 { break }
        offset &+= 16
      }
      if offset == bytes.count { break }
      let before = offset
      let scalar = UTF8Scalars.next(bytes, &offset)
      // The replacement character itself takes three bytes.
      if scalar == UTF8Scalars.replacement, offset == before + 1 { return before }
    }
    return nil
  }
}
