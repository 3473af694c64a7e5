internal import CPostgres
internal import ORMStorage

/// Transactions: a snapshot for each read, and one writer at a time over all programs, or many.
///
/// A writer locks an empty table, which the server queues in order of arrival. `LOCK TABLE` takes no
/// snapshot, so that of the transaction is fixed when the lock is held. The lock of one writer among
/// many lets others of its kind pass; the server keeps them serializable.
extension PostgresConnection {
  var readBeginning: String {
    // A standby has no serializable transactions.
    let level = writers.isOne || isReplica ? "REPEATABLE READ" : "SERIALIZABLE"
    return "BEGIN ISOLATION LEVEL \(level) READ ONLY"
  }

  /// The statements that follow the beginning of a transaction where the session keeps no settings.
  private var settings: [String] { isPooled ? PostgresSettings.ofTransaction : [] }

  /// The version of the layout that is written; `Layout.md` describes it.
  static var format: Int64 { 1 }

  /// The query of the layout's number and version, which also fixes the snapshot.
  func layoutQuery(isWriting: Bool) -> String {
    "SELECT max(value) FILTER (WHERE name = 'layout'), max(value) FILTER (WHERE name = 'format'), "
      + "\(facts(isWriting: isWriting)) FROM \(dialect.meta) WHERE name IN ('layout', 'format')"
  }

  /// The columns by which a transaction learns the number of the server's process, and of itself if it writes.
  private func facts(isWriting: Bool) -> String {
    "pg_catalog.pg_backend_pid()::text"
      + (isWriting ? ", pg_catalog.pg_current_xact_id()::text" : "")
  }

  private func metaQuery(_ name: String) -> String {
    "SELECT value FROM \(dialect.meta) WHERE name OPERATOR(pg_catalog.=) '\(name)'"
  }

  func beginSnapshot() throws {
    defer { endLostSession() }
    do {
      try takeLayout(try begin([readBeginning] + settings + [layoutQuery(isWriting: false)]))
    } catch let error as StoreError where PostgresFailure.isRefusal(error) || isMissing(error) {
      try handle.run("ROLLBACK")
      takeFacts(
        try begin([readBeginning] + settings + ["SELECT \(facts(isWriting: false))"]), from: 0)
      layout = nil
    } catch {
      _ = try? handle.run("ROLLBACK")
      throw error
    }
    phase = .reading
  }

  func endRead() {
    guard phase == .reading else { return }
    phase = .none
    pending = []
    if deferredBegin != nil {
      deferredBegin = nil
    } else {
      sendEnd()
    }
    forgetCursors()
  }

  func beginWrite() throws { try beginWrite(isConcurrent: false) }

  func beginWrite(isConcurrent: Bool) throws {
    phase = .beginning
    transactionID = nil
    defer {
      if phase == .beginning { phase = .none }
      endLostSession()
    }
    try learnIncarnation()
    var attempt = 0
    while true {
      do {
        try beginWriteOnce(isConcurrent)
        if incarnation != nil { break }
        // The connection was made anew, perhaps to a server with another past.
        try handle.run("ROLLBACK")
        try learnIncarnation()
      } catch let error as StoreError where isRace(error) && attempt < 10 {
        // Another program has made the same tables at the same time.
        attempt += 1
      }
    }
    phase = .writing
    savepoints = 0
    hasChangedTables = false
    hasCommitted = false
    refusal = nil
    concurrentChanges = isConcurrent ? totalChanges : nil
  }

  private func beginWriteOnce(_ isConcurrent: Bool) throws {
    let lock = lock(isConcurrent)
    let beginning = writeBeginning(isConcurrent)
    do {
      // The server says that the lock is held by others; without an answer, the time is up a bit later.
      try takeLayout(
        try begin(beginning + [lock, layoutQuery(isWriting: true)], within: writingLimit))
      return
    } catch let error as StoreError where PostgresFailure.isRefusal(error) || isMissing(error) {
      try handle.run("ROLLBACK")
    } catch {
      _ = try? handle.run("ROLLBACK")
      throw error
    }
    do {
      let known = try begin(
        "\(beginning.joined(separator: "; ")); SELECT nspname FROM pg_catalog.pg_namespace "
          + "WHERE nspname = \(dialect.string(dialect.namespace))", within: writingLimit)
      let hasNamespace = known.contains { $0.rowCount > 0 }
      let creation = hasNamespace ? "" : "CREATE SCHEMA \(dialect.quoted(dialect.namespace)); "
      let results = try handle.run(
        "\(creation)CREATE TABLE IF NOT EXISTS \(dialect.writerLock) (); \(lock); "
          + "SELECT \(facts(isWriting: true)), pg_catalog.to_regclass(\(dialect.string(dialect.meta)))"
      )
      if results.last?.text(0, 2) != nil {
        // The snapshot is from before another program has made the store.
        throw StoreError(
          .engine, "another program has made the store", engineCode: Int("42P07", radix: 36))
      }
      takeFacts(results, from: 0)
      layout = nil
    } catch {
      _ = try? handle.run("ROLLBACK")
      throw error
    }
  }

