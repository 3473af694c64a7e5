internal import CPostgres
internal import ORMStorage
internal import SQLEngine

/// One connection to a namespace, with its prepared statements and its transaction.
///
/// Not Sendable: one thread uses it at a time. A connection that is found lost when a transaction begins
/// is made anew.
final class PostgresConnection: SQLConnection, BatchingConnection, TableAlteringConnection,
  TripCountingConnection
{
  let dialect: PostgresDialect
  let options: StoreOptions
  let counters: PostgresCounters
  /// The settings that only these stores have.
  let postgres: PostgresOptions
  /// The way in which write transactions are isolated.
  var writers: PostgresOptions.Writers { postgres.writers }
  /// The number of the standby to which the connection leads; nil if it leads to the server itself.
  let replica: Int?
  /// True if the connection leads to a standby.
  var isReplica: Bool { replica != nil }
  /// Connects, or throws when a time has passed.
  let connect: @Sendable (_ limit: Duration) throws -> PostgresHandle
  /// The connection whose transaction keeps other programs from building indexes.
  var indexLock: PostgresHandle?
  private(set) var handle: PostgresHandle
  var tripCount: Int { handle.trips }
  /// The server's process that runs the transaction, or ran the last one; 0 before the first.
  private(set) var backend: Int32 = 0
  /// True if a pooler hands transactions to different processes of the server.
  private(set) var isPooled = false
  /// The statements that other processes of the server have prepared, behind a pooler.
  private var preparedElsewhere: [Int32: [ExactText: PostgresPrepared]] = [:]
  /// The transaction's number; nil where the server gives none.
  var transactionID: String?
  /// The text by which a server's life is recognised: in another, it may have lost transactions.
  var incarnation: String?
  /// True if the server or the role lets a commit return before it is safe.
  var commitsEarly = false
  /// The statements that the server has prepared, by their texts.
  private var prepared: [ExactText: PostgresPrepared] = [:]
  /// The names of statements that are to be removed.
  private var retired: [String] = []
  private var nameCount = 0
  /// The number that a statement must have been prepared under; tables may differ from before.
  private(set) var generation = 0
  /// The rows that are on their way.
  var streaming: (any PostgresRows)?
  /// The open cursors of the server, by their numbers.
  var cursors: [Int: PostgresBatches] = [:]
  /// The names of cursors that are to be closed, with the numbers of savepoints around them.
  var closings: [(name: String, depth: Int)] = []
  /// True if rows are on their way that are no longer read.
  var hasUnreadRows = false
  /// The transaction that is begun with its first statement; nil once it has begun.
  var deferredBegin: Beginning?
  /// Texts that are sent with the next statement: savepoints and their ends.
  var pending: [String] = []
  var phase = Phase.none
  /// True if the next statement that changes rows may also commit the transaction, which it begins.
  var commitsNext = false
  /// True if the last transaction was committed by its statement.
  var hasCommitted = false
  /// The error of the statement that was to commit the last transaction.
  var refusal: StoreError?
  /// The number of savepoints that are open.
  var savepoints = 0
  /// The number of the tables' layout, which every change of tables raises; nil without a store.
  var layout: Int64?
  /// True if tables changed since the number was raised.
  var hasChangedTables = false
  private(set) var changes = 0
  private(set) var totalChanges = 0
  private(set) var isClosed = false
  /// The number of rows changed on the connection when the transaction began; nil unless others may run
  /// beside it.
  var concurrentChanges: Int?

  /// A kind of transaction.
  enum Phase { case none, reading, beginning, writing }

  /// The most statements that a server keeps for a connection.
  private static var capacity: Int { 512 }

  /// Makes a connection.
  ///
  /// - Parameters:
  ///   - dialect: the dialect, with the namespace.
  ///   - options: the options of the store.
  ///   - postgres: those that only these stores have.
  ///   - counters: the counters of the store.
  ///   - replica: the number of the standby to which it leads; nil for the server itself.
  ///   - limit: the time in which the connection must be made.
  ///   - connect: connects, or throws when a time has passed.
  init(
    _ dialect: PostgresDialect, _ options: StoreOptions, _ postgres: PostgresOptions,
    counters: PostgresCounters, replica: Int? = nil, limit: Duration,
    connect: @escaping @Sendable (_ limit: Duration) throws -> PostgresHandle
  ) throws {
    self.dialect = dialect
    self.options = options
    self.postgres = postgres
    self.counters = counters
    self.replica = replica
    self.connect = connect
    handle = try connect(limit)
    takeOver()
    counters.lostSessions.connectionOpened()
  }

  deinit { if !isClosed { counters.lostSessions.connectionClosed() } }

  // MARK: Statements

  func statement(_ sql: String) throws -> any SQLStatement { try PostgresStatement(sql, on: self) }

  func statement(
    _ sql: String, forOneRow single: String?, ofRowsWithKey key: [Int]
  ) throws -> any BatchStatement {
    try PostgresStatement(sql, on: self, forOneRow: single, ofRowsWithKey: key)
  }

  /// Prepares the connection for a statement of its transaction, which no other transaction has disturbed.
  ///
  /// A deferred transaction is begun, and pending statements are sent, unless the statement sends them.
  ///
  /// - Parameter sendsPending: false if the statement sends the pending ones too.
  /// - Throws: `SQLLayoutChange` if the tables are not as they were before.
  func use(sendsPending: Bool = true) throws {
    try beginNow()
    if phase != .none, let contention = handle.contention { throw contention }
    try free()
    if sendsPending, phase == .writing, hasPending {
      _ = try handle.pipeline(takePending().map(repeated))
    }
  }

  /// Makes the connection free: rows on their way are taken, and a read's end.
  func free() throws {
    if isClosed { throw StoreError(.closed, "the store was closed") }
    try streaming?.takeRest()
    try handle.endPipelines()
  }

  /// True if statements are prepared under names.
  private var usesNames: Bool {
    switch postgres.statements {
    case .automatic: !isPooled
    // Behind a pooler, a name stands for a text over tables of one layout.
    case .named: !isPooled || !hasChangedTables
    case .unnamed: false
    }
  }

  /// A statement without parameters that is sent again and again; prepared if it may have a name.
  func repeated(_ sql: String) -> PostgresHandle.Step {
    isPooled || postgres.statements == .unnamed ? .text(sql) : .cached(sql)
  }

  /// Returns whether a statement can be run as it was prepared.
  func isCurrent(_ prepared: PostgresPrepared) -> Bool {
    prepared.generation == generation
      && (prepared.name.isEmpty || prepared.backend == backend && usesNames)
  }

  /// Returns the statement that the server has prepared for a text; prepares it at first.
  func prepared(_ sql: String) throws -> PostgresPrepared {
    if let known = prepared[sql], isCurrent(known) { return known }
    try use()
    retireUnused()
    let name = usesNames ? newStatementName(sql) : ""
    let description = try describe(sql, name: name)
    let made = PostgresPrepared(
      sql, name: name, parameterTypes: description?.parameterTypes ?? [], backend: backend,
      generation: generation)
    made.givesData = description?.givesData ?? true
    prepared[sql] = made
    return made
  }

  /// Returns a statement with the parameters of another, which its first run prepares in the same trip.
  func prepared(_ sql: String, as other: PostgresPrepared) throws -> PostgresPrepared {
    try prepared(sql, other.parameterTypes)
  }

  /// Returns a statement with parameters of types, which its first run prepares in the same trip.
  func prepared(_ sql: String, _ types: [PostgresType]) throws -> PostgresPrepared {
    if let known = prepared[sql], isCurrent(known) { return known }
    if isPooled { return try prepared(sql) }
    retireUnused()
    let name = usesNames ? newStatementName(sql) : ""
    let made = PostgresPrepared(
      sql, name: name, parameterTypes: types, backend: backend, generation: generation)
    made.isNew = !name.isEmpty
    prepared[sql] = made
    return made
  }

  /// Prepares a text under a name, and returns its description.
  private func describe(_ sql: String, name: String) throws -> PostgresResult? {
    if name.isEmpty, PostgresHandle.hasManyParameters(sql) {
      // Its types are asked for by its name, which it has in this transaction alone.
      let steps: [PostgresHandle.Step] = [
        .preparing(sql, name: "strata_types"), .text("DEALLOCATE strata_types"),
      ]
      return try handle.pipeline(steps).dropLast().last
    }
    guard isPooled, !name.isEmpty, phase != .none else {
      return try pipelineAfterRemovals([.preparing(sql, name: name)]).last
    }
    // Another client of the pooler may have prepared the same text under the same name.
    do {
      let steps: [PostgresHandle.Step] = [
        .text("SAVEPOINT strata_name"), .preparing(sql, name: name),
        .text("RELEASE SAVEPOINT strata_name"),
      ]
      return try handle.pipeline(steps).dropLast().last
    } catch let error as StoreError where PostgresFailure.state(of: error) == "42P05" {
      try handle.run("ROLLBACK TO SAVEPOINT strata_name; RELEASE SAVEPOINT strata_name")
      return try handle.pipeline([.describing(sql, name: name)]).last
    }
  }

  /// A name for a statement: its own on a connection of its own, and by the text behind a pooler.
  private func newStatementName(_ sql: String) -> String {
    if !isPooled { return newStatementName() }
    let digest = Array("\(layout ?? 0) \(sql)".utf8).withUnsafeBytes { SHA256(of: $0) }
    return "strata_" + digest.text.prefix(32)
  }

  /// A name for a statement that a program wrote; empty where names are not used.
  func newStatementName() -> String {
    if isPooled || !usesNames { return "" }
    nameCount += 1
    return "strata_\(nameCount)"
  }

  /// Remembers that a server knows no statement of a name any more, as behind some poolers.
  ///
  /// - Returns: whether the error says so, and the statement may be run without a name.
  func notePooler(_ error: any Error) -> Bool {
    guard postgres.statements == .automatic, !isPooled,
      ["26000", "42P05", "08P01"].contains(PostgresFailure.state(of: error))
    else { return false }
    counters.isPooled.withLock { $0 = true }
    isPooled = true
    prepared = [:]
    retired = []
    return true
  }

  /// Takes the number of the process that runs the transaction, by which a pooler is noticed.
  func takeBackend(_ text: String?) {
    guard let number = text.flatMap({ Int32($0) }) else { return }
    let old = backend
    backend = number
    if !isPooled, number != handle.backend || counters.isPooled.withLock({ $0 }) {
      counters.isPooled.withLock { $0 = true }
      isPooled = true
      prepared = [:]
      retired = []
    } else if isPooled, old != number, case .named = postgres.statements {
      preparedElsewhere[old] = prepared
      prepared = preparedElsewhere.removeValue(forKey: number) ?? [:]
      if preparedElsewhere.count > 64 { preparedElsewhere = [:] }
    }
  }

  /// Runs statements in one trip, after the removal of unused prepared ones.
  func pipelineAfterRemovals(_ steps: [PostgresHandle.Step]) throws -> [PostgresResult] {
    let removals =
      isPooled
      ? [] : retired.map { PostgresHandle.Step.text("DEALLOCATE \(dialect.quoted($0))") }
    // They come first, and so are removed even if the later steps fail.
    retired = []
    let results = try handle.pipeline(removals + steps)
    return Array(results.dropFirst(removals.count))
  }

  /// Removes a prepared statement with the next one that is prepared.
  func retire(_ statement: PostgresPrepared) {
    guard statement.generation == generation, statement.isKnown else { return }
    retired.append(statement.name)
  }

  private func retireUnused() {
    guard prepared.count >= Self.capacity else { return }
    for sql in Array(prepared.keys) {
      guard var statement = prepared.removeValue(forKey: sql) else { continue }
      if isKnownUniquelyReferenced(&statement) {
        if statement.isKnown { retired.append(statement.name) }
      } else {
        prepared[sql] = statement
      }
    }
  }

  /// Forgets every prepared statement: tables are no longer as they were.
  func forgetStatements() {
    for statement in prepared.values where statement.generation == generation {
      if statement.isKnown { retired.append(statement.name) }
    }
    prepared = [:]
    preparedElsewhere = [:]
    generation += 1
  }

  /// Runs a statement that writes; in a transaction it undoes itself if it fails.
  ///
  /// - Parameter make: gives the statement as it is prepared now, which may be asked for again.
  func write(_ make: () throws -> PostgresHandle.Step) throws -> PostgresResult {
    var step = try make()
    if deferredBegin != nil {
      if commitsNext, let result = try commit(with: step) { return result }
      if let results = try begin(with: undoable(step)) { return counted(results, 1) }
      step = try make()
    }
    try use(sendsPending: false)
    let before = takePending()
    let steps = before.map(repeated) + undoable(step)
    do {
      return counted(try handle.pipeline(steps), before.count + (phase == .writing ? 1 : 0))
    } catch {
      try undoStep()
      throw error
    }
  }

  /// The steps of a statement that undoes itself if it fails.
  func undoable(_ step: PostgresHandle.Step) -> [PostgresHandle.Step] {
    phase == .writing
      ? [repeated("SAVEPOINT strata_step"), step, repeated("RELEASE SAVEPOINT strata_step")]
      : [step]
  }

  /// Undoes a statement that failed in a transaction.
  func undoStep() throws {
    if handle.transaction == PQTRANS_INERROR {
      try handle.run("ROLLBACK TO SAVEPOINT strata_step; RELEASE SAVEPOINT strata_step")
    }
  }

  func counted(_ results: [PostgresResult], _ index: Int) -> PostgresResult {
    count(changesOf: results[index])
    return results[index]
  }

  /// Counts the rows that a statement has written.
  func count(changesOf result: PostgresResult) {
    changes = result.changes
    totalChanges += changes
  }

  /// Counts the rows that a batch has inserted or updated, by the outcomes that it gave.
  ///
  /// A batch with a row that was not found has changed nothing.
  func count(outcomesOf result: PostgresResult) {
    let outcomes = (0..<result.rowCount).map { result.int4(Int32($0), 0) }
    if outcomes.contains(0) { return }
    let count = outcomes.count { 1...2 ~= $0 }
    changes += count
    totalChanges += count
  }

  // MARK: The connection

  /// Runs statements that begin something, once more on a new connection if this one is lost.
  ///
  /// - Parameters:
  ///   - texts: the statements.
  ///   - limit: the time in which the server must answer, a new connection included; `readerWait` or
  ///     `writerWait` unless given.
  /// - Throws: `busy` past the limit.
  func begin(_ texts: String..., within limit: Duration? = nil) throws -> [PostgresResult] {
    try begin(texts, within: limit)
  }

  /// The same for a list of statements.
  func begin(_ texts: [String], within limit: Duration? = nil) throws -> [PostgresResult] {
    let usual = phase == .beginning ? options.writerWait : options.readerWait
    let end = ContinuousClock.now + (limit ?? usual)
    prepareToBegin(until: end)
    // Whichever attempt the connection is lost with, the transaction may have begun.
    defer { endLostSession() }
    do {
      return try run(texts, until: end)
    } catch let error as StoreError where error.code == .connectionLost || handle.isLost {
      if isClosed || end <= .now { throw error }
      try reconnect(until: end)
      return try run(texts, until: end)
    }
  }

  /// Runs statements to whose answers there is a deadline.
  ///
  /// A single text may hold several statements, whose results come in text form.
  func run(_ texts: [String], until end: ContinuousClock.Instant) throws -> [PostgresResult] {
    if texts.count == 1 { return try run(texts[0], until: end) }
    // The deadline also limits the wait for answers that are no longer read.
    handle.deadline = end
    defer { handle.deadline = nil }
    try use()
    let (results, failure) = try handle.exchange(
      texts.map(repeated), until: end, of: texts.count)
    if let failure { throw failure }
    return results
  }

  /// Runs a text to whose answer there is a deadline.
  func run(_ sql: String, until end: ContinuousClock.Instant) throws -> [PostgresResult] {
    handle.deadline = end
    defer { handle.deadline = nil }
    try use()
    return try handle.run(sql)
  }

  /// Makes the connection anew; the server has forgotten everything that it had prepared.
  ///
  /// - Throws: `connectionLost` if the server cannot be reached to the end.
  func reconnect(until end: ContinuousClock.Instant) throws {
    handle.close()
    endLostSession()
    forgetRows()
    retired = []
    prepared = [:]
    preparedElsewhere = [:]
    generation += 1
    incarnation = nil
    handle = try connect(end - .now)
    takeOver()
  }

  /// Prepares a new connection of the library.
  private func takeOver() {
    backend = handle.backend
    if !handle.keepsSettings { counters.isPooled.withLock { $0 = true } }
    isPooled = counters.isPooled.withLock { $0 }
    handle.patience = postgres.connectTimeout
    handle.stoppable = .byOperation
    handle.isWorking = WorkCheck(self).isWorking
  }

  func close() {
    if isClosed { return }
    endIndexBuilding()
    // The server would keep a read whose end is lost.
    if awaitsEnd { takeEnd(within: Self.closingLimit) }
    isClosed = true
    forgetRows()
    endLostSession()
    handle.close()
    counters.lostSessions.connectionClosed()
  }

  /// The time in which the end of a read must be answered when the connection is closed.
  private static var closingLimit: Duration { .milliseconds(100) }
}
