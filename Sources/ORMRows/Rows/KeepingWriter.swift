package import FoundationEssentials
internal import ORMStorage

/// A writer that forwards the columns of a row, and retains those that are asked for.
package struct KeepingWriter<Row: RowWriter & ~Copyable>: RowWriter {
  package let row: UnsafeMutablePointer<Row>
  /// The position in `values` for the value of each column; nil for a column that is only passed
  /// on.
  package let positions: [Int?]
  package var values: [StoredValue]

  package init(row: UnsafeMutablePointer<Row>, positions: [Int?], values: [StoredValue]) {
    self.row = row
    self.positions = positions
    self.values = values
  }

  private mutating func keep(_ value: @autoclosure () -> StoredValue, _ column: Int) {
    if column < positions.count, let position = positions[column] { values[position] = value() }
  }

  package mutating func setNull(at column: Int) throws { try row.pointee.setNull(at: column) }
  package mutating func set(_ value: Bool, at column: Int) throws {
    keep(.bool(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: Int64, at column: Int) throws {
    keep(.int(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: UInt64, at column: Int) throws {
    keep(.unsigned(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: Double, at column: Int) throws {
    keep(.double(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: String, at column: Int) throws {
    keep(.string(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: Data, at column: Int) throws {
    keep(.data(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: Date, at column: Int) throws {
    keep(.date(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: UUID, at column: Int) throws {
    keep(.uuid(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(_ value: Decimal, at column: Int) throws {
    keep(.decimal(value), column)
    try row.pointee.set(value, at: column)
  }
  package mutating func set(array value: [StoredValue], at column: Int) throws {
    keep(.array(value), column)
    try row.pointee.set(array: value, at: column)
  }
  package mutating func set(json value: String, at column: Int) throws {
    keep(.json(value), column)
    try row.pointee.set(json: value, at: column)
  }
}
