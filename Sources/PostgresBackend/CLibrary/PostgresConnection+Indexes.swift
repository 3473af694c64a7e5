internal import ORMStorage
internal import SQLEngine

/// Indexes that the server builds outside of transactions, while programs write.
///
/// One program at a time builds them in a namespace. It holds an advisory lock in a transaction on a
/// connection of its own, which holds no snapshot: the server would wait for that to end. So does a
/// program that waits for the lock, which asks again and again.
extension PostgresConnection: IndexBuildingConnection {
  var onlineIndexWord: String { "CONCURRENTLY" }

  /// The number of the lock.
  private var indexLockKey: Int64 {
    let name = "strata indexes of \(dialect.namespace)"
    return Int64(bitPattern: Array(name.utf8).withUnsafeBytes { SHA256(of: $0) }.words.0)
  }

  func beginIndexBuilding() throws {
    while try !takeIndexLock() { try PostgresHandle.pause() }
  }

  /// Takes the lock, if no other program has it.
  private func takeIndexLock() throws -> Bool {
    if indexLock?.isLost == false { return true }
    let lock = try connect(postgres.connectTimeout)
    lock.deadline = .now + postgres.connectTimeout
    do {
      let results = try lock.run(
        "BEGIN ISOLATION LEVEL READ COMMITTED; "
          + "SELECT pg_catalog.pg_try_advisory_xact_lock(\(indexLockKey))")
      guard results.last?.text(0, 0) == "t" else {
        lock.close()
        return false
      }
    } catch {
      // The lock may be held though the answer is lost.
      lock.close()
      endLostSession(of: lock)
      throw error
    }
    indexLock = lock
    return true
  }

  func endIndexBuilding() {
    guard let lock = indexLock else { return }
    indexLock = nil
    lock.deadline = .now + postgres.connectTimeout
    let hasEnded = (try? lock.run("ROLLBACK")) != nil
    lock.close()
    if !hasEnded { endLostSession(of: lock) }
  }

  func buildIndex(_ sql: String, named name: String) throws {
    if indexLock?.isLost != false { try beginIndexBuilding() }
    try use()
    try removeIndex(dialect.shortened(name))
    do {
      try handle.run(sql)
    } catch {
      // If this fails too, the end of the opening or the next one removes it.
      if !handle.isLost { try? removeIndex(dialect.shortened(name)) }
      throw error
    }
  }

  func isIndexBuilt(_ name: String) throws -> Bool {
    try use()
    return try handle.run(
      "SELECT 1 FROM pg_catalog.pg_index i "
        + "JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid "
        + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE i.indisvalid "
        + "AND n.nspname = \(dialect.string(dialect.namespace)) "
        + "AND c.relname = \(dialect.string(dialect.shortened(name)))"
    ).contains { $0.rowCount > 0 }
  }

  func layout(ofTable name: String) throws -> SQLTableLayout? {
    try use()
    let results = try handle.run(
      "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), o.collname, a.attnotnull, "
        + "pg_catalog.array_position(i.indkey::pg_catalog.int2[], a.attnum) "
        + "FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid "
        + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        + "LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation "
        + "LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indisvalid "
        + "WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p') "
        + "AND n.nspname = \(dialect.string(dialect.namespace)) "
        + "AND c.relname = \(dialect.string(dialect.shortened(name)))")
    var layout = SQLTableLayout()
    var key: [(position: Int, column: String)] = []
    guard let result = results.last else { return layout }
    for row in 0..<result.rowCount {
      guard let column = result.text(row, 0), var text = result.text(row, 1) else { continue }
      if let collation = result.text(row, 2) { text += " COLLATE \(dialect.quoted(collation))" }
      if result.text(row, 3) == "t" { text += " NOT NULL" }
      layout.columns[column] = text
      if let position = result.text(row, 4).flatMap({ Int($0) }) { key.append((position, column)) }
    }
    layout.key = key.sorted { $0.position < $1.position }.map(\.column)
    return layout
  }

  func removeUnfinishedIndexes() throws {
    guard try !unfinishedIndexes().isEmpty, try takeIndexLock() else { return }
    defer { endIndexBuilding() }
    for name in try unfinishedIndexes() { try removeIndex(name) }
  }

  /// The names of the indexes that are being built, or were.
  private func unfinishedIndexes() throws -> [String] {
    try use()
    let prefix = SQLNames.buildingPrefix
    let result = try handle.run(
      "SELECT c.relname FROM pg_catalog.pg_class c "
        + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'i' "
        + "AND n.nspname = \(dialect.string(dialect.namespace)) "
        + "AND pg_catalog.starts_with(c.relname::text, \(dialect.string(prefix))) ORDER BY 1"
    ).last
    guard let result else { return [] }
    return (0..<result.rowCount).compactMap { result.text($0, 0) }
  }

  /// Removes an index, without keeping readers and writers of its table out.
  private func removeIndex(_ name: String) throws {
    try handle.run("DROP INDEX CONCURRENTLY IF EXISTS \(dialect.quoted(table: name))")
  }
}