  func writeBeginning(_ isConcurrent: Bool) -> [String] {
    var texts = [
      "BEGIN ISOLATION LEVEL \(isConcurrent ? "SERIALIZABLE" : "REPEATABLE READ")",
      lockTimeout(options.writerWait),
    ]
    if options.durability != .full {
      texts.append("SET LOCAL synchronous_commit = off")
    } else if commitsEarly {
      texts.append("SET LOCAL synchronous_commit = on")
    }
    return texts + settings
  }

  /// The statement by which the rest of the transaction waits no longer for a lock.
  func lockTimeout(_ wait: Duration) -> String {
    "SET LOCAL lock_timeout = \(Int32(min(max(1, wait / .milliseconds(1)), 0x1p30)))"
  }

  var writingLimit: Duration { options.writerWait + .seconds(2) }

  /// Locks out writers of the other kind, and of this one unless they may run together.
  func lock(_ isConcurrent: Bool) -> String {
    "LOCK TABLE \(dialect.writerLock) IN \(isConcurrent ? "ROW EXCLUSIVE" : "SHARE ROW EXCLUSIVE") MODE"
  }

  /// Returns whether an error says that a table or the namespace is not there.
  private func isMissing(_ error: StoreError) -> Bool {
    ["42P01", "3F000"].contains(PostgresFailure.state(of: error))
  }

  private func isRace(_ error: StoreError) -> Bool {
    ["23505", "42P06", "42P07"].contains(PostgresFailure.state(of: error))
  }

  func takeLayout(_ results: [PostgresResult]) throws {
    takeFacts(results, from: 2)
    let format = results.last?.text(0, 1).flatMap { Int64($0) } ?? Self.format
    if format > Self.format {
      throw StoreError(
        .schemaTooNew,
        "a newer version of this library has made the store: its layout is \(format), and this "
          + "version knows \(Self.format)")
    }
    let found = results.last?.text(0, 0).flatMap { Int64($0) } ?? 0
    if found != layout, layout != nil { forgetStatements() }
    layout = found
  }

  private func takeFacts(_ results: [PostgresResult], from column: Int) {
    takeBackend(results.last?.text(0, column))
    transactionID = results.last?.text(0, column + 1)
  }

  func commit() throws {
    guard phase == .writing else { return }
    do {
      if hasChangedTables { _ = try schemaVersion() }
      try use(sendsPending: false)
    } catch {
      rollback()
      throw error
    }
    handle.stoppable = .never
    forgetCursors()
    if concurrentChanges != nil { return try commitConcurrently() }
    do {
      _ = try commit(with: takePending() + [raising("commits"), "COMMIT"])
      notePositionOfCommit()
    } catch let error as StoreError where error.code == .connectionLost || handle.isLost {
      phase = .none
      counters.positions.didCommit(at: nil)
      try learnOutcome()
    } catch {
      rollback()
      throw error
    }
    counters.commits.withLock { $0 &+= 1 }
  }

  /// Runs the texts that end a transaction, one of which is `COMMIT`.
  ///
  /// A commit that the server has answered stands even if the texts after it fail.
  ///
  /// - Returns: the results of the texts after the commit, as far as they came.
  /// - Throws: the error of a text before the commit, or of the commit.
  func commit(with texts: [String]) throws -> ArraySlice<PostgresResult> {
    let end = ContinuousClock.now + outcomeLimit
    let index = texts.firstIndex(of: "COMMIT") ?? texts.count
    var results: [PostgresResult] = []
    var isDone: Bool { results.count > index && results[index].command == "COMMIT" }
    do {
      handle.deadline = end
      defer { handle.deadline = nil }
      try use()
      let failure = try handle.exchange(
        texts.map(repeated), until: end, of: texts.count, into: &results)
      if !isDone {
        throw failure ?? StoreError(.engine, "the server rolled the transaction back")
      }
    } catch {
      if !isDone { throw error }
    }
    phase = .none
    // Errors after the commit concern no transaction.
    handle.contention = nil
    return results.dropFirst(index + 1)
  }

  /// A statement that raises a number in the store's own table, where a test holds.
  func raising(_ name: String, _ test: String = "") -> String {
    "INSERT INTO \(dialect.meta) AS m (name, value) SELECT '\(name)', '1' \(test)"
      + "ON CONFLICT (name) DO UPDATE SET value = (m.value::bigint + 1)::text RETURNING value"
  }

