package import ORMStorage

extension SQLReader {
  package func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws {
    try checkOpen()
    let written = try WrittenStatement(query, session.schema, session.dialect)
    try session.run(written) { statement in
      let names = statement.columnNames
      let found = zip(names, try columns(names)).map { name, column in
        column.map { SQLRowLayout.Column($0) } ?? SQLRowLayout.Column(untyped: name)
      }
      let layout = SQLRowLayout(entity: query.firstEntity ?? "", columns: found, key: [])
      _ = try statement.visitRows(layout, &visitor)
    }
  }
}

extension SQLWriter {
  package func execute(sql statement: SQLRequest) throws -> Int {
    try checkOpen()
    let written = try WrittenStatement(statement, session.schema, session.dialect)
    let before = session.connection.totalChanges
    try session.change(by: written) {
      // Tables and views that are made or dropped are changes too, and no rows.
      statementCount += 1
    }
    // `changes` is that of an earlier statement if this one changes no rows.
    return session.connection.totalChanges == before ? 0 : session.connection.changes
  }
}

extension SQLSession {
  /// Runs a query that a program wrote, whose statement is cached.
  fileprivate func run(
    _ written: WrittenStatement, _ body: (any ProgramStatement) throws -> Void
  ) throws {
    try Self.refusing {
      let statement = try writtenStatements.take(written.text) {
        try takingPrograms.statement($0, writtenFor: .query)
      }
      defer {
        statement.rewind()
        writtenStatements.giveBack(statement, of: written.text)
      }
      try written.bind(to: statement)
      try body(statement)
    }
  }

  /// Runs a statement that a program wrote and that changes the program's own tables.
  ///
  /// - Parameter willRun: is called once the database has accepted the statement.
  fileprivate func change(by written: WrittenStatement, willRun: () -> Void) throws {
    try Self.refusing {
      let statement = try takingPrograms.statement(
        written.text, writtenFor: .change(keeping: schema.tableNames))
      defer { statement.rewind() }
      try written.bind(to: statement)
      willRun()
      try statement.run()
    }
  }

  /// The connection as one that takes statements of programs.
  ///
  /// - Throws: `unsupported` if it is none.
  private var takingPrograms: any ProgramStatementConnection {
    get throws {
      if let connection = connection as? any ProgramStatementConnection { return connection }
      throw StoreError(.unsupported, "the store takes no statements of SQL from programs")
    }
  }

  /// Runs a statement that a program wrote; its failures are `invalidStatement` where they have no code.
  private static func refusing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch var error as StoreError where error.code == .engine {
      error.code = .invalidStatement
      throw error
    }
  }
}

extension SQLSchema {
  /// The names of the tables of the store.
  fileprivate var tableNames: Set<String> {
    Set(storedTables.flatMap { table in [table.name] + table.columns.compactMap(\.elements) })
  }
}
