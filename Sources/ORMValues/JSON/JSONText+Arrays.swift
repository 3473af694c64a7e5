internal import FoundationEssentials

extension JSONText {
  /// The text that stores keep of an array where their engine has none: lossless and readable.
  ///
  /// Null, booleans, integers and strings are plain. Doubles are the shortest numbers that read
  /// back to the bit, always with a point or an exponent; infinities are `9e999` and `-9e999`.
  /// Dates are their seconds as such a double, data is base64, UUIDs, decimals and JSON texts are
  /// strings. There is no space. NaN, which no array holds, would be null.
  package static func encode(array elements: [StoredValue]) -> String {
    var writer = JSONWriter()
    write(elements, to: &writer)
    return writer.text
  }

  private static func write(_ elements: [StoredValue], to writer: inout JSONWriter) {
    writer.beginArray()
    for element in elements {
      switch element {
      case _ where element.isNaN: writer.literal("null")
      case .null: writer.literal("null")
      case .bool(let value): writer.literal(value ? "true" : "false")
      case .int(let value): writer.literal(String(value))
      case .uint(let value): writer.literal(String(value))
      case .double(let value): writer.literal(JSONWriter.text(of: value))
      case .date(let value):
        writer.literal(JSONWriter.text(of: value.timeIntervalSinceReferenceDate))
      case .string(let value), .json(let value): writer.string(value)
      case .data(let value): writer.string(value.base64EncodedString())
      case .uuid(let value): writer.string(value.uuidString)
      case .decimal(let value): writer.string(DecimalText.text(of: value))
      case .array(let value): write(value, to: &writer)
      }
    }
    writer.end()
  }

  /// Reads the text of an array whose elements are declared as a type.
  ///
  /// Throws `decoding` when the text is no JSON array, or an element is not of the type or outside
  /// its range; a null element is always read.
  package static func decode(
    array text: String, element: AttributeType
  ) throws -> [StoredValue] {
    var copy = text
    return try copy.withUTF8 { utf8 in
      var scanner = JSONScanner(UnsafeRawBufferPointer(utf8))
      let elements = try scanner.elements(element)
      scanner.skipSpace()
      guard scanner.isAtEnd else { throw scanner.fault("unexpected text after its end") }
      return elements
    }
  }
}

extension JSONScanner {
  fileprivate mutating func elements(_ type: AttributeType) throws -> [StoredValue] {
    guard skip(UInt8(ascii: "[")) else { throw fault("no opening bracket") }
    var elements: [StoredValue] = []
    if skip(UInt8(ascii: "]")) { return elements }
    repeat {
      skipSpace()
      if skip(word: "null") {
        elements.append(.null)
      } else if case .array(let inner) = type {
        elements.append(.array(try self.elements(inner)))
      } else if let element = element(type) {
        elements.append(element)
      } else {
        throw fault("an element that is not a \(type.kind.rawValue), or out of its range")
      }
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw fault("no closing bracket") }
    return elements
  }

  private mutating func element(_ type: AttributeType) -> StoredValue? {
    switch type.kind {
    case .bool: skip(word: "true") ? .bool(true) : (skip(word: "false") ? .bool(false) : nil)
    case .int:
      number().flatMap { integer(of: $0, as: Int64.self) }.flatMap { value in
        type.integerRange?.contains(value) == true ? .int(value) : nil
      }
    case .unsigned:
      number().flatMap { integer(of: $0, as: UInt64.self) }.map(StoredValue.unsigned)
    case .double: number().map { .double(double(of: $0)) }
    case .date: number().map { .date(Date(timeIntervalSinceReferenceDate: double(of: $0))) }
    case .string: text().map(StoredValue.string)
    case .json: text().map(StoredValue.json)
    case .data: text().flatMap { Data(base64Encoded: $0) }.map(StoredValue.data)
    case .uuid: text().flatMap { UUID(uuidString: $0) }.map(StoredValue.uuid)
    case .decimal: text().flatMap(DecimalText.decimal(from:)).map(StoredValue.decimal)
    case .array: nil
    }
  }

  private mutating func text() -> String? {
    string().flatMap { text(of: $0) }
  }

  fileprivate func fault(_ what: String) -> StoreError {
    StoreError(.decoding, "not the text of an array: \(what) at byte \(position)")
  }
}
