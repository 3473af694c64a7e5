package import ORMStorage

extension SQLReader {
  package final func verify(_ found: (StoreError) throws -> Void) throws {
    try checkOpen()
    try session.connection.expectManyStatements()
    let additions = try session.schema.additions(session.connection, session.dialect)
    for addition in additions { try found(addition) }
    if !additions.isEmpty {
      throw StoreError(
        .corrupt, "tables have additions of other programs, so rows and indexes were not checked")
    }
    if let sql = session.dialect.integrityCheck {
      let statement = try session.connection.statement(sql)
      defer { statement.rewind() }
      while try statement.step() {
        guard let line = statement.text(at: 0), line != "ok" else { continue }
        try found(StoreError(.corrupt, "the engine's own check: \(line)"))
      }
    }
    try withoutActuallyEscaping(found) { found in
      var isReadable = true
      for table in session.schema.storedTables {
        let isTableReadable = try TableVerification(table: table, session: session, found: found)
          .checkLayout()
        isReadable = isReadable && isTableReadable
      }
      if !isReadable {
        throw StoreError(
          .corrupt, "tables or columns are missing, so rows and indexes were not checked")
      }
      for table in session.schema.storedTables {
        do {
          try TableVerification(table: table, session: session, found: found).run()
        } catch let error as StoreError where error.code == .corrupt || error.code == .engine {
          try found(error.filling(entity: table.stored.modelName))
        }
      }
    }
  }
}
