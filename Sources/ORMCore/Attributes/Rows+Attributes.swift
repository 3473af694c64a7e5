public import ORMStorage

extension RowReader where Self: ~Copyable {
  /// The value of a column as any attribute type: `name = try row[1]`.
  @inlinable @inline(__always)
  public subscript<Value: AttributeValue>(column: Int) -> Value {
    get throws { try Value.read(from: self, at: column) }
  }
}

extension RowWriter where Self: ~Copyable {
  /// Sets a column from any attribute type: `try row.write(name, at: 1)`.
  @inlinable @inline(__always)
  public mutating func write<Value: AttributeValue>(_ value: Value, at column: Int) throws {
    try value.write(to: &self, at: column)
  }
}
