internal import CPostgres
internal import ORMStorage

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Owns a connection of the library: ended with this object, or by `close`.
///
/// Used by one thread at a time. Every wait is a `poll` of the socket, which ends by the deadline, or
/// when a silent server no longer works on what was sent. A handle that was carried over a fork is left
/// alone: to end it would end the parent's session.
final class PostgresHandle {
  private var connection: OpaquePointer?
  /// The time by which the server must have answered; nil for as long as it works.
  var deadline: ContinuousClock.Instant?
  /// The silence after which ``isWorking`` is asked.
  var patience = Duration.seconds(5)
  /// Returns whether the server still works on what was sent; without it, only the deadline ends a wait.
  var isWorking: (() -> Bool)?
  private let fork = ForkCheck()
  private let counters: PostgresCounters
  /// The namespace and the table of which the last failure in a pipeline speaks.
  private(set) var failedTable: (namespace: String, name: String)?
  /// The error of a transaction that others came in the way of, until it has ended.
  var contention: StoreError?
  /// The number of pipelines that were sent and whose results were not taken yet.
  private var pipelines = 0

  /// One statement of a pipeline.
  enum Step {
    /// A text that is sent as it is.
    case text(String)
    /// A text that is prepared under a name, and described.
    case preparing(String, name: String)
    /// A text that is prepared under a name, and is described.
    case describing(String, name: String)
    /// A prepared statement with its values.
    case prepared(PostgresPrepared, PostgresValues)
  }

  /// Connects to the server of a location.
  ///
  /// - Throws: `cannotOpen`; `busy` where the server has no connection left, or is starting.
  init(_ location: PostgresLocation, limit: Duration, _ counters: PostgresCounters) throws {
    self.counters = counters
    let end = ContinuousClock.now + limit
    connection = Self.start(location)
    guard connection != nil else {
      throw StoreError(.engine, "there is no memory for a connection")
    }
    var next = PGRES_POLLING_WRITING
    while true {
      if PQstatus(connection) == CONNECTION_BAD || next == PGRES_POLLING_FAILED {
        throw failedConnection(location)
      }
      if next == PGRES_POLLING_OK { break }
      let event = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
      guard try wait(Int16(event), until: end) else {
        close()
        throw StoreError(
          .cannotOpen, "\(location) did not answer within \(limit); check the host and the port",
          engineCode: PostgresFailure.unreachable)
      }
      next = PQconnectPoll(connection)
    }
    PQsetnonblocking(connection, 1)
    // The server's notices are for people who type statements.
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
    try checkServer(location)
  }

  deinit { close() }

  private static func start(_ location: PostgresLocation) -> OpaquePointer? {
    var pairs = location.parameters.map { (strdup($0.0), strdup($0.1)) }
    defer { for pair in pairs { free(pair.0); free(pair.1) } }
    pairs.append((nil, nil))
    let names = pairs.map { UnsafePointer($0.0) }
    let values = pairs.map { UnsafePointer($0.1) }
    return PQconnectStartParams(names, values, 1)
  }

  private func failedConnection(_ location: PostgresLocation) -> StoreError {
    let text = connection.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
    close()
    let isFull = text.contains("too many clients") || text.contains("remaining connection slots")
    let isStarting = text.contains("is starting up") || text.contains("not yet accepting")
    let isUnreachable = [
      "Connection refused", "No such file", "closed the connection", "reset by peer",
      "shutting down", "terminating connection", "in recovery mode", "could not receive data",
      "could not send",
    ].contains { text.contains($0) }
    let lines = text.split(separator: "\n").joined(separator: " ")
    return StoreError(
      isFull || isStarting ? .busy : .cannotOpen, "\(location) cannot be opened: \(lines)",
      engineCode: isUnreachable ? PostgresFailure.unreachable : nil)
  }

