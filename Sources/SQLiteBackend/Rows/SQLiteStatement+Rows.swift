public import ORMStorage
public import SQLEngine

extension SQLiteConnection: ProgramStatementConnection, TableAlteringConnection {
  package func statement(_ sql: String) throws -> any SQLStatement {
    do {
      return try prepare(sql)
    } catch {
      // The tables may have to be read first, in a transaction of their own.
      return try handle.retry(after: error) { try prepare(sql) }
    }
  }

  package func statement(
    _ sql: String, writtenFor purpose: SQLPurpose
  ) throws -> any ProgramStatement {
    switch purpose {
    case .query: try prepare(query: sql)
    case .change(let tables): try prepare(sql, keeping: tables)
    }
  }

  package func beginSnapshot() throws { snapshotVersion = try beginRead() }

  package func hasTable(_ name: String) throws -> Bool { try has("table", name) }

  package func isIndexBuilt(_ name: String) throws -> Bool { try has("index", name) }

  package func layout(ofTable name: String) throws -> SQLTableLayout? {
    let statement = try prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)")
    defer { statement.rewind() }
    try statement.bind(name, at: 1)
    var layout = SQLTableLayout()
    var key: [(position: Int64, column: String)] = []
    while try statement.step() {
      guard let column = statement.text(at: 0), let type = statement.text(at: 1) else { continue }
      layout.columns[column] = statement.int64(at: 2) == 0 ? type : type + " NOT NULL"
      let position = statement.int64(at: 3)
      if position > 0 { key.append((position, column)) }
    }
    layout.key = key.sorted { $0.position < $1.position }.map(\.column)
    return layout
  }

  package func additions(toTables names: [String]) throws -> [SQLTableAddition] {
    // A virtual table has no page. Names are compared by the engine.
    let statement = try prepare(
      "SELECT tbl_name, iif(type = 'table', 'virtual table', type), iif(type = 'trigger', name, '') "
        + "FROM sqlite_schema WHERE type IN ('trigger', 'view') OR type = 'table' AND rootpage = 0")
    defer { statement.rewind() }
    var found: [SQLTableAddition] = []
    while try statement.step() {
      guard let table = statement.text(at: 0), let kind = statement.text(at: 1) else { continue }
      found.append(
        SQLTableAddition(table: table, kind: kind, name: statement.text(at: 2) ?? ""))
    }
    return found
  }

  private func has(_ type: String, _ name: String) throws -> Bool {
    let statement = try prepare("SELECT 1 FROM sqlite_schema WHERE type = ?1 AND name = ?2")
    defer { statement.rewind() }
    try statement.bind(type, at: 1)
    try statement.bind(name, at: 2)
    return try statement.step()
  }

  package func isEmpty() throws -> Bool {
    let statement = try prepare("SELECT 1 FROM sqlite_schema")
    defer { statement.rewind() }
    return try !statement.step()
  }

  package func othersCommits() throws -> UInt64? { UInt64(bitPattern: try dataVersion()) }
}

extension SQLiteStatement: ProgramStatement {
  @usableFromInline
  package func bind(evaluator: SQLEvaluator, at parameter: Int) throws {
    try bind(evaluator, as: .evaluator, at: parameter)
  }

  @usableFromInline
  package func visitRows<V: RowVisitor>(
    _ layout: SQLRowLayout, _ visitor: inout V
  ) throws -> Bool {
    try visit(rows: SQLiteRow(self, layout), &visitor)
  }

  @usableFromInline
  package func bindRow<S: RowSource>(
    from source: inout S, _ parameters: SQLRowParameters, _ key: inout Int64
  ) throws -> Bool {
    // A run of a put ends with a reset.
    freeBindings()
    var writer = SQLiteRowWriter(self, parameters)
    guard try source.next(into: &writer) else { return false }
    try writer.finish()
    key = writer.key
    return true
  }
}

extension SQLiteObjectTag where Object == SQLEvaluator {
  /// The tag of the evaluators that a store's functions call.
  static let evaluator = SQLiteObjectTag("strata_evaluator")
}
