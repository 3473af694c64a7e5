/// A place in a source: line and column from 1, and the byte from 0.
///
/// A column is counted in Unicode scalars, as editors show it.
public struct ImportPlace: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The column in Unicode scalars, from 1.
  public var column: Int
  /// The byte, from 0.
  public var byte: Int

  /// Makes a place.
  public init(line: Int = 1, column: Int = 1, byte: Int = 0) {
    self.line = line
    self.column = column
    self.byte = byte
  }

  /// The place in words: `line 3, column 14, byte 220`.
  public var description: String { "line \(line), column \(column), byte \(byte)" }
}

/// The place of a record in its source.
struct RecordOrigin: Sendable {
  var place = ImportPlace()
  /// The path of the record, such as `data.items[17]`; empty where its lines tell records apart.
  var path = ""
  /// The fields of a record of CSV: where each begins in the JSON made of it, and in the source.
  var fields: [(offset: Int, place: ImportPlace)] = []

  /// The place of the field that a byte of the record is in; nil for a record that is JSON itself.
  func place(ofField byte: Int) -> ImportPlace? {
    guard !fields.isEmpty else { return nil }
    return fields.last { $0.offset <= byte }?.place ?? place
  }
}

/// A record of a source, valid for the length of a call.
struct RawRecord {
  /// The record as JSON.
  var bytes: UnsafeRawBufferPointer
  /// Its number in the source, from 1.
  var number = 0
  /// The number of objects and arrays around it.
  var depth = 0
  /// The name of the member that it is, in a keyed list.
  var name: String?
  var origin: RecordOrigin
  /// The reason why the source cannot give the record.
  var fault: (any Error)?
}
