internal import ORM

/// A field of a record as its source has it, apart from any entity.
package enum SourceField {
  /// A field of CSV.
  case text(String)
  /// A value of JSON, or null for an empty field of CSV.
  case value(StoredValue)
  /// A number of JSON that no Int64 is, as it is written.
  case number(String)

  /// True for null.
  package var isNull: Bool { if case .value(let value) = self { value.isNull } else { false } }
}

extension ImportFrom {
  /// Calls a closure with the fields of each record: names, values, and locations.
  ///
  /// Names of CSV are names, and no paths. The location of a field of JSON is that of its record.
  ///
  /// - Parameters:
  ///   - onBad: called with the error of a record that cannot be read; throws it unless given.
  ///   - body: called with the fields of every other record.
  /// - Throws: `invalidImport` for a source that cannot be read.
  package func forEachRecord(
    onBad: (StoreError) throws -> Void = { throw $0 },
    _ body: ([(name: String, field: SourceField, location: ImportLocation)]) throws -> Void
  ) throws {
    let isText = if case .csv = format { true } else { false }
    let reading = JSONReading(SharedTargets(), isText: true)
    let form = RecordForm(entity: "", splitsNames: false)
    try forEachRecord(of: ImportFile(content), limits: ImportLimits(), form) { record in
      var fields: [(name: String, field: SourceField, location: ImportLocation)] = []
      do {
        if let fault = record.fault { throw fault }
        if let found = record.fields {
          fields = found
        } else {
          try record.withJSON { fields = try self.fields(ofJSON: $0, reading, isText: isText) }
        }
      } catch let error as StoreError where error.isOfRecord {
        return try onBad(error)
      }
      try body(fields)
    }
  }

  private func fields(
    ofJSON record: RawRecord, _ reading: JSONReading, isText: Bool
  ) throws -> [(name: String, field: SourceField, location: ImportLocation)] {
    reading.origin = record.origin
    let scanner = try reading.scanner(of: record, entity: nil)
    var end = scanner
    try reading.skip(&end, depth: record.depth)
    end.skipSpace()
    guard end.isAtEnd else { throw reading.broken("text after the end", end) }
    guard scanner.next == UInt8(ascii: "{") else {
      throw JSONFault(
        offset: scanner.position, message: "expected an object, found \(scanner.found)"
      ).error(in: record.bytes, origin: record.origin)
    }
    let members = try JSONText.members(of: String(decoding: record.bytes, as: UTF8.self))
    let fields = record.origin.fields
    return members.enumerated().map { index, member in
      let location = isText ? fields[index].location : record.location
      let field: SourceField =
        switch member.value {
        case .double: .number(member.text)
        case .string(let text) where isText: .text(text)
        case let value: .value(value)
        }
      return (member.name, field, location)
    }
  }
}

extension RawRecord {
  /// The fields of a record of CSV that is not JSON yet; nil for any other, and where an empty field
  /// is not null.
  fileprivate var fields: [(name: String, field: SourceField, location: ImportLocation)]? {
    guard let text = csv?.text, text.format.empty == .null else { return nil }
    return spans.indices.map { index in
      let span = spans[index]
      let isNull = span.count == 0 && !span.isQuoted
      return (
        text.names[index],
        isNull ? .value(.null) : .text(String(decoding: span.bytes(in: bytes), as: UTF8.self)),
        span.location(in: bytes, from: location)
      )
    }
  }
}
