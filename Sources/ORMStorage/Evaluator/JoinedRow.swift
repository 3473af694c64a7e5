internal import FoundationEssentials
internal import ORMValues

/// A row under a cursor and values beside it, as one row: the columns of the first, then the values.
///
/// It points at the row and is valid for the call alone in which it was made.
struct JoinedRow<Row: RowReader & ~Copyable>: RowReader {
  private let row: UnsafePointer<Row>
  /// The number of columns of the row that count.
  private let width: Int
  private let beside: BufferedRow

  init(_ row: UnsafePointer<Row>, width: Int, beside: BufferedRow) {
    self.row = row
    self.width = width
    self.beside = beside
  }

  var columnCount: Int { width + beside.columnCount }
  func isNull(at column: Int) throws -> Bool {
    column < width ? try row.pointee.isNull(at: column) : try beside.isNull(at: column - width)
  }
  func bool(at column: Int) throws -> Bool {
    column < width ? try row.pointee.bool(at: column) : try beside.bool(at: column - width)
  }
  func int64(at column: Int) throws -> Int64 {
    column < width ? try row.pointee.int64(at: column) : try beside.int64(at: column - width)
  }
  func uint64(at column: Int) throws -> UInt64 {
    column < width ? try row.pointee.uint64(at: column) : try beside.uint64(at: column - width)
  }
  func double(at column: Int) throws -> Double {
    column < width ? try row.pointee.double(at: column) : try beside.double(at: column - width)
  }
  func string(at column: Int) throws -> String {
    column < width ? try row.pointee.string(at: column) : try beside.string(at: column - width)
  }
  func data(at column: Int) throws -> Data {
    column < width ? try row.pointee.data(at: column) : try beside.data(at: column - width)
  }
  func date(at column: Int) throws -> Date {
    column < width ? try row.pointee.date(at: column) : try beside.date(at: column - width)
  }
  func uuid(at column: Int) throws -> UUID {
    column < width ? try row.pointee.uuid(at: column) : try beside.uuid(at: column - width)
  }
  func decimal(at column: Int) throws -> Decimal {
    column < width ? try row.pointee.decimal(at: column) : try beside.decimal(at: column - width)
  }
  func array(at column: Int) throws -> [StoredValue] {
    column < width ? try row.pointee.array(at: column) : try beside.array(at: column - width)
  }
  func json(at column: Int) throws -> String {
    column < width ? try row.pointee.json(at: column) : try beside.json(at: column - width)
  }
  func value(at column: Int) throws -> StoredValue {
    column < width ? try row.pointee.value(at: column) : try beside.value(at: column - width)
  }
  func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    column < width
      ? try row.pointee.withBytes(at: column, body)
      : try beside.withBytes(at: column - width, body)
  }
}
