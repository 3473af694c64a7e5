internal import FoundationEssentials
internal import ORMCore

/// A row of an ordered store: reads its columns straight out of the record's bytes.
///
/// A row is valid only while the bytes are and the columns live; the cursor sees to both.
struct RecordReader: RowReader {
  /// The record.
  var view: RecordView
  private let fields: UnsafeBufferPointer<RecordField>

  init(_ columns: RowColumns) {
    view = RecordView(columns.layout)
    fields = columns.fields
  }

  @inline(__always)
  var columnCount: Int { fields.count }

  /// The field of a column; a column that is none is an error of the caller, and no trap.
  @inline(__always)
  private func field(_ column: Int) throws -> RecordField {
    guard column >= 0, column < fields.count else { throw outside(column) }
    return fields[column]
  }

  @inline(never)
  private func outside(_ column: Int) -> StoreError {
    StoreError(
      .decoding, "the row has no column \(column)", entity: view.layout.entity.modelName)
  }

  func isNull(at column: Int) throws -> Bool { view.isNull(try field(column)) }
  func bool(at column: Int) throws -> Bool { try view.bool(try field(column)) }
  func int64(at column: Int) throws -> Int64 { try view.int64(try field(column)) }
  func uint64(at column: Int) throws -> UInt64 { try view.uint64(try field(column)) }
  func double(at column: Int) throws -> Double { try view.double(try field(column)) }
  func string(at column: Int) throws -> String { try view.string(try field(column)) }
  func data(at column: Int) throws -> Data { try view.data(try field(column)) }
  func date(at column: Int) throws -> Date { try view.date(try field(column)) }
  func uuid(at column: Int) throws -> UUID { try view.uuid(try field(column)) }
  func decimal(at column: Int) throws -> Decimal { try view.decimal(try field(column)) }
  func array(at column: Int) throws -> [StoredValue] { try view.array(try field(column)) }
  func json(at column: Int) throws -> String { try view.json(try field(column)) }
  func value(at column: Int) throws -> StoredValue { try view.value(try field(column)) }
  func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    try view.withBytes(try field(column), body)
  }
}
