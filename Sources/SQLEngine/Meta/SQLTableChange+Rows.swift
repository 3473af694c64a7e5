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
      let value = column.stored.filling(at: now())
      let source = before.map { dialect.quoted($0.name) }
      names.append(dialect.quoted(column.name))
      values.append(
        source.map { SQLText($0) }
          ?? dialect.typed(
            "\(.constant(value, .stored(column.stored.type.kind)))", as: column.stored.type))
      if let folded = column.folded {
        names.append(dialect.quoted(folded))
        values.append(
          source.map { dialect.evaluatesInEngine ? Self.folded($0) : "NULL" }
            ?? "\(.constant(value, .folded))")
      }
    }
    try connection.execute(new.creation(dialect, named: draft))
    try run(
      """
      INSERT INTO \(sql: dialect.quoted(table: draft)) (\(sql: names.joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", ")) FROM \(sql: dialect.quoted(table: new.name)) \
      \(sql: intactClause(old))
      """)
    try connection.execute("DROP TABLE \(dialect.quoted(table: new.name))")
    try connection.execute(SQLTable.renaming(draft, to: new.name, dialect))
    if dialect.evaluatesInEngine { return }
    for (before, column) in zip(columns, new.columns) where before != nil {
      if let folded = column.folded { try fillFoldsInCore(of: column, folded) }
    }
  }

  /// A call that folds a column.
  private static func folded(_ quotedName: String) -> SQLText {
    "\(sql: SQLFunction.fold.rawValue)(\(sql: quotedName))"
  }

  /// Fills the column of a column's folded texts.
  func fillFolds(of column: SQLTable.Column, _ folded: String) throws {
    guard dialect.evaluatesInEngine else { return try fillFoldsInCore(of: column, folded) }
    try run(
      """
      UPDATE \(sql: dialect.quoted(table: new.name)) SET \(sql: dialect.quoted(folded)) = \
      \(Self.folded(dialect.quoted(column.name)))\(sql: intactClause(new))
      """)
  }

  /// The number of rows whose folded texts are written together.
  private static var foldedBatch: Int { 1_000 }

  /// Reads texts in batches, and writes their folded forms beside them by the keys of the rows.
  private func fillFoldsInCore(of column: SQLTable.Column, _ folded: String) throws {
    let keys = new.keyColumns
    let name = dialect.quoted(table: new.name)
    let names = keys.map { dialect.quoted($0.name) }
    let text = dialect.quoted(column.name)
    let selection =
      "SELECT \(names.joined(separator: ", ")), \(text) FROM \(name) WHERE \(text) IS NOT NULL AND "
    // In parts by the key where it has an order; else by the columns that are still missing.
    let kind = keys[0].stored.type.kind
    let isPaged = keys.count == 1 && dialect.orders(kind, kind)
    let first =
      isPaged
      ? "\(dialect.quoted(folded)) IS NULL ORDER BY \(names[0])"
      : "\(dialect.quoted(folded)) IS NULL"
    let next = "\(names[0]) > \(dialect.placeholder(1)) ORDER BY \(names[0])"
    let limit = " LIMIT \(Self.foldedBatch)"
    let matches = names.enumerated().map { "\($1) = \(dialect.placeholder($0 + 2))" }
    let update = try connection.statement(
      "UPDATE \(name) SET \(dialect.quoted(folded)) = \(dialect.placeholder(1)) "
        + "WHERE \(matches.joined(separator: " AND "))")
    let layout = SQLRowLayout(
      entity: new.stored.modelName,
      columns: keys.map { .init($0.stored) } + [.init(column.stored.attribute, .string)],
      key: Array(keys.indices))
    var last: StoredValue?
    while true {
      let select = try connection.statement(
        selection + (last == nil || !isPaged ? first : next) + limit)
      var batch = ValueCollector()
      do {
        defer { select.rewind() }
        if let last, isPaged { try select.bind(last, .stored(kind), at: 1) }
        _ = try select.visitRows(layout, &batch)
      }
      for row in batch.rows {
        defer { update.rewind() }
        try update.bind(row[keys.count], .folded, at: 1)
        for (index, key) in keys.enumerated() {
          try update.bind(row[index], .stored(key.stored.type.kind), at: index + 2)
        }
        try update.run()
      }
      guard batch.rows.count == Self.foldedBatch else { return }
      last = batch.rows.last?[0]
    }
  }

  /// Fills the table of a column's elements.
  func fillElements(of column: SQLTable.Column) throws {
    let rows = PreparedRows(new, dialect, connection)
    guard
      let elements = rows.queries.elements.first(where: { new.column($0.column) == column })
    else { return }
    var names = new.columnIndexes.indices.map { dialect.quoted(new.column($0).name) }
    if let test = new.intactTest(dialect) { names.append(test) }
    let statement = try connection.statement(
      "SELECT \(names.joined(separator: ", ")) FROM \(dialect.quoted(table: new.name))")
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
