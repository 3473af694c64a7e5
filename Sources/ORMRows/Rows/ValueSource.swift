internal import ORMStorage

/// Gives rows of values to a put; the columns are those of the request, in its order.
package struct ValueSource: RowSource {
  package let rows: [[StoredValue]]
  package let columns: [Int]
  package let entity: StoredEntity
  private var position = 0

  package init(_ rows: [[StoredValue]], columns: [Int], entity: StoredEntity) {
    self.rows = rows
    self.columns = columns
    self.entity = entity
  }

  package mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard position < rows.count else { return false }
    let values = rows[position]
    position += 1
    for (index, column) in columns.enumerated() {
      try row.set(value: values[index], at: column, type: entity.columns[column].type)
    }
    return true
  }

  package mutating func rewind() { position = 0 }
}
