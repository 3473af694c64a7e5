internal import FoundationEssentials
internal import ORMStorage

/// A writer that forwards the columns of a row, except for some.
struct DroppingWriter<Row: RowWriter & ~Copyable>: RowWriter {
  let row: UnsafeMutablePointer<Row>
  /// True if a column is left out.
  let isDropped: [Bool]

  private func passes(_ column: Int) -> Bool {
    column >= isDropped.count || !isDropped[column]
  }

  mutating func setNull(at column: Int) throws {
    if passes(column) { try row.pointee.setNull(at: column) }
  }
  mutating func set(_ value: Bool, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: Int64, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: UInt64, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: Double, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: String, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: Data, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: Date, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: UUID, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(_ value: Decimal, at column: Int) throws {
    if passes(column) { try row.pointee.set(value, at: column) }
  }
  mutating func set(array value: [StoredValue], at column: Int) throws {
    if passes(column) { try row.pointee.set(array: value, at: column) }
  }
  mutating func set(json value: String, at column: Int) throws {
    if passes(column) { try row.pointee.set(json: value, at: column) }
  }
}

/// A source that leaves the derived attributes of rows out of a put.
package struct DroppingSource<Base: RowSource>: RowSource {
  package private(set) var base: Base
  private let isDropped: [Bool]

  package init(_ base: Base, _ columns: [Int], of entity: StoredEntity) {
    self.base = base
    isDropped = entity.columns.indices.map { columns.contains($0) }
  }

  package mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    try withUnsafeMutablePointer(to: &row) { row in
      var writer = DroppingWriter(row: row, isDropped: isDropped)
      return try base.next(into: &writer)
    }
  }

  package mutating func rewind() { base.rewind() }
}
