public import ORMStorage

extension RowReader where Self: ~Copyable {
  /// The value of a column as any attribute type: `name = try row[1]`.
  @inlinable @inline(__always)
  public subscript<Value: AttributeValue>(column: Int) -> Value {
    get throws { try Value.read(from: self, at: column) }
  }

  /// The value of a column as a type that the macro does not know, as it writes it.
  @inlinable @inline(__always)
  public func value<Value: AttributeValue>(at column: Int) throws -> Value {
    try Value.read(from: self, at: column)
  }

  // Without this one, a type that is no attribute would be reported twice: its declaration in the
  // entity does not compile.
  /// Throws `decoding`: the type is not an attribute type.
  @_disfavoredOverload
  public func value<Value>(at column: Int) throws -> Value {
    throw StoredValue.unexpected("an attribute type")
  }
}

extension RowWriter where Self: ~Copyable {
  /// Sets a column from any attribute type: `try row.write(name, at: 1)`.
  @inlinable @inline(__always)
  public mutating func write<Value: AttributeValue>(_ value: Value, at column: Int) throws {
    try value.write(to: &self, at: column)
  }

  /// Sets a column from a value of a type that the macro does not know, as it writes it.
  @inlinable @inline(__always)
  public mutating func write<Value: AttributeValue>(value: Value, at column: Int) throws {
    try value.write(to: &self, at: column)
  }

  /// Throws `decoding`: the type is not an attribute type.
  @_disfavoredOverload
  public mutating func write<Value>(value: Value, at column: Int) throws {
    throw StoredValue.unexpected("an attribute type")
  }
}
