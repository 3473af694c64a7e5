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
    func declaration(isOptional: Bool) -> String {
      var column = column
      column.isOptional = isOptional
      return dialect.declaration(of: column, named: dialect.quoted(name), isRowNumber: false)
    }
    let query = try prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1")
    try query.bind(table, at: 1)
    let text = try query.step() ? query.text(at: 0) : nil
    query.reset()
    guard
      let changed = text.flatMap({
        Self.replacing(
          declaration(isOptional: isRequired), by: declaration(isOptional: !isRequired), in: $0)
      })
    else {
      throw StoreError(
        .corrupt, "the database does not declare \(name) of \(table) as the store made it")
    }
    try editSchema(
      "UPDATE sqlite_schema SET sql = ?2 WHERE type = 'table' AND name = ?1", [table, changed])
  }

  /// Replaces a declaration in the text of a table; nil where it is not there.
  ///
  /// Quoted texts are skipped, since a default may hold the same characters.
  static func replacing(_ old: String, by new: String, in table: String) -> String? {
    let (text, pattern) = (Array(table.utf8), Array(old.utf8))
    var quote: UInt8?
    for (index, byte) in text.enumerated() {
      if quote == nil, text[index...].starts(with: pattern) {
        let bytes = text[..<index] + Array(new.utf8) + text[(index + pattern.count)...]
        return String(decoding: bytes, as: UTF8.self)
      }
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      }
    }
    return nil
  }

  /// Changes the schema's own table, as the library's manual describes for changes that concern no
  /// content (https://sqlite.org/lang_altertable.html, section 7).
  ///
  /// Its version is counted up so that other connections read it anew.
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
      for (index, text) in texts.enumerated() { try statement.bind(text, at: index + 1) }
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
