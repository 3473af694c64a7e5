internal import CSQLite
package import ORMStorage

extension SQLiteConnection {
  /// Returns the number that the library counts up with every change of the file's tables, as of the
  /// transaction.
  package func schemaVersion() throws -> Int64? {
    // A read sees the tables of the read before unless there was a commit in between.
    if readState != .none, let knownSchema, knownSchema.data == snapshotVersion {
      return knownSchema.schema
    }
    let statement = try transactions.statement(.schemaVersion)
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError(.engine, "the file gave no schema version")
    }
    let version = statement.int64(at: 0)
    if readState != .none { knownSchema = (snapshotVersion, version) }
    return version
  }

  /// Gives an index another name, and returns true.
  ///
  /// The library has no statement for it. Names of indexes begin with `$`, as no table and no column
  /// that an index names does.
  package func renameIndex(_ name: String, to newName: String) throws -> Bool {
    let dialect = SQLiteDialect()
    try editSchema(
      "UPDATE sqlite_schema SET name = ?2, sql = replace(sql, ?3, ?4) "
        + "WHERE type = 'index' AND name = ?1",
      [name, newName, dialect.quoted(name), dialect.quoted(newName)])
    return true
  }

  /// Forbids or allows nil in a column.
  ///
  /// Before version 3.53, the library has no statement for it.
  package func setRequired(
    _ isRequired: Bool, _ column: StoredColumn, named name: String, in table: String
  ) throws {
    let dialect = SQLiteDialect()
    let optional = "\(dialect.quoted(name)) \(dialect.storage(column.type))"
    let required = optional + " NOT NULL"
    try editSchema(
      "UPDATE sqlite_schema SET sql = replace(sql, ?2, ?3) "
        + "WHERE type = 'table' AND name = ?1 AND instr(sql, ?2) > 0",
      [table, isRequired ? optional : required, isRequired ? required : optional])
  }

  /// Changes the schema's own table, as the library's manual describes for changes that concern no
  /// content (https://sqlite.org/lang_altertable.html, section 7), and counts its version up so that
  /// other connections read it anew.
  ///
  /// - Parameters:
  ///   - statement: a statement that changes one row of the table.
  ///   - texts: the values of its parameters.
  private func editSchema(_ statement: String, _ texts: [String]) throws {
    try handle.check(strata_sqlite3_switch(handle.database, SQLITE_DBCONFIG_DEFENSIVE, 0))
    defer { _ = strata_sqlite3_switch(handle.database, SQLITE_DBCONFIG_DEFENSIVE, 1) }
    try execute("PRAGMA writable_schema = ON")
    do {
      let statement = try prepare(statement)
      for (place, text) in texts.enumerated() { try statement.bind(text, at: place + 1) }
      try statement.run()
      if changes != 1 {
        throw StoreError(
          .corrupt, "the database's schema does not list \(texts[0]) as the store made it")
      }
      let version = Int32(truncatingIfNeeded: try integer("PRAGMA schema_version") ?? 0)
      try execute("PRAGMA schema_version = \(version &+ 1)")
    } catch {
      try? execute("PRAGMA writable_schema = RESET")
      throw error
    }
    try execute("PRAGMA writable_schema = RESET")
  }
}
