/// JSON texts as stores keep them: read exactly, looked into without building anything.
package enum JSONText {
  /// Checks that a text is JSON; `decoding` with the position if it is not.
  package static func validate(_ text: String) throws {
    var checker = Checker()
    try parse(text, &checker)
  }

  /// The same JSON without space between its tokens.
  ///
  /// Members keep their order, doubles of a name included; numbers stay as they are written; strings
  /// escape only characters that need it. Throws `decoding` when the text is not JSON.
  package static func canonical(_ text: String) throws -> String {
    var minifier = Minifier()
    try parse(text, &minifier)
    return minifier.writer.text
  }

  static func parse<Handler: JSONHandler>(_ text: String, _ handler: inout Handler) throws {
    var copy = text
    try copy.withUTF8 { utf8 in
      var parser = JSONParser(UnsafeRawBufferPointer(utf8))
      try parser.parse(&handler)
    }
  }

  private struct Checker: JSONHandler {
    mutating func beginObject() {}
    mutating func beginArray() {}
    mutating func end() {}
    mutating func key(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {}
    mutating func string(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {}
    mutating func number(_ token: JSONScanner.NumberToken, in scanner: JSONScanner) {}
    mutating func bool(_ value: Bool) {}
    mutating func null() {}
  }

  private struct Minifier: JSONHandler {
    var writer = JSONWriter()
    mutating func beginObject() { writer.beginObject() }
    mutating func beginArray() { writer.beginArray() }
    mutating func end() { writer.end() }
    mutating func key(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {
      writer.key(scanner.text(of: token) ?? "")
    }
    mutating func string(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {
      writer.string(scanner.text(of: token) ?? "")
    }
    mutating func number(_ token: JSONScanner.NumberToken, in scanner: JSONScanner) {
      writer.literal(scanner.text(of: token))
    }
    mutating func bool(_ value: Bool) { writer.literal(value ? "true" : "false") }
    mutating func null() { writer.literal("null") }
  }
}
