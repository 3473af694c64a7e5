internal import ORMStorage
internal import SQLEngine

extension PostgresConnection {
  func additions(toTables names: [String]) throws -> [SQLTableAddition] {
    try use()
    let list = names.map { dialect.string(dialect.shortened($0)) }.joined(separator: ", ")
    let result = try handle.run(
      """
      SELECT c.relname, a.kind, a.name FROM pg_catalog.pg_class c \
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL (\
      SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' \
      ELSE 'foreign table' END AS kind, '' AS name WHERE c.relkind NOT IN ('r', 'p', 'i', 'I') \
      UNION ALL SELECT 'row-level security policy', '' WHERE c.relrowsecurity \
      UNION ALL SELECT 'trigger', t.tgname::text FROM pg_catalog.pg_trigger t \
      WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D' \
      UNION ALL SELECT 'rule', r.rulename::text FROM pg_catalog.pg_rewrite r \
      WHERE r.ev_class = c.oid AND c.relkind <> 'v' AND c.relkind <> 'm' AND r.ev_enabled <> 'D' \
      UNION ALL SELECT 'foreign key', k.conname::text FROM pg_catalog.pg_constraint k \
      WHERE k.conrelid = c.oid AND k.contype = 'f' \
      UNION ALL SELECT 'inheriting table', i.inhrelid::pg_catalog.regclass::text \
      FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid AND c.relkind = 'r' \
      UNION ALL SELECT 'generated column', g.attname::text FROM pg_catalog.pg_attribute g \
      WHERE g.attrelid = c.oid AND g.attgenerated <> '') AS a \
      WHERE n.nspname = \(dialect.string(dialect.namespace)) AND c.relname IN (\(list))
      """
    ).last
    guard let result else { return [] }
    return (0..<result.rowCount).compactMap { row in
      guard let table = result.text(row, 0), let kind = result.text(row, 1) else { return nil }
      return SQLTableAddition(table: table, kind: kind, name: result.text(row, 2) ?? "")
    }
  }

  /// Runs a statement that changes tables.
  ///
  /// While a change of a table waits for transactions that have read it, the server lets no other read or
  /// write the table. So a change is cancelled after a while, and is tried again until `writerWait` is over.
  func changeTables(_ sql: String) throws {
    // The server changes no table that a cursor reads.
    takeRows(ofCursorsIn: 0)
    if concurrentChanges != nil, !hasChangedTables {
      // The statements of other writers are made for the tables as they are.
      try use()
      try handle.run(lock(false))
    }
    try use()
    if phase == .writing {
      let end = ContinuousClock.now + options.writerWait
      while try !change(tables: sql, isLast: .now >= end) {
        try PostgresHandle.pause(microseconds: .random(in: 100_000...500_000))
      }
    } else {
      _ = try write { .text(sql) }
    }
    hasChangedTables = true
    forgetStatements()
  }

  /// The time in which a change of a table must get its lock, or is cancelled.
  private static var changeWait: Duration { .seconds(2) }

  /// Runs a statement that changes tables; returns false if it was cancelled.
  private func change(tables sql: String, isLast: Bool) throws -> Bool {
    let wait = min(Self.changeWait, options.writerWait)
    let steps =
      [.text(lockTimeout(wait))] + undoable(.text(sql)) + [.text(lockTimeout(options.writerWait))]
    do {
      _ = counted(try handle.pipeline(steps), 2)
      return true
    } catch {
      try undoStep()
      if isLast || PostgresFailure.state(of: error) != PostgresFailure.lockTimeout { throw error }
      return false
    }
  }
}
