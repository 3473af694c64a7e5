public import FoundationEssentials

/// A row that lies in bytes in core's own form, as stores of keys and values keep rows: reads its
/// columns straight out of the bytes.
///
/// It is public so that models compile against it: see ``RecordCoded``. Stores make it; a row is
/// valid only while the bytes are and the columns live, and the cursor sees to both.
public struct RecordReader: RowReader {
  /// The record.
  @usableFromInline package var view: RecordView
  @usableFromInline let fields: UnsafeBufferPointer<RecordField>

  package init(_ columns: RowColumns) { self = columns.reader }

  init(_ layout: RecordLayout, _ fields: UnsafeBufferPointer<RecordField>) {
    view = RecordView(layout)
    self.fields = fields
  }

  /// The columns of a record that is at hand.
  @inlinable @inline(__always)
  package init(_ view: RecordView, _ columns: RowColumns) {
    self.view = view
    fields = columns.fields
  }

  /// How many columns the row has.
  @inlinable @inline(__always)
  public var columnCount: Int { fields.count }

  /// The field of a column; a column that is none is an error of the caller, and no trap.
  @inlinable @inline(__always)
  func field(_ column: Int) throws -> RecordField {
    guard column >= 0, column < fields.count else { throw outside(column) }
    return fields[column]
  }

  @inline(never) @usableFromInline
  func outside(_ column: Int) -> StoreError {
    StoreError(
      .decoding, "the row has no column \(column)", entity: view.layout.entity.modelName)
  }

  /// Whether the column is null.
  @inlinable @inline(__always)
  public func isNull(at column: Int) throws -> Bool { view.isNull(try field(column)) }
  /// The value of a `bool` column.
  @inlinable @inline(__always)
  public func bool(at column: Int) throws -> Bool { try view.bool(try field(column)) }
  /// The value of an integer column of any width but unsigned 64 bits.
  @inlinable @inline(__always)
  public func int64(at column: Int) throws -> Int64 { try view.int64(try field(column)) }
  /// The value of a `uint64` column.
  @inlinable @inline(__always)
  public func uint64(at column: Int) throws -> UInt64 { try view.uint64(try field(column)) }
  /// The value of a `double` or `float` column.
  @inlinable @inline(__always)
  public func double(at column: Int) throws -> Double { try view.double(try field(column)) }
  /// The value of a `string` column.
  @inlinable @inline(__always)
  public func string(at column: Int) throws -> String { try view.string(try field(column)) }
  /// The value of a `date` column.
  @inlinable @inline(__always)
  public func date(at column: Int) throws -> Date { try view.date(try field(column)) }
  /// The value of a `uuid` column.
  @inlinable @inline(__always)
  public func uuid(at column: Int) throws -> UUID { try view.uuid(try field(column)) }
  /// The value of a `data` column.
  public func data(at column: Int) throws -> Data { try view.data(try field(column)) }
  /// The value of a `decimal` column.
  public func decimal(at column: Int) throws -> Decimal { try view.decimal(try field(column)) }
  /// The elements of an `array` column.
  public func array(at column: Int) throws -> [StoredValue] { try view.array(try field(column)) }
  /// The text of a `json` column.
  public func json(at column: Int) throws -> String { try view.json(try field(column)) }
  /// The value of any column, null included.
  public func value(at column: Int) throws -> StoredValue { try view.value(try field(column)) }
  /// The bytes of a column, without a copy, for the length of the call.
  public func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    try view.withBytes(try field(column), body)
  }
}
