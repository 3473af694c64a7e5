package import ORMCore

/// Rows of values as the source of a put.
package struct ValueSource: RowSource {
  package let rows: [[StoredValue]]
  /// The columns that the source sets.
  package let columns: [Int]
  private let types: [AttributeType]
  /// The number of rows that were taken since the beginning or the last rewind.
  package private(set) var place = 0
  package private(set) var rewinds = 0

  package init(_ rows: [[StoredValue]], of entity: StoredEntity, columns: [Int]? = nil) {
    self.rows = rows
    self.columns = columns ?? Array((rows.first ?? []).indices)
    types = entity.columns.map(\.type)
  }

  package mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard place < rows.count else { return false }
    for (column, value) in zip(columns, rows[place]) {
      try row.set(value: value, at: column, type: types[column])
    }
    place += 1
    return true
  }

  package mutating func rewind() {
    place = 0
    rewinds += 1
  }
}
