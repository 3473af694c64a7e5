internal import CPostgres
internal import ORMStorage
internal import SQLEngine

/// Statements that programs write themselves.
///
/// Each runs in a savepoint, so that one that fails leaves the transaction as it was. Names without a
/// namespace are those of the server and of the store's namespace.
extension PostgresConnection: ProgramStatementConnection {
  func statement(
    _ sql: String, writtenFor purpose: SQLPurpose
  ) throws -> any ProgramStatement {
    let words = PostgresWords.first(3, of: sql)
    let isRight =
      switch purpose {
      case .query: PostgresWords.beginQuery(words)
      case .change: PostgresWords.beginChange(words)
      }
    guard isRight else {
      throw StoreError(
        .invalidStatement,
        purpose == .query
          ? "the statement is no query; change models by the operations of the store, and tables of "
            + "the program's own by execute(sql:)"
          : "execute(sql:) changes rows, tables, indexes, views and sequences of the program's own, and "
            + "no transactions and settings")
    }
    return try PostgresStatement(sql, on: self, writtenFor: purpose)
  }

  /// The steps before such a statement.
  private var beginning: [PostgresHandle.Step] {
    [.text("SAVEPOINT strata_sql"), .text(settingPathOfProgram)]
  }

  /// The statement by which names without a namespace are those of the store's, too.
  private var settingPathOfProgram: String {
    "SET LOCAL search_path = \(dialect.quoted(dialect.namespace)), pg_temp"
  }

  /// The statement by which the store's own statements have their path again.
  ///
  /// In a session of its own it is that of the session: the program's statement may have set another one.
  private var settingPath: String {
    isPooled ? PostgresSettings.setPath : "SET search_path = \(PostgresSettings.path)"
  }

  func withProgramNames(_ body: () throws -> Void) throws {
    try use()
    try handle.run(settingPathOfProgram)
    // If the body throws, the statement's transaction is undone, and the setting with it.
    try body()
    try use()
    try handle.run(settingPath)
  }

  /// The steps after it that undo its changes.
  private static var undoing: [PostgresHandle.Step] {
    [.text("ROLLBACK TO SAVEPOINT strata_sql"), .text("RELEASE SAVEPOINT strata_sql")]
  }

  /// Prepares a statement, and forgets one that was prepared before.
  func prepare(written sql: String, insteadOf old: PostgresPrepared?) throws -> PostgresPrepared {
    if PostgresHandle.hasManyParameters(sql) {
      throw StoreError(
        .tooComplex, "a statement has at most 7,000 values here; give a list as one array")
    }
    try use()
    if let old { retire(old) }
    let name = newStatementName()
    let results = try inSavepoint {
      try pipelineAfterRemovals(beginning + [.preparing(sql, name: name)] + Self.undoing)
    }
    guard let description = results.dropLast(Self.undoing.count).last else {
      throw PostgresFailure.lost()
    }
    return PostgresPrepared(
      sql, name: name, parameterTypes: description.parameterTypes, backend: backend,
      generation: generation, columnNames: description.columnNames)
  }

  /// Runs a query that may change nothing, and undoes settings that it may have made.
  func run(query prepared: PostgresPrepared, _ values: PostgresValues) throws -> PostgresResult {
    try use()
    var steps = beginning
    // The transaction of a read cannot write.
    if phase == .writing { steps.append(.text("SET LOCAL transaction_read_only = on")) }
    steps.append(.prepared(prepared, values))
    return try inSavepoint { try handle.pipeline(steps + Self.undoing)[steps.count - 1] }
  }

  /// Runs a statement that may change the program's own tables, and undoes one that changes others.
  func run(
    change prepared: PostgresPrepared, _ values: PostgresValues, keeping tables: Set<String>
  ) throws -> PostgresResult {
    try use()
    let facts = PostgresHandle.Step.text(factsQuery(tables))
    let path = PostgresHandle.Step.text("SHOW search_path")
    let steps =
      [.text("SAVEPOINT strata_sql"), facts, .text(settingPathOfProgram), path]
      + [.prepared(prepared, values), path, .text(settingPath), facts]
    return try inSavepoint {
      let results: [PostgresResult]
      do {
        results = try handle.pipeline(steps)
      } catch {
        // A row that breaks a rule of the store's table was on its way there.
        guard let table = handle.failedTable, table.namespace == dialect.namespace,
          tables.contains(where: { dialect.shortened($0) == table.name })
        else { throw error }
        throw Self.touchesStore
      }
      let (before, result, after) = (results[1], results[4], results[7])
      guard before.text(0, 0) == after.text(0, 0) else { throw Self.touchesStore }
      guard results[3].text(0, 0) == results[5].text(0, 0), before.text(0, 1) == after.text(0, 1)
      else {
        throw StoreError(
          .invalidStatement, "the statement changes a setting, which the store's statements rely on"
        )
      }
      try handle.run("RELEASE SAVEPOINT strata_sql")
      count(changesOf: result)
      return result
    }
  }

