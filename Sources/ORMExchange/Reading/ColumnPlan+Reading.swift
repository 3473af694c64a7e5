internal import FoundationEssentials
internal import ORM

extension ColumnPlan {
  /// The value at the scanner's position, in text that is known to be JSON; nil for a value that the
  /// attribute's form refuses.
  ///
  /// - Throws: the error of a transform of the program.
  func value(_ scanner: inout JSONScanner) throws -> StoredValue? {
    try value(&scanner, in: format)
  }

  private func value(
    _ scanner: inout JSONScanner, in format: FieldFormat
  ) throws -> StoredValue? {
    let isText = scanner.next == UInt8(ascii: "\"")
    switch format {
    case .plain: return ValueReading.value(&scanner, as: type)
    case .number(let orText, writesText: _):
      guard isText else { return ValueReading.value(&scanner, as: type) }
      guard orText, let text = ValueReading.text(&scanner) else { return nil }
      return ValueReading.value(ofText: text, as: type)
    case .text: return Self.text(&scanner, isText).map { .string($0) }
    case .bool: return Self.bool(&scanner, isText).map { .bool($0) }
    case .date(let formats): return Self.date(&scanner, isText, formats).map { .date($0) }
    case .data(let data):
      return isText
        ? ValueReading.text(&scanner).flatMap { data.data(of: $0) }.map { .data($0) } : nil
    case .cases(let cases):
      return isText ? ValueReading.text(&scanner).flatMap { cases.value(of: $0) } : nil
    case .words: return nil
    case .member(let path, let format):
      guard scanner.next == UInt8(ascii: "{") else { return try value(&scanner, in: format) }
      guard ValueReading.enter(path[...], &scanner) else { return nil }
      return try value(&scanner, in: format)
    case .custom(let custom):
      let start = scanner.position
      guard scanner.skipValue() else { return nil }
      let text = String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)
      guard let value = try custom.read(JSONValue(parsing: text)) else { return nil }
      return type.fault(of: value, isOptional: isOptional) == nil ? value : nil
    }
  }

  /// The text of a string, a number as it is written, or a boolean.
  private static func text(_ scanner: inout JSONScanner, _ isText: Bool) -> String? {
    if isText { return ValueReading.text(&scanner) }
    if scanner.skip(word: "true") { return "true" }
    if scanner.skip(word: "false") { return "false" }
    return scanner.number().map { scanner.text(of: $0) }
  }

  private static func bool(_ scanner: inout JSONScanner, _ isText: Bool) -> Bool? {
    switch text(&scanner, isText)?.lowercased() {
    case "true", "yes", "y", "on", "1": true
    case "false", "no", "n", "off", "0": false
    default: nil
    }
  }

  private static func date(
    _ scanner: inout JSONScanner, _ isText: Bool, _ formats: [JSONDateFormat]
  ) -> Date? {
    if isText {
      guard let text = ValueReading.text(&scanner) else { return nil }
      return formats.lazy.compactMap { $0.date(text: text) }.first
    }
    guard let token = scanner.number() else { return nil }
    let number = scanner.double(of: token)
    // A number past the greatest double is infinite only in the form that is written.
    guard number.isFinite || scanner.text(of: token) == JSONWriter.text(of: number) else {
      return nil
    }
    return formats.lazy.compactMap { $0.date(number: number) }.first
  }
}

extension JSONDataFormat {
  /// The data of a text; nil for text that is none of the format.
  func data(of text: String) -> Data? {
    switch self {
    case .base64: return Data(base64Encoded: text)
    case .base64URL:
      let plain = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
      let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
      return Data(base64Encoded: plain + padding)
    case .hex:
      let digits = text.utf8.map { $0.hexDigit }
      guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
      let values = digits.compactMap { $0 }
      return Data(stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }
  }

  /// The text of data.
  func text(of data: Data) -> String {
    switch self {
    case .base64: data.base64EncodedString()
    case .base64URL:
      String(
        data.base64EncodedString().compactMap { letter -> Character? in
          letter == "=" ? nil : letter == "+" ? "-" : letter == "/" ? "_" : letter
        })
    case .hex:
      data.reduce(into: "") { text, byte in
        text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit; nil for any other byte.
  fileprivate var hexDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
