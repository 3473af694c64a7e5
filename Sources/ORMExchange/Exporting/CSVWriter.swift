internal import ORM

/// Writes fields of CSV, in quotes where they must be.
struct CSVWriter {
  /// The text so far.
  private(set) var utf8: [UInt8] = []
  private let delimiter: [UInt8]
  private let quote: Unicode.Scalar
  /// The characters that a field without quotes does not have, beside line ends; nil where one of
  /// them is not ASCII, and every field is in quotes.
  private let special: (delimiter: UInt8, quote: UInt8, comment: UInt8)?

  init(_ format: CSVFormat) {
    delimiter = Array(String(Character(format.delimiter)).utf8)
    quote = format.quote
    let comment = format.comment ?? format.quote
    special =
      format.delimiter.isASCII && format.quote.isASCII && comment.isASCII
      ? (
        UInt8(truncatingIfNeeded: format.delimiter.value),
        UInt8(truncatingIfNeeded: format.quote.value), UInt8(truncatingIfNeeded: comment.value)
      ) : nil
  }

  /// Passes the text so far to a closure, and begins anew in the same memory.
  mutating func take(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try utf8.withUnsafeBytes(body)
    utf8.removeAll(keepingCapacity: true)
  }

  /// Adds the delimiter between two fields.
  @inline(__always)
  mutating func separate() {
    if delimiter.count == 1 { utf8.append(delimiter[0]) } else { utf8 += delimiter }
  }

  /// Ends a record.
  @inline(__always)
  mutating func endRecord() { utf8.append(UInt8(ascii: "\n")) }

  /// Adds the field of an attribute whose text is that of its value; false for others.
  @inline(__always)
  mutating func append(_ value: StoredValue, _ form: FlatWriting.Form) -> Bool {
    switch (form, value) {
    case (_, .null): return true
    case (.plain, .string(let text)): append(text: text)
    case (.plain, .int(let number)): append(number)
    case (.plain, .bool(let value)): append(field: value ? "true" : "false")
    case (.plain, .double(let number)) where !number.isNaN:
      append(field: JSONWriter.text(of: number))
    default: return false
    }
    return true
  }

  /// Adds the field of a value of JSON.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - isJSON: whether the field is read as JSON, so that a text which reads as JSON is in its
  ///     quotes.
  mutating func append(_ value: JSONValue, isJSON: Bool = false) {
    switch value {
    case .null: break
    case .string(let text) where isJSON && (try? JSONText.validate(text)) != nil:
      append(field: value.text)
    case .string(let text): append(text: text)
    default: append(field: value.text)
    }
  }

  /// Adds the field of a text; one that is empty is in quotes.
  private mutating func append(text: String) {
    if text.isEmpty { appendQuoted("") } else { append(field: text) }
  }

  /// Adds a field.
  mutating func append(field: String) {
    var field = field
    let staysPlain = field.withUTF8 { bytes in
      guard isPlain(bytes) else { return false }
      utf8.append(contentsOf: bytes)
      return true
    }
    if !staysPlain { appendQuoted(field) }
  }

  private mutating func append(_ number: Int64) {
    // The last digit comes first; there are at most 19, and a sign.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var first = digits.count
      var rest = number.magnitude
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if number < 0 {
        first -= 1
        digits[first] = UInt8(ascii: "-")
      }
      let text = UnsafeMutableBufferPointer(rebasing: digits[first...])
      // A digit or the sign may be the delimiter or begin a comment.
      if isPlain(UnsafeBufferPointer(text)) {
        utf8.append(contentsOf: text)
      } else {
        appendQuoted(String(number))
      }
    }
  }

  /// Returns whether a field needs no quotes.
  ///
  /// It looks at bytes, since every special character is ASCII.
  @inline(__always)
  private func isPlain(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = field.first, let last = field.last else { return true }
    guard let special else { return false }
    if first == UInt8(ascii: " ") || last == UInt8(ascii: " ") || isMark(field) { return false }
    // Without an early end, several bytes are compared at once.
    var isSpecial = false
    for byte in field {
      let isOne =
        byte == special.delimiter || byte == special.quote || byte == special.comment
        || byte == 0x0A || byte == 0x0D
      isSpecial = isSpecial || isOne
    }
    return !isSpecial
  }

  /// Returns whether a field begins as a file with a byte order mark does.
  @inline(__always)
  private func isMark(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    field.count >= 3 && field[0] == 0xEF && field[1] == 0xBB && field[2] == 0xBF
  }

  private mutating func appendQuoted(_ field: String) {
    let mark = String(Character(quote)).utf8
    utf8.append(contentsOf: mark)
    var field = field
    let hasQuotes = field.withUTF8 { bytes in
      // A quote that is not ASCII is looked for by its first byte.
      if bytes.contains(mark[mark.startIndex]) { return true }
      utf8.append(contentsOf: bytes)
      return false
    }
    if hasQuotes {
      for scalar in field.unicodeScalars {
        if scalar == quote { utf8.append(contentsOf: mark) }
        if let units = UTF8.encode(scalar) { utf8.append(contentsOf: units) }
      }
    }
    utf8.append(contentsOf: mark)
  }
}