  func rollback() {
    guard phase == .writing else { return }
    phase = .none
    pending = []
    if deferredBegin != nil {
      deferredBegin = nil
      return
    }
    do {
      endCancelling()
      try cancelUnread()
      try free()
      forgetCursors()
      if handle.transaction != PQTRANS_IDLE { try handle.run("ROLLBACK") }
    } catch {
      // A connection that is lost has rolled back, and is made anew by the next transaction.
      handle.close()
    }
    endLostSession()
    if hasChangedTables { forgetStatements() }
    hasChangedTables = false
  }

  var isInTransaction: Bool {
    guard phase == .writing, !handle.isLost else { return false }
    if deferredBegin != nil { return true }
    return handle.transaction == PQTRANS_INERROR
      ? savepoints > 0 : handle.transaction != PQTRANS_IDLE
  }

  var loss: StoreError? { handle.isLost ? PostgresFailure.lost() : nil }

  // MARK: Savepoints

  // The beginning and the end of a savepoint travel with the next statement.

  func beginSavepoint() throws {
    savepoints += 1
    pending.append("SAVEPOINT \(innermostSavepoint)")
  }

  func releaseSavepoint() throws {
    // A statement may have ended the transaction.
    if phase == .none { return }
    if pending.last == "SAVEPOINT \(innermostSavepoint)" {
      pending.removeLast()
    } else {
      pending.append("RELEASE SAVEPOINT \(innermostSavepoint)")
    }
    savepoints -= 1
  }

  func rollbackSavepoint() throws {
    if !isInTransaction { return }
    let name = innermostSavepoint
    if pending.last == "SAVEPOINT \(name)" {
      pending.removeLast()
    } else {
      // A statement that undoes something is never cancelled.
      let known = handle.stoppable
      handle.stoppable = .never
      defer { handle.stoppable = known }
      takeRows(ofCursorsIn: savepoints)
      try use()
      do {
        try handle.run("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
      } catch {
        // A cancelled statement may have been the one that begins the savepoint. The block around it fails then.
        guard PostgresFailure.state(of: error) == "3B001" else { throw error }
      }
      forgetClosings(in: savepoints)
    }
    savepoints -= 1
  }

  /// The name of the innermost savepoint.
  ///
  /// Each depth has its own, since a cancellation may meet the statement
  /// that begins or ends one: the same name would then be that of the savepoint around it, or inside it.
  private var innermostSavepoint: String { "strata_\(savepoints)" }

  // MARK: Other programs

  func othersCommits() throws -> UInt64? {
    let query =
      "SELECT (\(metaQuery("commits"))), "
      + "pg_catalog.pg_sequence_last_value(pg_catalog.to_regclass(\(dialect.string(dialect.commits))))"
    return try counters.concurrentCommits.othersCount {
      let results: [PostgresResult]
      if phase == .none {
        results = try begin(query)
      } else {
        try use()
        results = try handle.run(query)
      }
      let count = results.last?.text(0, 0).flatMap { UInt64($0) } ?? 0
      return (
        count &- counters.commits.withLock { $0 },
        results.last?.text(0, 1).flatMap { UInt64($0) } ?? 0
      )
    }
  }

  func schemaVersion() throws -> Int64? {
    if hasChangedTables, phase == .writing, try hasTable(PostgresDialect.metaName) {
      try use()
      try handle.run(
        "INSERT INTO \(dialect.meta) (name, value) VALUES ('format', '\(Self.format)') "
          + "ON CONFLICT (name) DO NOTHING")
      layout = try handle.run(raising("layout")).last?.text(0, 0).flatMap { Int64($0) }
      hasChangedTables = false
    }
    return layout
  }

  // MARK: Tables

  func hasTable(_ name: String) throws -> Bool {
    try use()
    return try handle.run(
      "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        + "WHERE n.nspname = \(dialect.string(dialect.namespace)) "
        + "AND c.relname = \(dialect.string(dialect.shortened(name)))"
    ).contains { $0.rowCount > 0 }
  }

  /// Returns true: tables of other programs keep no store out.
  func isEmpty() throws -> Bool { true }

  func removePrimaryKey(of table: String) throws {
    try use()
    let names = try handle.run(
      "SELECT c.conname FROM pg_catalog.pg_constraint c WHERE c.contype = 'p' AND c.conrelid = "
        + "\(dialect.string(dialect.quoted(table: table)))::pg_catalog.regclass")
    guard let name = names.last?.text(0, 0) else { return }
    try changeTables(
      "ALTER TABLE \(dialect.quoted(table: table)) DROP CONSTRAINT \(dialect.quoted(name)) CASCADE")
  }

  func renameIndex(_ name: String, to newName: String) throws -> Bool {
    try changeTables(
      "ALTER INDEX \(dialect.quoted(table: name)) RENAME TO \(dialect.quoted(newName))")
    return true
  }
}
