public import FoundationEssentials
public import ORMValues

/// A row being written in core's own form of bytes, as stores of keys and values keep rows: puts its
/// columns straight into the bytes.
///
/// It is public so that models compile against it: see `Persistable`. Stores make it.
public struct RecordWriter: RowWriter, ~Copyable {
  /// The record.
  @usableFromInline package var builder: RecordBuilder
  private let columns: RowColumns
  @usableFromInline let fields: UnsafeBufferPointer<RecordField>
  private let maximumValueSize: Int

  package init(_ columns: RowColumns, maximumValueSize: Int) {
    self.columns = columns
    self.maximumValueSize = maximumValueSize
    fields = columns.fields
    builder = RecordBuilder(columns.layout)
  }

  // The questions for each column are static functions of the fields: a method of the writer gets a copy of
  // all of it, which was a tenth of an insert.

  /// The field of a column; nil for a column that there is none of.
  @inlinable @inline(__always)
  static func field(_ column: Int, in fields: UnsafeBufferPointer<RecordField>) -> RecordField? {
    guard column >= 0, column < fields.count else { return nil }
    return fields[column]
  }

  /// The field of a column that must be written so; nil for another.
  @inlinable @inline(__always)
  static func field(
    _ column: Int, in fields: UnsafeBufferPointer<RecordField>, as encoding: RecordField.Encoding
  ) -> RecordField? {
    guard let field = field(column, in: fields), field.encoding == encoding else { return nil }
    return field
  }

  /// The error for a column that there is none of, or that is not written so.
  @inline(never) @usableFromInline
  func misfit(_ column: Int) -> StoreError {
    guard let field = Self.field(column, in: fields) else { return outside(column) }
    return builder.unfit(field)
  }

  private func outside(_ column: Int) -> StoreError {
    StoreError(
      .invalidValue, "the row has no column \(column)", entity: columns.layout.entity.modelName)
  }

  private func check(_ size: Int, _ field: RecordField) throws {
    if size > maximumValueSize { throw tooLarge(size, field) }
  }

  @inline(never)
  private func tooLarge(_ size: Int, _ field: RecordField) -> StoreError {
    let entity = columns.layout.entity
    return StoreError(
      .tooLarge, "the value has \(size) bytes, more than the store's limit of \(maximumValueSize)",
      entity: entity.modelName, attributes: [entity.columns[Int(field.column)].attribute])
  }

  /// Leaves a column null.
  @inlinable @inline(__always)
  public mutating func setNull(at column: Int) throws {}

  /// Sets a `bool` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Bool, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .bool) else { throw misfit(column) }
    builder.set(bits: UInt8(value ? 1 : 0), field)
  }

  /// Sets an integer column of any width but unsigned 64 bits.
  @inlinable @inline(__always)
  public mutating func set(_ value: Int64, at column: Int) throws {
    guard let field = Self.field(column, in: fields) else { throw misfit(column) }
    if !builder.set(value, field) { throw builder.unfit(field) }
  }

  /// Sets a `uint64` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: UInt64, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .uint64) else { throw misfit(column) }
    builder.set(bits: value, field)
  }

  /// Sets a `double` or `float` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Double, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .double) else { throw misfit(column) }
    builder.set(bits: value.bitPattern, field)
  }

  /// Sets a `string` column.
  public mutating func set(_ value: String, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .string) else { throw misfit(column) }
    try set(text: value, field)
  }

  /// Sets a `string` column to a text of valid UTF-8.
  package mutating func set(utf8 bytes: UnsafeRawBufferPointer, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .string) else { throw misfit(column) }
    try check(bytes.count, field)
    builder.set(tail: bytes, field)
  }

  /// Sets a `json` column to a JSON text.
  public mutating func set(json value: String, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .json) else { throw misfit(column) }
    try set(text: value, field)
  }

  @inline(__always)
  private mutating func set(text: String, _ field: RecordField) throws {
    let limit = maximumValueSize
    let size = text.utf8.withContiguousStorageIfAvailable { bytes in
      if bytes.count <= limit { builder.set(tail: UnsafeRawBufferPointer(bytes), field) }
      return bytes.count
    }
    guard let size else { return try set(bridged: text, field) }
    if size > limit { throw tooLarge(size, field) }
  }

  /// A text whose bytes do not lie side by side, as bridged ones may not.
  @inline(never)
  private mutating func set(bridged text: String, _ field: RecordField) throws {
    var text = text
    try text.withUTF8 { bytes in
      try check(bytes.count, field)
      builder.set(bytes: UnsafeRawBufferPointer(bytes), field)
    }
  }

  /// Sets a `data` column.
  public mutating func set(_ value: Data, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .data) else { throw misfit(column) }
    try check(value.count, field)
    value.withUnsafeBytes { builder.set(bytes: $0, field) }
  }

  /// Sets a `date` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Date, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .date) else { throw misfit(column) }
    builder.set(bits: value.timeIntervalSinceReferenceDate.bitPattern, field)
  }

  /// Sets a `uuid` column.
  public mutating func set(_ value: UUID, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .uuid) else { throw misfit(column) }
    withUnsafeBytes(of: value.uuid) { builder.set(bytes: $0, field) }
  }

  /// Sets a `decimal` column.
  public mutating func set(_ value: Decimal, at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .decimal) else { throw misfit(column) }
    try builder.set(value, field)
  }

  /// Sets an `array` column.
  public mutating func set(array value: [StoredValue], at column: Int) throws {
    guard let field = Self.field(column, in: fields, as: .array) else { throw misfit(column) }
    let (fits, size) = builder.set(field) { (ArrayCoding.append(value, to: &$0), $0.count) }
    if !fits { throw builder.unfit(field) }
    try check(size, field)
  }

  /// Ends the record, and calls the body with a reader of its columns, which is valid for the call.
  package mutating func withReader(_ body: (borrowing RecordReader) throws -> Void) throws {
    try builder.finish()
    var reader = columns.reader
    guard reader.view.move(to: builder.bytes) else {
      throw StoreError(
        .engine, "a row that was written cannot be read", entity: columns.layout.entity.modelName)
    }
    try body(reader)
  }
}
