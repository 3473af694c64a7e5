public import FoundationEssentials
public import ORMValues

/// A row that lies in bytes in core's own form, as stores of keys and values keep rows: reads its
/// columns straight out of the bytes.
///
/// It is public so that models compile against it: see `Persistable`. Stores make it; a row is valid
/// only while the bytes are and the columns live, and the cursor sees to both.
public struct RecordReader: RowReader {
  /// The record.
  @usableFromInline package var view: RecordView
  @usableFromInline let columns: RowColumns.List

  /// A reader of no record yet.
  package init(_ columns: RowColumns) { self = columns.reader }

  /// The columns of the current record.
  @inlinable @inline(__always)
  package init(_ view: RecordView, _ columns: RowColumns.List) {
    self.view = view
    self.columns = columns
  }

  /// The number of columns the row has.
  @inlinable @inline(__always)
  public var columnCount: Int { columns.count }

  /// The field of a column; a column that is none is an error of the caller, and no trap.
  ///
  /// A pointer, so that no more of it is loaded than is looked at.
  @inlinable @inline(__always)
  func pointer(_ column: Int) throws -> UnsafePointer<RecordField> {
    guard column >= 0, column < columns.count else { throw outside(column) }
    return columns.start + column
  }

  @inlinable @inline(__always)
  func field(_ column: Int) throws -> RecordField { try pointer(column).pointee }

  /// Returns whether a field is of an encoding, and held by the record for certain.
  @inlinable @inline(__always)
  func isHeld(_ field: UnsafePointer<RecordField>, _ encoding: RecordField.Encoding) -> Bool {
    field.pointee.encoding == encoding && view.missing & field.pointee.missingBit == 0
  }

  @inline(never) @usableFromInline
  func outside(_ column: Int) -> StoreError {
    StoreError(
      .decoding, "the row has no column \(column)", entity: view.layout.entity.modelName)
  }

  /// Returns whether the column is null.
  @inlinable @inline(__always)
  public func isNull(at column: Int) throws -> Bool {
    let field = try pointer(column)
    return view.missing & field.pointee.missingBit != 0 && isNullWhereMissing(field)
  }
  /// The value of a `bool` column.
  @inlinable @inline(__always)
  public func bool(at column: Int) throws -> Bool {
    let field = try pointer(column)
    guard isHeld(field, .bool) else { return try otherBool(field) }
    return view.bits(field.pointee, UInt8.self) != 0
  }
  /// The value of an integer column of any width but unsigned 64 bits.
  @inlinable @inline(__always)
  public func int64(at column: Int) throws -> Int64 {
    let field = try pointer(column)
    guard isHeld(field, .int64) else { return try otherInt64(field) }
    return view.bits(field.pointee, Int64.self)
  }
  /// The value of an integer column; nil if it is null.
  @inlinable @inline(__always)
  public func int64IfPresent(at column: Int) throws -> Int64? {
    let field = try pointer(column)
    if isHeld(field, .int64) { return view.bits(field.pointee, Int64.self) }
    return try isNull(at: column) ? nil : otherInt64(field)
  }
  /// The value of a `uint64` column.
  @inlinable @inline(__always)
  public func uint64(at column: Int) throws -> UInt64 { try view.uint64(try field(column)) }
  /// The value of a `double` or `float` column.
  @inlinable @inline(__always)
  public func double(at column: Int) throws -> Double {
    let field = try pointer(column)
    guard isHeld(field, .double) else { return try otherDouble(field) }
    return Double(bitPattern: view.bits(field.pointee, UInt64.self))
  }
  /// The value of a `double` or `float` column; nil if it is null.
  @inlinable @inline(__always)
  public func doubleIfPresent(at column: Int) throws -> Double? {
    let field = try pointer(column)
    if isHeld(field, .double) { return Double(bitPattern: view.bits(field.pointee, UInt64.self)) }
    return try isNull(at: column) ? nil : otherDouble(field)
  }
  /// The value of a `string` column.
  @inlinable @inline(__always)
  public func string(at column: Int) throws -> String { try text(try pointer(column)) }
  /// The value of a `date` column.
  @inlinable @inline(__always)
  public func date(at column: Int) throws -> Date {
    let field = try pointer(column)
    guard isHeld(field, .date) else { return try otherDate(field) }
    return Date(
      timeIntervalSinceReferenceDate: Double(bitPattern: view.bits(field.pointee, UInt64.self)))
  }
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

// Texts, and the rare cases of a column: another encoding, or a column that the record lacks. They take
// the address of the field, so that the frequent paths need not load all of it.
extension RecordReader {
  @inline(never) @usableFromInline
  func isNullWhereMissing(_ field: UnsafePointer<RecordField>) -> Bool {
    view.isNull(field.pointee)
  }
  @inline(never) @usableFromInline
  func text(_ field: UnsafePointer<RecordField>) throws -> String {
    guard isHeld(field, .string), let bytes = view.tail(field.pointee.location),
      let text = RecordText.string(of: bytes)
    else { return try otherText(field) }
    return text
  }
  @inline(never)
  private func otherText(_ field: UnsafePointer<RecordField>) throws -> String {
    try view.string(field.pointee)
  }
  @inline(never) @usableFromInline
  func otherBool(_ field: UnsafePointer<RecordField>) throws -> Bool {
    try view.bool(field.pointee)
  }
  @inline(never) @usableFromInline
  func otherInt64(_ field: UnsafePointer<RecordField>) throws -> Int64 {
    try view.int64(field.pointee)
  }
  @inline(never) @usableFromInline
  func otherDouble(_ field: UnsafePointer<RecordField>) throws -> Double {
    try view.double(field.pointee)
  }
  @inline(never) @usableFromInline
  func otherDate(_ field: UnsafePointer<RecordField>) throws -> Date {
    try view.date(field.pointee)
  }
}
