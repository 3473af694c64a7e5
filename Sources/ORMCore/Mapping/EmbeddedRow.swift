public import FoundationEssentials
public import ORMStorage
public import ORMValues

/// The columns of an embedded struct in the row of its container, counted from 0.
///
/// The row lives longer: it is made for the length of a call.
public struct EmbeddedRow<Base: RowReader & ~Copyable>: RowReader, ~Copyable {
  @usableFromInline let base: UnsafePointer<Base>
  @usableFromInline let offset: Int

  @inlinable @inline(__always)
  init(_ base: UnsafePointer<Base>, offset: Int) {
    unsafe self.base = base
    self.offset = offset
  }

  /// The number of columns from the struct's first on.
  public var columnCount: Int { unsafe base.pointee.columnCount - offset }
  /// Returns whether the column is null.
  @inlinable @inline(__always)
  public func isNull(at column: Int) throws -> Bool {
    try unsafe base.pointee.isNull(at: column + offset)
  }
  /// The value of a `bool` column.
  @inlinable @inline(__always)
  public func bool(at column: Int) throws -> Bool {
    try unsafe base.pointee.bool(at: column + offset)
  }
  /// The value of an integer column.
  @inlinable @inline(__always)
  public func int64(at column: Int) throws -> Int64 {
    try unsafe base.pointee.int64(at: column + offset)
  }
  /// The value of a `uint64` column.
  @inlinable @inline(__always)
  public func uint64(at column: Int) throws -> UInt64 {
    try unsafe base.pointee.uint64(at: column + offset)
  }
  /// The value of a `double` or `float` column.
  @inlinable @inline(__always)
  public func double(at column: Int) throws -> Double {
    try unsafe base.pointee.double(at: column + offset)
  }
  /// The value of a `string` column.
  @inlinable @inline(__always)
  public func string(at column: Int) throws -> String {
    try unsafe base.pointee.string(at: column + offset)
  }
  /// The value of a `data` column.
  @inlinable @inline(__always)
  public func data(at column: Int) throws -> Data {
    try unsafe base.pointee.data(at: column + offset)
  }
  /// The value of a `date` column.
  @inlinable @inline(__always)
  public func date(at column: Int) throws -> Date {
    try unsafe base.pointee.date(at: column + offset)
  }
  /// The value of a `uuid` column.
  @inlinable @inline(__always)
  public func uuid(at column: Int) throws -> UUID {
    try unsafe base.pointee.uuid(at: column + offset)
  }
  /// The value of a `decimal` column.
  @inlinable @inline(__always)
  public func decimal(at column: Int) throws -> Decimal {
    try unsafe base.pointee.decimal(at: column + offset)
  }
  /// The elements of an `array` column.
  @inlinable @inline(__always)
  public func array(at column: Int) throws -> [StoredValue] {
    try unsafe base.pointee.array(at: column + offset)
  }
  /// The text of a `json` column.
  @inlinable @inline(__always)
  public func json(at column: Int) throws -> String {
    try unsafe base.pointee.json(at: column + offset)
  }
  /// The value of any column, null included.
  @inlinable @inline(__always)
  public func value(at column: Int) throws -> StoredValue {
    try unsafe base.pointee.value(at: column + offset)
  }
  /// The bytes of a column, for the length of the call.
  @inlinable @inline(__always)
  public func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    try unsafe base.pointee.withBytes(at: column + offset, body)
  }
}
