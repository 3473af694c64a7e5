internal import FoundationEssentials
internal import ORM

/// Reads values out of text that is known to be JSON.
enum ValueReading {
  /// The value of a type in its usual form; nil for any other, null included.
  static func value(_ scanner: inout JSONScanner, as type: AttributeType) -> StoredValue? {
    scanner.skipSpace()
    switch type {
    case .bool:
      if scanner.skip(word: "true") { return .bool(true) }
      return scanner.skip(word: "false") ? .bool(false) : nil
    case .string: return text(&scanner).map { .string($0) }
    case .data, .date, .uuid: return text(&scanner).flatMap { value(ofText: $0, as: type) }
    case .json:
      let start = scanner.position
      guard scanner.next != UInt8(ascii: "n"), scanner.skipValue() else { return nil }
      let text = String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)
      return (try? JSONText.canonical(text)).map { .json($0) }
    case .array(let element):
      guard scanner.next == UInt8(ascii: "[") else { return nil }
      var elements: [StoredValue] = []
      var isWhole = true
      forEachElement(&scanner) { inner in
        if isWhole, let value = value(&inner, as: element) {
          elements.append(value)
        } else {
          isWhole = false
        }
      }
      return isWhole ? .array(elements) : nil
    default: return scanner.number().flatMap { value(of: $0, in: scanner, as: type) }
    }
  }

  /// The value of a number; nil for one that the type does not hold.
  static func value(
    of token: JSONScanner.NumberToken, in scanner: JSONScanner, as type: AttributeType
  ) -> StoredValue? {
    value(ofNumber: scanner.text(of: token), isInteger: token.isInteger, as: type)
  }

  /// The value of a number as it is written.
  ///
  /// An integer may have a fraction or exponent that leaves it whole. A double is the nearest one,
  /// but an integer must be exact or the shortest digits of the double, and only `9e999`, which the codec writes, is infinite.
  private static func value(
    ofNumber text: String, isInteger: Bool, as type: AttributeType
  ) -> StoredValue? {
    switch type.kind {
    case .int:
      guard let number = JSONValue.number(text).integer, type.integerRange?.contains(number) == true
      else { return nil }
      return .int(number)
    case .unsigned: return JSONValue.number(text).unsigned.map { .unsigned($0) }
    case .decimal: return DecimalText.decimal(from: text).map { .decimal($0) }
    case .double:
      // A float is read as one, so that the number is rounded once.
      guard let double = type == .float ? Float(text).map({ Double($0) }) : Double(text) else {
        return nil
      }
      guard double.isFinite else {
        return text == JSONWriter.text(of: double) ? .double(double) : nil
      }
      if isInteger {
        // The digits are all of the double's, or its shortest ones, as JavaScript writes them.
        guard let exact = DecimalText.decimal(from: text),
          exact == DecimalText.decimal(from: plain(double))
            || exact == DecimalText.decimal(from: double.description)
        else { return nil }
      }
      return .double(double)
    default: return nil
    }
  }

  /// The digits of a whole double, all of them.
  private static func plain(_ double: Double) -> String {
    Int128(exactly: double).map { String($0) } ?? double.description
  }

  /// The value of a text in the usual form of a type; for numbers, of their digits.
  static func value(ofText text: String, as type: AttributeType) -> StoredValue? {
    switch type.kind {
    case .int, .unsigned, .double, .decimal:
      return text.withBytes { bytes in
        var scanner = JSONScanner(bytes)
        guard let token = scanner.number(), scanner.isAtEnd else { return nil }
        return value(of: token, in: scanner, as: type)
      }
    case .bool, .array, .json: return nil
    default: return TextValue.value(of: text, as: type)
    }
  }

  /// The text of a string; nil for any other value.
  static func text(_ scanner: inout JSONScanner) -> String? {
    scanner.string().flatMap { scanner.text(of: $0) }
  }

  // MARK: - Paths

  /// Moves to the value at a path; false where there is none.
  static func enter(_ path: ArraySlice<PathStep>, _ scanner: inout JSONScanner) -> Bool {
    for step in path {
      switch step {
      case .name(let name):
        guard ByteOrder.withBytes(of: name, { scanner.enterMember($0) }) else { return false }
      case .index(let index): guard scanner.enterElement(index) else { return false }
      case .each: return false
      }
      scanner.skipSpace()
    }
    return true
  }

  /// Calls a closure with a scanner at each element of an array; with none for any other value.
  static func forEachElement(
    _ scanner: inout JSONScanner, _ body: (inout JSONScanner) throws -> Void
  ) rethrows {
    guard scanner.skip(UInt8(ascii: "[")) else { return }
    if scanner.skip(UInt8(ascii: "]")) { return }
    repeat {
      scanner.skipSpace()
      var inner = scanner
      try body(&inner)
      guard scanner.skipValue() else { return }
    } while scanner.skip(UInt8(ascii: ","))
    _ = scanner.skip(UInt8(ascii: "]"))
  }
}

extension String {
  /// Calls a closure with the text in UTF-8.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    var text = self
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}
