internal import FoundationEssentials
internal import ORMStorage

/// The parts of a change that read every row.
extension SQLTableChange {
  /// Writes the table anew, in one pass, from the columns of before.
  ///
  /// The table has its new name already; its columns have their names of before.
  func rewrite() throws {
    let draft = SQLNames.draft(of: new.name)
    var names: [String] = []
    var values: [SQLText] = []
    for (before, column) in zip(columns, new.columns) {
      let value = column.stored.filling(at: now)
      let source = before.map { dialect.quoted($0.name) }
      names.append(dialect.quoted(column.name))
      values.append(
        source.map { SQLText($0) } ?? "\(.constant(value, .stored(column.stored.type.kind)))")
      if let folded = column.folded {
        names.append(dialect.quoted(folded))
        values.append(
          source.map { "\(sql: SQLFunction.fold.rawValue)(\(sql: $0))" }
            ?? "\(.constant(value, .folded))")
      }
    }
    try connection.execute(new.creation(dialect, named: draft))
    try run(
      """
      INSERT INTO \(sql: dialect.quoted(draft)) (\(sql: names.joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", ")) FROM \(sql: dialect.quoted(new.name)) \
      \(sql: intactClause(old))
      """)
    try connection.execute("DROP TABLE \(dialect.quoted(new.name))")
    try connection.execute(SQLTable.renaming(draft, to: new.name, dialect))
  }

  /// Fills the table of a column's elements.
  func fillElements(of column: SQLTable.Column) throws {
    let rows = PreparedRows(new, dialect, connection)
    guard
      let elements = rows.queries.elements.first(where: { new.column($0.column) == column })
    else { return }
    var names = new.places.indices.map { dialect.quoted(new.column($0).name) }
    if let test = new.intactTest(dialect) { names.append(test) }
    let statement = try connection.statement(
      "SELECT \(names.joined(separator: ", ")) FROM \(dialect.quoted(new.name))")
    defer { statement.rewind() }
    var filler = Filler(rows: rows, elements: elements)
    _ = try statement.visitRows(rows.layout, &filler)
  }

  private struct Filler: RowVisitor {
    let rows: PreparedRows
    let elements: RowQueries.Elements

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      var values: [StoredValue] = []
      for column in 0..<row.columnCount { values.append(try row.value(at: column)) }
      try rows.insert(elements, values)
      return .next
    }
  }
}
