internal import ORM

extension CSVFormat {
  /// Adds the delimiter between two fields.
  func appendDelimiter(to csv: inout [UInt8]) {
    if delimiter.isASCII {
      csv.append(UInt8(truncatingIfNeeded: delimiter.value))
    } else {
      csv.append(contentsOf: String(Character(delimiter)).utf8)
    }
  }

  /// Adds the field of an attribute whose text is that of its value; false for others.
  func append(_ value: StoredValue, _ form: FlatWriting.Form, to csv: inout [UInt8]) -> Bool {
    switch (form, value) {
    case (_, .null): return true
    case (.plain, .string(let text)): append(text: text, to: &csv)
    case (.plain, .int(let number)): append(field: String(number), to: &csv)
    case (.plain, .bool(let value)): append(field: value ? "true" : "false", to: &csv)
    case (.plain, .double(let number)) where !number.isNaN:
      append(field: JSONWriter.text(of: number), to: &csv)
    default: return false
    }
    return true
  }

  /// Adds the field of a value of JSON.
  func append(_ value: JSONValue, to csv: inout [UInt8]) {
    switch value {
    case .null: break
    case .string(let text): append(text: text, to: &csv)
    default: append(field: value.text, to: &csv)
    }
  }

  /// Adds the field of a text; one that is empty is in quotes.
  private func append(text: String, to csv: inout [UInt8]) {
    if text.isEmpty { appendQuoted("", to: &csv) } else { append(field: text, to: &csv) }
  }

  /// Adds a field, in quotes where it must be.
  func append(field: String, to csv: inout [UInt8]) {
    var field = field
    let start = csv.count
    let staysPlain = field.withUTF8 { utf8 in
      csv.append(contentsOf: utf8)
      return isPlain(utf8)
    }
    if staysPlain { return }
    csv.removeSubrange(start...)
    appendQuoted(field, to: &csv)
  }

  /// Returns whether a field needs no quotes, byte by byte: what is special is ASCII.
  private func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = utf8.first, let last = utf8.last else { return true }
    if first == UInt8(ascii: " ") || last == UInt8(ascii: " ") { return false }
    if utf8.starts(with: [0xEF, 0xBB, 0xBF]) { return false }
    guard delimiter.isASCII, quote.isASCII, comment?.isASCII != false else { return false }
    let delimiter = UInt8(truncatingIfNeeded: delimiter.value)
    let quote = UInt8(truncatingIfNeeded: quote.value)
    let comment = comment.map { UInt8(truncatingIfNeeded: $0.value) } ?? quote
    for byte in utf8
    where byte == delimiter || byte == quote || byte == comment || byte == 0x0A || byte == 0x0D {
      return false
    }
    return true
  }

  private func appendQuoted(_ field: String, to csv: inout [UInt8]) {
    let mark = String(Character(quote)).utf8
    csv.append(contentsOf: mark)
    if field.unicodeScalars.contains(quote) {
      for scalar in field.unicodeScalars {
        if scalar == quote { csv.append(contentsOf: mark) }
        if let units = UTF8.encode(scalar) { csv.append(contentsOf: units) }
      }
    } else {
      var field = field
      field.withUTF8 { csv.append(contentsOf: $0) }
    }
    csv.append(contentsOf: mark)
  }
}
