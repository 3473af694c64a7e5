internal import CPostgres
internal import ORMStorage
internal import SQLEngine

/// One connection to a namespace, with its prepared statements and its transaction.
///
/// Not Sendable: one thread uses it at a time. A connection that is found lost when a transaction begins
/// is made anew.
final class PostgresConnection: SQLConnection {
  let dialect: PostgresDialect
  let options: StoreOptions
  let counters: PostgresCounters
  private let connect: () throws -> PostgresHandle
  private(set) var handle: PostgresHandle
  /// The statements that the server has prepared, by their texts.
  private var prepared: [String: PostgresPrepared] = [:]
  /// The names of statements that are to be removed.
  private var retired: [String] = []
  private var nameCount = 0
  /// The number that a statement must have been prepared under; tables may differ from before.
  private(set) var generation = 0
  /// The statement whose rows are on their way.
  var streaming: PostgresStatement?
  /// True while the end of a read was sent and not yet answered.
  private var isEnding = false
  var phase = Phase.none
  /// The number of savepoints that are open.
  var savepoints = 0
  /// The number of the tables' layout, which every change of tables raises; nil without a store.
  var layout: Int64?
  /// True if tables changed since the number was raised.
  var hasChangedTables = false
  private(set) var changes = 0
  private(set) var totalChanges = 0
  private var isClosed = false

  /// A kind of transaction.
  enum Phase { case none, reading, writing }

  /// The most statements that a server keeps for a connection.
  private static var capacity: Int { 512 }

  init(
    _ dialect: PostgresDialect, _ options: StoreOptions, counters: PostgresCounters,
    connect: @escaping () throws -> PostgresHandle
  ) throws {
    self.dialect = dialect
    self.options = options
    self.counters = counters
    self.connect = connect
    handle = try connect()
  }

  // MARK: Statements

  func statement(_ sql: String) throws -> any SQLStatement { try PostgresStatement(sql, on: self) }

  func statement(_ sql: String, ofRowsWithKey key: [Int]) throws -> any SQLStatement {
    try PostgresStatement(sql, on: self, ofRowsWithKey: key)
  }

  /// Makes the connection free for a statement: rows on their way are taken, and a read's end.
  func use() throws {
    if isClosed { throw StoreError(.closed, "the store was closed") }
    try streaming?.takeRest()
    if isEnding {
      isEnding = false
      try handle.finish()
    }
  }

  /// Returns the statement that the server has prepared for a text; prepares it at first.
  func prepared(_ sql: String) throws -> PostgresPrepared {
    if let known = prepared[sql], known.generation == generation { return known }
    try use()
    retireUnused()
    let name = newStatementName()
    let results = try pipelineAfterRemovals([.preparing(sql, name: name)])
    let made = PostgresPrepared(
      name: name, parameterTypes: results.last?.parameterTypes ?? [], generation: generation)
    prepared[sql] = made
    return made
  }

  /// A name for a statement.
  func newStatementName() -> String {
    nameCount += 1
    return "strata_\(nameCount)"
  }

  /// Runs statements in one trip, after the removal of prepared ones that nobody uses any more.
  func pipelineAfterRemovals(_ steps: [PostgresHandle.Step]) throws -> [PostgresResult] {
    let removals = retired.map { PostgresHandle.Step.text("DEALLOCATE \(dialect.quoted($0))") }
    // They come first, and so are removed even if what follows fails.
    retired = []
    let results = try handle.pipeline(removals + steps)
    return Array(results.dropFirst(removals.count))
  }

  /// Removes a prepared statement with the next one that is prepared.
  func retire(_ statement: PostgresPrepared) {
    if statement.generation == generation { retired.append(statement.name) }
  }

  private func retireUnused() {
    guard prepared.count >= Self.capacity else { return }
    for sql in Array(prepared.keys) {
      guard var statement = prepared.removeValue(forKey: sql) else { continue }
      if isKnownUniquelyReferenced(&statement) {
        retired.append(statement.name)
      } else {
        prepared[sql] = statement
      }
    }
  }

  /// Forgets every prepared statement: tables are no longer as they were.
  func forgetStatements() {
    for statement in prepared.values where statement.generation == generation {
      retired.append(statement.name)
    }
    prepared = [:]
    generation += 1
  }

  /// Runs a statement that writes; in a transaction it undoes itself if it fails.
  func write(_ step: PostgresHandle.Step) throws -> PostgresResult {
    try use()
    var steps = [step]
    if phase == .writing {
      steps = [.text("SAVEPOINT strata_step"), step, .text("RELEASE SAVEPOINT strata_step")]
    }
    do {
      let results = try handle.pipeline(steps)
      let result = results[steps.count / 2]
      count(changesOf: result)
      return result
    } catch {
      if handle.transaction == PQTRANS_INERROR {
        try handle.run("ROLLBACK TO SAVEPOINT strata_step; RELEASE SAVEPOINT strata_step")
      }
      throw error
    }
  }

  /// Counts the rows that a statement has written.
  func count(changesOf result: PostgresResult) {
    changes = result.changes
    totalChanges += changes
  }

  /// Counts the rows that a batch has inserted or updated, by the outcomes that it gave.
  func count(outcomesOf result: PostgresResult) {
    let count = (0..<result.rowCount).count { 1...2 ~= result.int4(Int32($0), 0) }
    changes += count
    totalChanges += count
  }

  /// Runs a statement that changes tables.
  func changeTables(_ sql: String) throws {
    _ = try write(.text(sql))
    hasChangedTables = true
    forgetStatements()
  }

  // MARK: The connection

  /// Runs a text that begins something, once more on a new connection if this one is lost.
  func begin(_ sql: String) throws -> [PostgresResult] {
    do {
      try use()
      return try handle.run(sql)
    } catch let error as StoreError where error.code == .connectionLost {
      handle.close()
      streaming = nil
      isEnding = false
      retired = []
      prepared = [:]
      generation += 1
      handle = try connect()
      return try handle.run(sql)
    }
  }

  /// Ends a read without waiting for the answer.
  func sendEnd() {
    do {
      try use()
      try handle.send("ROLLBACK")
      isEnding = true
    } catch {
      // The next transaction finds the connection lost, and makes it anew.
    }
  }

  func close() {
    isClosed = true
    streaming = nil
    handle.close()
  }
}

/// A statement that the server has prepared.
final class PostgresPrepared {
  let name: String
  let parameterTypes: [PostgresType]
  let generation: Int
  /// The names of the columns of its rows; empty unless the program wrote the statement.
  let columnNames: [String]

  init(
    name: String, parameterTypes: [PostgresType], generation: Int, columnNames: [String] = []
  ) {
    self.name = name
    self.parameterTypes = parameterTypes
    self.generation = generation
    self.columnNames = columnNames
  }
}

/// Counts of a store over all its connections.
final class PostgresCounters: Sendable {
  /// The commits of the store, from which those of others are told.
  let commits = Lock<UInt64>(0)
  /// The trips to the server and back.
  let trips = Lock(0)
}
