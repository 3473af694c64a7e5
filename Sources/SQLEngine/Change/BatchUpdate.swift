internal import ORMStorage

/// A statement that writes columns of several rows by their keys: a value, made by a pure function.
struct BatchUpdate {
  /// The statement; its parameters are the keys and values of each row, one row after another.
  let query: SQLQuery
  /// The number of rows that it writes.
  let rowCount: Int
  private let entity: String
  /// The positions of the values of a row: its key, then the columns.
  private let positions: [Int]

  /// The greatest number of rows of one statement.
  private static let mostRows = RowThreshold.batchedUpdates.rows

  /// Makes the statement of some columns; nil where each row takes a statement of its own.
  init?(_ table: SQLTable, _ columns: [Int], _ dialect: any SQLDialect) {
    guard let key = table.entity.key.first, table.entity.key.count == 1, !columns.contains(key),
      !columns.isEmpty,
      columns.allSatisfy({ position in
        let column = table.column(position)
        return column.elements == nil && column.stored.type.kind != .array
      })
    else { return nil }
    let columns = Set(columns).sorted()
    let width = columns.count + 1
    let rowCount = max(1, min(Self.mostRows, dialect.limits.parameters / (2 * width)))
    let keyColumn = table.column(key)
    let keyName = dialect.quoted(keyColumn.name)
    let keys = (0..<rowCount).map { row -> SQLText in
      "\(.parameter(row * width, .stored(keyColumn.stored.type.kind)))"
    }
    func choice(_ place: Int, _ form: SQLForm) -> SQLText {
      let cases = keys.enumerated().map { row, key -> SQLText in
        "WHEN \(key) THEN \(.parameter(row * width + place, form))"
      }
      return "CASE \(sql: keyName) \(cases.joined(separator: " ")) END"
    }
    var sets: [SQLText] = []
    for (number, position) in columns.enumerated() {
      let column = table.column(position)
      sets.append(
        """
        \(sql: dialect.quoted(column.name)) = \
        \(choice(number + 1, .stored(column.stored.type.kind)))
        """)
      if let folded = column.folded {
        sets.append("\(sql: dialect.quoted(folded)) = \(choice(number + 1, .folded))")
      }
    }
    query = SQLQuery(
      """
      UPDATE \(sql: dialect.quoted(table: table.name)) SET \(sets.joined(separator: ", ")) \
      WHERE \(sql: keyName) IN (\(keys.joined(separator: ", ")))
      """, dialect)
    self.rowCount = rowCount
    entity = table.entity.name
    positions = [key] + columns
  }

  /// The values of some rows; the last one stands for those that are missing.
  func request(for rows: [[StoredValue]]) -> FetchRequest {
    var bindings: [StoredValue] = []
    for number in 0..<rowCount {
      let row = rows[min(number, rows.count - 1)]
      bindings += positions.map { row[$0] }
    }
    return FetchRequest(FetchShape(entity: entity), bindings: bindings)
  }
}
