internal import CPostgres
internal import ORMPlatform
internal import ORMStorage

/// Owns a connection of the library: ended with this object, or by `close`.
///
/// Used by one thread at a time. Every wait is a `poll` of the socket, which ends by the deadline, or
/// when a silent server no longer works on the request. A handle that was carried over a fork is left alone:
/// to end it would end the parent's session.
final class PostgresHandle {
  var connection: OpaquePointer?
  /// The time by which the server must have answered; nil for as long as it works.
  var deadline: ContinuousClock.Instant?
  /// The server's process at the other end, and when the connection was made; nil before that, and once it
  /// was taken.
  private var session: (process: Int32, made: ContinuousClock.Instant)?
  /// The silence after which ``isWorking`` is asked.
  var patience = Duration.seconds(5)
  /// Returns whether the server still works on the request; without it, only the deadline ends a wait.
  var isWorking: (() -> Bool)?
  /// The events that may stop the statements of the transaction.
  var stoppable = Stoppable.never
  /// The time by which a statement that was cancelled must have ended; nil unless one was.
  var cancelEnd: ContinuousClock.Instant?
  /// The events that may stop a running statement.
  enum Stoppable {
    /// No event.
    case never
    /// The end of the operation that the thread works for.
    case byOperation
    /// Its rows are not needed: it is stopped at once.
    case atOnce
  }

  /// The number of trips of this connection.
  private(set) var trips = 0
  private let fork = ForkCheck()
  private let counters: PostgresCounters
  /// The namespace and the table of which the last failure in a pipeline speaks.
  var failedTable: (namespace: String, name: String)?
  /// The error of a transaction that conflicts with others, until it has ended.
  var contention: StoreError?
  /// The commands of the pipelines that were sent and whose results were not taken yet: for each, the
  /// statement that it prepares for the command after it, or nil for one that runs something.
  var pipelines: [[PostgresPrepared?]] = []
  /// The number of commands of the first of them that have ended.
  var ended = 0
  /// The commands of the pipeline that is being sent.
  var commands: [PostgresPrepared?] = []
  /// The statements of the texts of ``Step/cached(_:)``.
  var cached: [ExactText: PostgresPrepared] = [:]

  /// True if the session is the server's own, and keeps the settings of ``PostgresSettings``.
  private(set) var keepsSettings = false

  /// One statement of a pipeline.
  enum Step {
    /// A text that is sent as it is.
    case text(String)
    /// A text without parameters that is sent often; the first time, it is prepared in the same trip.
    case cached(String)
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
    let end = ContinuousClock.now + min(limit, RunningOperation.rest ?? limit)
    connection = Self.start(location)
    guard connection != nil else {
      throw StoreError(.engine, "there is no memory for a connection")
    }
    // The library gives the state of a server that refuses only in this form of its messages.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    var next = PGRES_POLLING_WRITING
    while true {
      if PQstatus(connection) == CONNECTION_BAD || next == PGRES_POLLING_FAILED {
        throw failedConnection(location)
      }
      if next == PGRES_POLLING_OK { break }
      let event = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
      guard try waitToConnect(Int16(event), until: end) else {
        close()
        throw StoreError(
          .cannotOpen, "\(location) did not answer within \(limit); check the host and the port",
          engineCode: PostgresFailure.unreachable)
      }
      next = PQconnectPoll(connection)
    }
    PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
    PQsetnonblocking(connection, 1)
    // The server's notices are for people who type statements.
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
    try checkServer(location)
    session = (PQbackendPID(connection), .now)
    deadline = end
    defer { deadline = nil }
    keepsSettings = try run(PostgresSettings.ofSession(backend)).last?.text(0, 0) != nil
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
    return PostgresFailure.failedConnection(to: "\(location)", text)
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

  /// True if this process is a fork of the one that made the connection.
  var isInherited: Bool { fork.isInherited }

  /// True if the connection has ended.
  var isLost: Bool { connection == nil || PQstatus(connection) == CONNECTION_BAD }

  /// Returns the server's process of a connection that has ended, and when that was made; once.
  func takeLostSession() -> (process: Int32, made: ContinuousClock.Instant)? {
    guard isLost, !isInherited else { return nil }
    defer { session = nil }
    return session
  }

  /// The bytes that the system holds for the server; 0 where it does not report them.
  var unsentBytes: Int32 {
    guard connection != nil else { return 0 }
    var count: Int32 = 0
    #if canImport(Darwin)
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(PQsocket(connection), SOL_SOCKET, SO_NWRITE, &count, &length)
    #else
      _ = ioctl(PQsocket(connection), UInt(TIOCOUTQ), &count)
    #endif
    return count
  }

  /// Returns whether the connection is there, as far as the socket shows without a trip.
  func isThere() -> Bool {
    // An end that the server has announced comes behind its last words.
    for _ in 0..<4 where !isLost && !isInherited {
      var entry = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 0) <= 0 { return true }
      if PQconsumeInput(connection) == 0 { return false }
    }
    return !isLost
  }

