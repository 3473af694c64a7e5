public import ORMStorage

/// An integer of a width up to 64 bits, stored as `.int`.
public protocol IntegerAttribute: AttributeValue, FixedWidthInteger {}

extension IntegerAttribute {
  /// Reads an integer column; a number that does not fit is `decoding`.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Self
  {
    guard let value = Self(exactly: try row.int64(at: column)) else {
      throw StoredValue.unexpected("an integer of this width")
    }
    return value
  }
  /// Reads an integer column; nil if it is null.
  @inlinable @inline(__always)
  public static func readIfPresent<R: RowReader & ~Copyable>(
    from row: borrowing R, at column: Int
  ) throws -> Self? {
    guard let stored = try row.int64IfPresent(at: column) else { return nil }
    guard let value = Self(exactly: stored) else {
      throw StoredValue.unexpected("an integer of this width")
    }
    return value
  }
  /// Writes an integer column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(Int64(self), at: column)
  }
  /// The value as `.int`.
  public var storedValue: StoredValue { .int(Int64(self)) }
  /// Reads an `.int` that fits.
  public init(storedValue: StoredValue) throws {
    guard case .int(let stored) = storedValue, let value = Self(exactly: stored) else {
      throw StoredValue.unexpected("an integer of this width")
    }
    self = value
  }
}

extension Int8: IntegerAttribute {
  /// The attribute type `int8`.
  public static var attributeType: AttributeType { .int8 }
}

extension Int16: IntegerAttribute {
  /// The attribute type `int16`.
  public static var attributeType: AttributeType { .int16 }
}

extension Int32: IntegerAttribute {
  /// The attribute type `int32`.
  public static var attributeType: AttributeType { .int32 }
}

extension Int64: IntegerAttribute {
  /// The attribute type `int64`.
  public static var attributeType: AttributeType { .int64 }
}

extension Int: IntegerAttribute {
  /// The attribute type `int64`.
  public static var attributeType: AttributeType { .int64 }
}

extension UInt8: IntegerAttribute {
  /// The attribute type `uint8`.
  public static var attributeType: AttributeType { .uint8 }
}

extension UInt16: IntegerAttribute {
  /// The attribute type `uint16`.
  public static var attributeType: AttributeType { .uint16 }
}

extension UInt32: IntegerAttribute {
  /// The attribute type `uint32`.
  public static var attributeType: AttributeType { .uint32 }
}

extension UInt64: AttributeValue {
  /// The attribute type `uint64`.
  public static var attributeType: AttributeType { .uint64 }
  /// Reads a `uint64` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> UInt64
  { UInt64(try row.uint64(at: column)) }
  /// Writes a `uint64` column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(UInt64(self), at: column)
  }
  /// `.int` up to `Int64.max`, above it `.uint`.
  public var storedValue: StoredValue { .unsigned(UInt64(self)) }
  /// Reads a `.uint`, or an `.int` that is not negative.
  public init(storedValue: StoredValue) throws {
    switch storedValue {
    case .uint(let value): self = UInt64(value)
    case .int(let value) where value >= 0: self = UInt64(value)
    default: throw StoredValue.unexpected("an unsigned integer")
    }
  }
}

extension UInt: AttributeValue {
  /// The attribute type `uint64`.
  public static var attributeType: AttributeType { .uint64 }
  /// Reads a `uint64` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> UInt
  { UInt(try row.uint64(at: column)) }
  /// Writes a `uint64` column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(UInt64(self), at: column)
  }
  /// `.int` up to `Int64.max`, above it `.uint`.
  public var storedValue: StoredValue { .unsigned(UInt64(self)) }
  /// Reads a `.uint`, or an `.int` that is not negative.
  public init(storedValue: StoredValue) throws {
    switch storedValue {
    case .uint(let value): self = UInt(value)
    case .int(let value) where value >= 0: self = UInt(value)
    default: throw StoredValue.unexpected("an unsigned integer")
    }
  }
}