  private func checkServer(_ location: PostgresLocation) throws {
    let version = Int(PQserverVersion(connection))
    if version < 140_000 {
      throw StoreError(
        .unsupportedVersion,
        "\(location) is PostgreSQL \(version / 10_000); the store needs version 14 or newer")
    }
    let encoding = PQparameterStatus(connection, "server_encoding").map { String(cString: $0) }
    if encoding != "UTF8" {
      throw StoreError(
        .cannotOpen,
        "\(location) has the encoding \(encoding ?? "of another server"); the store needs a "
          + "database made with ENCODING 'UTF8'")
    }
  }

  /// Ends the connection; safe to call twice.
  func close() {
    guard let connection else { return }
    self.connection = nil
    if !fork.isInherited { PQfinish(connection) }
  }

  /// True if the connection has ended.
  var isLost: Bool { connection == nil || PQstatus(connection) == CONNECTION_BAD }

  /// Returns whether the connection is there, as far as the socket shows without a trip.
  func isThere() -> Bool {
    // An end that the server has announced comes behind its last words.
    for _ in 0..<4 where !isLost {
      var entry = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 0) <= 0 { return true }
      if PQconsumeInput(connection) == 0 { return false }
    }
    return !isLost
  }

  /// The library's state of the transaction.
  var transaction: PGTransactionStatusType {
    connection.map { PQtransactionStatus($0) } ?? PQTRANS_UNKNOWN
  }

  /// The number of the server's process, as the server or a pooler gave it when the connection was made.
  var backend: Int32 { connection.map { PQbackendPID($0) } ?? 0 }

  // MARK: Waiting

  /// Waits a moment before another attempt.
  static func pause(microseconds: UInt32 = 50_000) { usleep(microseconds) }

  /// Waits for a part of a millisecond.
  static func nap() { usleep(200) }

  /// Waits for events of the socket; false when the time is up first.
  private func wait(_ events: Int16, until end: ContinuousClock.Instant? = nil) throws -> Bool {
    var entry = pollfd(fd: PQsocket(connection), events: events, revents: 0)
    while true {
      var limit: Int32 = -1
      if let end {
        let rest = end - .now
        if rest <= .zero { return false }
        limit = Int32(clamping: rest.components.seconds * 1000) &+ 1
        if rest.components.seconds == 0 {
          limit = Int32(rest.components.attoseconds / 1_000_000_000_000_000) + 1
        }
      }
      let result = poll(&entry, 1, limit)
      if result > 0 { return true }
      if result < 0, errno != EINTR { throw lostConnection() }
    }
  }

  /// Waits for the server; throws if it is silent to the deadline, or no longer at work.
  private func waitForServer(_ events: Int32) throws {
    while true {
      let silent = ContinuousClock.now + patience
      if try wait(Int16(events), until: deadline.map { min($0, silent) } ?? silent) { return }
      if let deadline, deadline <= .now {
        close()
        throw StoreError(.busy, "the PostgreSQL server did not answer in time")
      }
      if let isWorking, !isWorking() {
        close()
        throw PostgresFailure.lost()
      }
    }
  }

  private func lostConnection() -> StoreError {
    // The library notices an end by reading.
    if let connection { _ = PQconsumeInput(connection) }
    return PostgresFailure.lost()
  }

  /// Sends what the library holds back.
  func flush() throws {
    while true {
      switch PQflush(connection) {
      case 0: return
      case 1:
        try waitForServer(Int32(POLLIN | POLLOUT))
        if PQconsumeInput(connection) == 0 { throw lostConnection() }
      default: throw lostConnection()
      }
    }
  }

  /// The next result of what was sent; nil after the last of a statement.
  func next() throws -> PostgresResult? {
    try fork.check()
    if connection == nil { throw PostgresFailure.lost() }
    while PQisBusy(connection) != 0 {
      try waitForServer(Int32(POLLIN))
      // Results from before the end can still be taken; the library's own error follows them.
      if PQconsumeInput(connection) == 0 { break }
    }
    return PQgetResult(connection).map { PostgresResult($0) }
  }

  /// Counts a trip; throws where nothing may be sent.
  private func check() throws {
    counters.trips.withLock { $0 += 1 }
    try checkConnection()
  }

  /// Throws where nothing may be sent.
  private func checkConnection() throws {
    try fork.check()
    if connection == nil { throw PostgresFailure.lost() }
  }

  /// Throws the library's error for what it did not take.
  private func require(_ isSent: Int32) throws {
    if isSent == 1 { return }
    if isLost { throw lostConnection() }
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    throw StoreError(.engine, "a statement could not be sent: \(text)")
  }

  // MARK: Running

  /// Sends statements of one text without parameters, whose results `finish` takes.
  func send(_ sql: String) throws {
    try check()
    try require(PQsendQuery(connection, sql))
    try flush()
  }

  /// Takes the results of what was sent, and returns those that have rows.
  @discardableResult
  func finish() throws -> [PostgresResult] {
    var failure: StoreError?
    var results: [PostgresResult] = []
    while let result = try next() {
      if result.isFailure { failure = failure ?? error(result) }
      results.append(result)
    }
    if let failure { throw failure }
    return results
  }

  /// The error of a result that failed.
  func error(_ result: PostgresResult) -> StoreError {
    let error = PostgresFailure.error(result)
    if error.code == .contended { contention = contention ?? error }
    return error
  }

  /// Runs statements of one text without parameters, in text form.
  @discardableResult
  func run(_ sql: String) throws -> [PostgresResult] {
    try send(sql)
    return try finish()
  }

  /// Sends a prepared statement whose rows come one by one from `next`.
  func stream(_ prepared: PostgresPrepared, _ values: PostgresValues) throws {
    try check()
    try send(prepared, values)
    PQsetSingleRowMode(connection)
    try flush()
  }

  private func send(_ prepared: PostgresPrepared, _ values: PostgresValues) throws {
    try values.withArrays { count, pointers, lengths, formats in
      if prepared.name.isEmpty {
        let types = prepared.parameterTypes.map(\.rawValue)
        try require(
          PQsendQueryParams(
            connection, prepared.sql, count, types, pointers, lengths, formats, 1))
      } else {
        try require(
          PQsendQueryPrepared(connection, prepared.name, count, pointers, lengths, formats, 1))
      }
    }
  }

  /// True if the server's description of a statement could be longer than the library reads.
  ///
  /// The library takes an answer of this kind with more than 30,000 bytes, four for each parameter,
  /// for a broken connection. Such a statement's types are asked for by a query.
  static func hasManyParameters(_ sql: String) -> Bool {
    sql.utf8.count > 7_000 * 4 && sql.contains("$7001")
  }

  private func describe(_ sql: String, _ name: String) throws {
    guard Self.hasManyParameters(sql) else {
      return try require(PQsendDescribePrepared(connection, name))
    }
    try require(
      PQsendQueryParams(
        connection,
        "SELECT parameter_types::oid[]::text FROM pg_catalog.pg_prepared_statements "
          + "WHERE name = '\(name)'", 0, nil, nil, nil, nil, 1))
  }

  private func send(_ step: Step) throws {
    switch step {
    case .text(let sql):
      try require(PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1))
    case .preparing(let sql, let name):
      try require(PQsendPrepare(connection, name, sql, 0, nil))
      try describe(sql, name)
    case .describing(let sql, let name): try describe(sql, name)
    case .prepared(let prepared, let values): try send(prepared, values)
    }
  }

  // MARK: Pipelines

  /// Sends the statements that the closure sends as one pipeline.
  private func sendPipeline(_ body: () throws -> Void) throws {
    guard pipelines > 0 || PQenterPipelineMode(connection) == 1 else { throw lostConnection() }
    pipelines += 1
    // What could not be sent is reported after the results of what could.
    let outcome = Result { try body() }
    try require(PQpipelineSync(connection))
    try flush()
    try outcome.get()
  }

  /// Takes the results of every pipeline but those that were sent last.
  private func endPipelines(but last: Int) throws {
    while pipelines > last {
      if let result = try next(), result.status == PGRES_PIPELINE_SYNC { pipelines -= 1 }
      if isLost { throw lostConnection() }
    }
    if last == 0 { PQexitPipelineMode(connection) }
  }

  /// Takes the results of all pipelines, so that anything can be sent.
  func endPipelines() throws {
    if pipelines > 0 { try endPipelines(but: 0) }
  }

  /// Sends a statement whose answer nobody waits for; ``endPipelines()`` takes it.
  func sendAside(_ sql: String) throws {
    try checkConnection()
    try sendPipeline { try send(Step.text(sql)) }
  }

  /// Runs statements in one trip; what follows a failed one is skipped.
  ///
  /// - Parameters:
  ///   - steps: the statements.
  ///   - end: the time by which the first statements must be answered; nil for none.
  ///   - count: the number of these.
  /// - Returns: the last result of each, and the error of the first that failed.
  /// - Throws: `connectionLost`; `busy` past the deadline.
  func exchange(
    _ steps: [Step], until end: ContinuousClock.Instant? = nil, of count: Int = 0
  ) throws -> (results: [PostgresResult], failure: StoreError?) {
    var results: [PostgresResult] = []
    let failure = try exchange(steps, until: end, of: count, into: &results)
    return (results, failure)
  }

  /// The same, whose results are kept as they come, so that they are there when the connection is lost.
  func exchange(
    _ steps: [Step], until end: ContinuousClock.Instant?, of count: Int,
    into results: inout [PostgresResult]
  ) throws -> StoreError? {
    try check()
    var failure: StoreError?
    failedTable = nil
    do {
      try sendPipeline { for step in steps { try send(step) } }
    } catch let error as StoreError where error.code != .connectionLost && !isLost {
      failure = error
    }
    deadline = end
    defer { deadline = nil }
    try endPipelines(but: 1)
    var last: PostgresResult?
    defer { if let last { results.append(last) } }
    while true {
      guard let result = try next() else {
        if let last { results.append(last) } else if isLost { throw lostConnection() }
        last = nil
        if results.count == count { deadline = nil }
        continue
      }
      if result.status == PGRES_PIPELINE_SYNC { break }
      if result.isFailure, result.status != PGRES_PIPELINE_ABORTED {
        failure = failure ?? error(result)
        failedTable = failedTable ?? PostgresFailure.table(result)
      }
      last = result
    }
    pipelines = 0
    PQexitPipelineMode(connection)
    return failure
  }

  /// Sends texts, and after them a prepared statement whose rows come one by one from `next`.
  ///
  /// After the last row, ``endPipelines()`` makes the connection free.
  ///
  /// - Parameters:
  ///   - texts: the statements that come first.
  ///   - end: the time by which these must be answered; nil for none.
  /// - Returns: the results of the texts, and the error of the first that failed.
  func stream(
    after texts: [String], _ prepared: PostgresPrepared, _ values: PostgresValues,
    until end: ContinuousClock.Instant? = nil
  ) throws -> (results: [PostgresResult], failure: StoreError?) {
    try check()
    try sendPipeline {
      for text in texts { try send(Step.text(text)) }
      try send(prepared, values)
    }
    deadline = end
    defer { deadline = nil }
    try endPipelines(but: 1)
    var results: [PostgresResult] = []
    var failure: StoreError?
    for _ in texts {
      var last: PostgresResult?
      while let result = try next() {
        if result.isFailure, result.status != PGRES_PIPELINE_ABORTED {
          failure = failure ?? error(result)
        }
        last = result
      }
      guard let last else { throw lostConnection() }
      results.append(last)
    }
    PQsetSingleRowMode(connection)
    return (results, failure)
  }

  /// Runs statements in one trip; what follows a failed one is skipped.
  ///
  /// - Returns: the last result of each; a description, or its types alone, for what was prepared.
  func pipeline(_ steps: [Step]) throws -> [PostgresResult] {
    let (results, failure) = try exchange(steps)
    if let failure { throw failure }
    return results
  }
}