  private static var touchesStore: StoreError {
    StoreError(
      .invalidStatement,
      "the statement changes a table of the store, which stores its models, or its names; "
        + "change models by the operations of the store")
  }

  /// Runs a body that begins the savepoint, and goes back to it if that throws.
  private func inSavepoint<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      if !handle.isLost, handle.transaction != PQTRANS_IDLE {
        // Where the savepoint was not begun, there is nothing to undo.
        _ = try? handle.run("ROLLBACK TO SAVEPOINT strata_sql; RELEASE SAVEPOINT strata_sql")
      }
      switch PostgresFailure.state(of: error) {
      case "25006":
        throw StoreError(
          .invalidStatement,
          "the query would change something; use execute(sql:) for tables of the program's own")
      case let state where state.hasPrefix("42") || state.hasPrefix("0A") || state.hasPrefix("2B"):
        var refusal = error as? StoreError
        refusal?.code = .invalidStatement
        throw refusal ?? error
      default: throw error
      }
    }
  }

  /// A query of two texts: one that is another after any change of the store's tables, and the settings.
  ///
  /// The first has the numbers and names of tables, the rows written in this transaction, and the locks that
  /// only changes of tables take.
  private func factsQuery(_ tables: Set<String>) -> String {
    let names = tables.map { dialect.string(dialect.shortened($0)) }.sorted()
    return """
      WITH own AS (SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n \
      ON n.oid = c.relnamespace WHERE n.nspname = \(dialect.string(dialect.namespace)) \
      AND (c.relname IN (\((names + ["''"]).joined(separator: ", "))) OR c.relname LIKE 'strata\\_%' \
      OR c.relname LIKE '%$%')), \
      relations AS (SELECT oid FROM own UNION SELECT i.indexrelid FROM pg_catalog.pg_index i \
      WHERE i.indrelid IN (SELECT oid FROM own)) \
      SELECT (SELECT string_agg(line, ';' ORDER BY line) FROM (\
      SELECT concat_ws(',', c.oid, c.relname, c.relnamespace, c.relowner, c.relacl, c.relfilenode, \
      c.relnatts, pg_catalog.pg_stat_get_xact_tuples_inserted(c.oid), \
      pg_catalog.pg_stat_get_xact_tuples_updated(c.oid), \
      pg_catalog.pg_stat_get_xact_tuples_deleted(c.oid)) AS line FROM pg_catalog.pg_class c \
      WHERE c.oid IN (SELECT oid FROM relations) UNION ALL \
      SELECT concat_ws(',', l.relation, l.mode) FROM pg_catalog.pg_locks l \
      WHERE l.pid = pg_catalog.pg_backend_pid() AND l.relation IN (SELECT oid FROM relations) \
      AND l.mode NOT IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')) AS facts), \
      (SELECT string_agg(concat_ws('=', s.name, s.setting), ';' ORDER BY s.name) \
      FROM pg_catalog.pg_settings s WHERE s.source = 'session')
      """
  }
}

/// The words with which a statement begins.
enum PostgresWords {
  static func beginQuery(_ words: [String]) -> Bool {
    ["SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN"].contains(words.first ?? "")
  }

  static func beginChange(_ words: [String]) -> Bool {
    switch words.first ?? "" {
    case "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "SELECT", "TRUNCATE": true
    case "CREATE", "ALTER", "DROP":
      words.dropFirst().contains { objects.contains($0) }
        && !words.dropFirst().contains { ["FUNCTION", "TRIGGER", "RULE", "EVENT"].contains($0) }
    case "COMMENT", "REFRESH": true
    default: false
    }
  }

  private static let objects: Set<String> = ["TABLE", "INDEX", "VIEW", "SEQUENCE"]

  /// The first words of a text in capitals, after blanks, comments and parentheses.
  static func first(_ count: Int, of sql: String) -> [String] {
    var rest = sql.utf8[...]
    var words: [String] = []
    while words.count < count, let first = rest.first {
      switch first {
      case 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, UInt8(ascii: "("): rest.removeFirst()
      case _ where rest.starts(with: "--".utf8): rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
      case _ where rest.starts(with: "/*".utf8): skipComment(&rest)
      case 0x41...0x5A, 0x61...0x7A:
        let word = rest.prefix { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x5F }
        words.append(String(decoding: word, as: UTF8.self).uppercased())
        rest = rest[word.endIndex...]
      default: return words
      }
    }
    return words
  }

  /// Skips a comment, in which others may stand.
  private static func skipComment(_ rest: inout Substring.UTF8View) {
    var depth = 0
    while !rest.isEmpty {
      if rest.starts(with: "/*".utf8) {
        depth += 1
        rest.removeFirst(2)
      } else if rest.starts(with: "*/".utf8) {
        depth -= 1
        rest.removeFirst(2)
        if depth == 0 { return }
      } else {
        rest.removeFirst()
      }
    }
  }
}
