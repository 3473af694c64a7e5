/// A field of a record of CSV: where its text lies in the bytes of the record, without quotes.
struct CSVSpan {
  var start: Int
  var count: Int
  var isQuoted: Bool

  /// The text of the field.
  @inline(__always)
  func bytes(in record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: record[start..<start &+ count])
  }

  /// The location of the field, with its quote, in a record of one line that begins at a location.
  func location(in record: UnsafeRawBufferPointer, from first: ImportLocation) -> ImportLocation {
    first.moved(past: isQuoted ? start - 1 : start, of: record)
  }
}

extension ImportLocation {
  /// The location after some bytes of a line.
  func moved(past count: Int, of line: UnsafeRawBufferPointer) -> ImportLocation {
    // The bytes that go on with a scalar are not counted.
    let scalars = line[..<count].count { $0 & 0xC0 != 0x80 }
    return ImportLocation(line: self.line, column: column + scalars, byte: byte + count)
  }
}

/// The form of the JSON objects that the records of one source of CSV are made into.
final class CSVObjectForm {
  /// The fields and their members; a copy of it writes a record.
  let text: CSVRecordText

  init(_ text: CSVRecordText) { self.text = text }
}

extension RawRecord {
  /// Calls a closure with the record as JSON.
  func withJSON<Result>(_ body: (RawRecord) throws -> Result) throws -> Result {
    guard let csv else { return try body(self) }
    var text = csv.text
    try text.write(bytes, spans) { spans[$0].location(in: bytes, from: location) }
    var record = self
    record.spans = UnsafeBufferPointer(start: nil, count: 0)
    record.details = RecordDetails(fields: text.locations)
    return try text.utf8.withUnsafeBytes {
      record.bytes = $0
      return try body(record)
    }
  }
}
