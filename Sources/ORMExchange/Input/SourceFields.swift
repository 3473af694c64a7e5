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
  /// Calls a closure with the fields of each record: names, values, and places.
  ///
  /// Names of CSV are names, and no paths. The place of a field of JSON is that of its record.
  ///
  /// - Throws: `invalidImport` for a record that cannot be read.
  package func forEachRecord(
    _ body: ([(name: String, field: SourceField, place: ImportPlace)]) throws -> Void
  ) throws {
    let isText = if case .csv = format { true } else { false }
    let reading = JSONReading(SharedTargets(), isText: true)
    let form = RecordForm(entity: "", splitsNames: false)
    try forEachRecord(of: ImportFile(content), limits: ImportLimits(), form) { record in
      if let fault = record.fault { throw fault }
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
      let fields = members.enumerated().map { index, member in
        let place = isText ? record.origin.fields[index].place : record.origin.place
        let field: SourceField =
          switch member.value {
          case .double: .number(member.text)
          case .string(let text) where isText: .text(text)
          case let value: .value(value)
          }
        return (member.name, field, place)
      }
      try body(fields)
    }
  }
}