  /// The library's state of the transaction.
  var transaction: StrataTransactionStatus {
    connection.map { PQtransactionStatus($0) } ?? PQTRANS_UNKNOWN
  }

  /// The number of the server's process, as the server or a pooler gave it when the connection was made.
  var backend: Int32 { connection.map { PQbackendPID($0) } ?? 0 }

  // MARK: Waiting

  /// Waits a moment before another attempt; throws where the operation is to end.
  static func pause(microseconds: Int = 50_000) throws {
    try RunningOperation.sleep(for: .microseconds(microseconds))
  }

  /// Waits for a part of a millisecond.
  static func nap() { usleep(200) }

  /// Waits for events of the socket; false when the time is up first.
  func wait(_ events: Int16, until end: ContinuousClock.Instant? = nil) throws -> Bool {
    // Bytes that a child takes from the socket are lost for its parent.
    try fork.check()
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

  /// Waits for events of a socket that connects; false when the time is up first.
  ///
  /// - Throws: the end of the operation that the connection is made for.
  private func waitToConnect(
    _ events: Int16, until end: ContinuousClock.Instant
  ) throws -> Bool {
    while true {
      do { try RunningOperation.check() } catch {
        close()
        throw error
      }
      if try wait(events, until: min(end, .now + Self.nextLook)) { return true }
      if end <= .now { return false }
    }
  }

  /// The time after which a wait asks whether the operation is to end early.
  private static var look: Duration { .milliseconds(10) }

  /// The time to the next look: no longer than the operation has.
  private static var nextLook: Duration {
    guard let rest = RunningOperation.rest, rest > .zero else { return look }
    return min(look, rest)
  }

  /// The time after which a request to cancel is repeated at first.
  ///
  /// A request that comes before the server has begun with the statement is lost. A server under load is
  /// late, so that the first ones follow one another closely.
  private static var repetition: Duration { .milliseconds(10) }

  /// Waits for the server; throws if it is silent to the deadline, or no longer at work.
  ///
  /// An operation that must end early cancels the server's statement, and takes its answer.
  private func waitForServer(_ events: Int32) throws {
    var silent = ContinuousClock.now + patience
    var pause = Self.repetition
    var nextCancel = ContinuousClock.now
    while true {
      var end = silent
      if isStoppable, !isStopped {
        end = min(end, .now + Self.nextLook)
      } else if isStoppable {
        if nextCancel <= .now {
          cancelEnd = cancelEnd ?? .now + Self.cancelLimit
          cancel()
          if connection == nil { throw PostgresFailure.lost() }
          nextCancel = .now + pause
          pause *= 2
        }
        end = min(end, nextCancel)
      }
      let last = [deadline, cancelEnd].compactMap { $0 }.min()
      if try wait(Int16(events), until: last.map { min($0, end) } ?? end) { return }
      let now = ContinuousClock.now
      if let last, last <= now {
        close()
        throw StoreError(.busy, "the PostgreSQL server did not answer in time")
      }
      if now < silent { continue }
      if let isWorking, !isWorking() {
        close()
        throw PostgresFailure.lost()
      }
      silent = .now + patience
    }
  }

  func lostConnection() -> StoreError {
    // The library notices an end by reading.
    if let connection { _ = PQconsumeInput(connection) }
    return PostgresFailure.lost()
  }

  /// Sends the library's buffered output.
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

  /// Returns the next result; nil after the last of a statement.
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
  func check() throws {
    counters.trips.withLock { $0 += 1 }
    trips += 1
    cancelEnd = nil
    try checkConnection()
  }

  /// Throws where nothing may be sent.
  func checkConnection() throws {
    try fork.check()
    if connection == nil { throw PostgresFailure.lost() }
  }

  /// Throws the library's error for a request that it did not accept.
  func require(_ isSent: Int32) throws {
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

  /// Takes the results of the sent statements, and returns those that have rows.
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
  ///
  /// A statement that undoes something is never cancelled.
  @discardableResult
  func run(_ sql: String) throws -> [PostgresResult] {
    let known = stoppable
    if sql.hasPrefix("ROLLBACK") { stoppable = .never }
    defer { stoppable = known }
    try send(sql)
    return try finish()
  }

  func send(_ prepared: PostgresPrepared, _ values: PostgresValues) throws {
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

  func describe(_ sql: String, _ name: String) throws {
    guard Self.hasManyParameters(sql) else {
      return try require(PQsendDescribePrepared(connection, name))
    }
    try require(
      PQsendQueryParams(
        connection,
        "SELECT parameter_types::oid[]::text FROM pg_catalog.pg_prepared_statements "
          + "WHERE name = '\(name)'", 0, nil, nil, nil, nil, 1))
  }
}
