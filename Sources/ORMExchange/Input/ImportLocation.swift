/// A location in a source: line and column from 1, and the byte from 0.
///
/// A column is counted in Unicode scalars, as editors show it.
public struct ImportLocation: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The column in Unicode scalars, from 1.
  public var column: Int
  /// The byte, from 0.
  public var byte: Int

  /// Makes a location.
  public init(line: Int = 1, column: Int = 1, byte: Int = 0) {
    self.line = line
    self.column = column
    self.byte = byte
  }

  /// The location in words: `line 3, column 14, byte 220`.
  public var description: String { "line \(line), column \(column), byte \(byte)" }
}

/// The location of a record in its source.
struct RecordOrigin: Sendable {
  var location = ImportLocation()
  /// The path of the record, such as `data.items[17]`; empty where lines locate records.
  var path = ""
  /// The fields of a record of CSV: where each begins in the JSON made of it, and in the source.
  var fields: [(offset: Int, location: ImportLocation)] = []

  /// The location of the field that a byte of the record is in; nil for a record that is JSON
  /// itself.
  func location(ofField byte: Int) -> ImportLocation? {
    guard !fields.isEmpty else { return nil }
    return fields.last { $0.offset <= byte }?.location ?? location
  }
}

/// A record of a source, valid for the length of a call.
struct RawRecord {
  /// The record as JSON; the record of CSV as in the source, where there is a list of its fields.
  var bytes: UnsafeRawBufferPointer
  /// The fields of a record of CSV that is not JSON yet: each lies inside of the bytes.
  var spans = UnsafeBufferPointer<CSVSpan>(start: nil, count: 0)
  /// The record's number in the source, from 1.
  var number = 0
  /// The location of the record's first byte.
  var location: ImportLocation
  /// The record's other properties; nil for a line of JSON Lines, so that a copy costs little.
  var details: RecordDetails?

  /// The number of objects and arrays around it.
  var depth: Int { details?.depth ?? 0 }
  /// The name of the member that it is, in a keyed list.
  var name: String? { details?.name }
  /// The form that makes the record JSON; nil for one that is.
  var csv: CSVObjectForm? { details?.csv }
  /// The reason why the source cannot give the record.
  var fault: (any Error)? { details?.fault }

  /// The location of the record in its source.
  var origin: RecordOrigin {
    guard let details else { return RecordOrigin(location: location) }
    return RecordOrigin(location: location, path: details.path, fields: details.fields)
  }
}

/// The properties of a record beside its bytes and its location, which records may share.
final class RecordDetails {
  let depth: Int
  let name: String?
  /// The path of the record, such as `data.items[17]`.
  let path: String
  /// The fields of a record of CSV that was made JSON.
  let fields: [(offset: Int, location: ImportLocation)]
  let csv: CSVObjectForm?
  let fault: (any Error)?

  init(
    depth: Int = 0, name: String? = nil, path: String = "",
    fields: [(offset: Int, location: ImportLocation)] = [], csv: CSVObjectForm? = nil,
    fault: (any Error)? = nil
  ) {
    self.depth = depth
    self.name = name
    self.path = path
    self.fields = fields
    self.csv = csv
    self.fault = fault
  }
}
