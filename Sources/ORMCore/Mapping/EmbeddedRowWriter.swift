public import FoundationEssentials
public import ORMStorage
public import ORMValues

/// The columns of an embedded struct in the row that its container writes, counted from 0.
///
/// The row lives longer: it is made for the length of a call.
public struct EmbeddedRowWriter<Base: RowWriter & ~Copyable>: RowWriter, ~Copyable {
  @usableFromInline let base: UnsafeMutablePointer<Base>
  @usableFromInline let offset: Int

  @inlinable @inline(__always)
  init(_ base: UnsafeMutablePointer<Base>, offset: Int) {
    unsafe self.base = base
    self.offset = offset
  }

  /// Sets a column to null.
  @inlinable @inline(__always)
  public mutating func setNull(at column: Int) throws {
    try unsafe base.pointee.setNull(at: column + offset)
  }
  /// Sets a `bool` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Bool, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets an integer column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Int64, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets a `uint64` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: UInt64, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets a `double` or `float` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Double, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets a `string` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: String, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets a `data` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Data, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets a `date` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Date, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets a `uuid` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: UUID, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets a `decimal` column.
  @inlinable @inline(__always)
  public mutating func set(_ value: Decimal, at column: Int) throws {
    try unsafe base.pointee.set(value, at: column + offset)
  }
  /// Sets an `array` column.
  @inlinable @inline(__always)
  public mutating func set(array value: [StoredValue], at column: Int) throws {
    try unsafe base.pointee.set(array: value, at: column + offset)
  }
  /// Sets a `json` column to a JSON text.
  @inlinable @inline(__always)
  public mutating func set(json value: String, at column: Int) throws {
    try unsafe base.pointee.set(json: value, at: column + offset)
  }
}
