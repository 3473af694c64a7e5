internal import CPostgres
internal import ORMStorage

/// Statements that are sent together, in one trip.
extension PostgresHandle {
  func send(_ step: Step) throws {
    switch step {
    case .text(let sql):
      commands.append(nil)
      try require(PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1))
    case .cached(let sql): try send(cached: sql)
    case .preparing(let sql, let name):
      commands += [nil, nil]
      try require(PQsendPrepare(connection, name, sql, 0, nil))
      try describe(sql, name)
    case .describing(let sql, let name):
      commands.append(nil)
      try describe(sql, name)
    case .prepared(let prepared, let values):
      try prepare(prepared)
      commands.append(nil)
      try send(prepared, values)
    }
  }

  /// The most cached texts.
  private static var mostCached: Int { 64 }

  private func send(cached sql: String) throws {
    if let known = cached[sql] { return try send(.prepared(known, Self.noValues)) }
    guard cached.count < Self.mostCached else { return try send(.text(sql)) }
    // The name stands for the text, also if a pooler hands the session to others unnoticed.
    let digest = Array(sql.utf8).withUnsafeBytes { SHA256(of: $0) }
    let made = PostgresPrepared(
      sql, name: "strata_cached_" + digest.text.prefix(24), parameterTypes: [], backend: 0,
      generation: 0)
    made.isNew = true
    cached[sql] = made
    try send(.prepared(made, Self.noValues))
  }

  private static var noValues: PostgresValues { PostgresValues(count: 0) }

  /// Sends the preparation of a statement that the server has not prepared, before its first run.
  private func prepare(_ new: PostgresPrepared) throws {
    // Its preparation may be on its way.
    if !new.isNew || (pipelines + [commands]).contains(where: { $0.contains { $0 === new } }) {
      return
    }
    commands.append(new)
    let types = new.parameterTypes.map(\.rawValue)
    try require(PQsendPrepare(connection, new.name, new.sql, Int32(types.count), types))
  }

  /// Notes the end of a command of the first pipeline; false if it has only prepared a statement.
  private func endCommand(_ result: PostgresResult) -> Bool {
    defer { ended += 1 }
    guard let commands = pipelines.first, commands.indices.contains(ended),
      let prepared = commands[ended]
    else { return true }
    if !result.isFailure { prepared.isNew = false }
    return false
  }

  /// Notes the end of the first pipeline.
  private func endPipeline() {
    pipelines.removeFirst()
    ended = 0
    if pipelines.isEmpty { PQexitPipelineMode(connection) }
  }

  // MARK: Pipelines

  /// Sends the statements that the closure sends as one pipeline.
  private func sendPipeline(_ body: () throws -> Void) throws {
    guard !pipelines.isEmpty || PQenterPipelineMode(connection) == 1 else {
      throw lostConnection()
    }
    commands.removeAll(keepingCapacity: true)
    // A failure to send is reported after the results of the statements that were sent.
    let outcome = Result { try body() }
    pipelines.append(commands)
    try require(PQpipelineSync(connection))
    try flush()
    try outcome.get()
  }

  /// Takes the results of every pipeline but those that were sent last.
  private func endPipelines(but last: Int) throws {
    var result: PostgresResult?
    while pipelines.count > last {
      if let next = try next() {
        if next.status == PGRES_PIPELINE_SYNC { endPipeline() } else { result = next }
      } else {
        if let result {
          // The end of a transaction ends its contention, too.
          if result.status == PGRES_FATAL_ERROR { _ = error(result) }
          if result.command == "ROLLBACK" { contention = nil }
          _ = endCommand(result)
        }
        result = nil
      }
      if isLost { throw lostConnection() }
    }
  }

  /// True if the results of a pipeline that was sent were not taken.
  var awaitsAnswer: Bool { !pipelines.isEmpty && !isLost && !isInherited }

  /// Takes the results of all pipelines, so that anything can be sent.
  func endPipelines() throws {
    if !pipelines.isEmpty { try endPipelines(but: 0) }
  }

  /// Sends a statement without waiting for its answer; ``endPipelines()`` takes it.
  func sendAside(_ sql: String) throws {
    try checkConnection()
    try sendPipeline { try send(Step.text(sql)) }
  }

  /// Runs statements in one trip; those after a failed one are skipped.
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

  /// The same, whose results are collected as they come, so that they are there when the connection
  /// is lost.
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
    let received = try receive(of: count, into: &results)
    return failure ?? received
  }

  /// Takes the results of the only pipeline that is on its way.
  private func receive(
    of count: Int = 0, into results: inout [PostgresResult]
  ) throws -> StoreError? {
    var failure: StoreError?
    var last: PostgresResult?
    defer { if let last { results.append(last) } }
    while true {
      guard let result = try next() else {
        if let last {
          if endCommand(last) { results.append(last) }
        } else if isLost {
          throw lostConnection()
        }
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
    endPipeline()
    return failure
  }

  /// Sends a statement whose results ``takeSent()`` takes.
  func sendAhead(_ step: Step) throws {
    try check()
    try sendPipeline { try send(step) }
  }

  /// Takes the result of the statement that was sent ahead last.
  func takeSent() throws -> PostgresResult {
    try endPipelines(but: 1)
    var results: [PostgresResult] = []
    if let failure = try receive(into: &results) { throw failure }
    guard let result = results.last else { throw lostConnection() }
    return result
  }

  /// Sends statements, and after them a prepared one whose rows come one by one from `next`.
  ///
  /// After the last row, ``endPipelines()`` makes the connection free. A single statement is sent as a
  /// pipeline, too: else the library would give the rows of the next pipeline's first statement one by one.
  ///
  /// - Parameters:
  ///   - steps: the statements that come first.
  ///   - end: the time by which these must be answered; nil for none.
  /// - Returns: the results of these, and the error of the first that failed.
  func stream(
    after steps: [Step], _ prepared: PostgresPrepared, _ values: PostgresValues,
    until end: ContinuousClock.Instant? = nil
  ) throws -> (results: [PostgresResult], failure: StoreError?) {
    try check()
    try sendPipeline {
      for step in steps { try send(step) }
      try send(.prepared(prepared, values))
    }
    deadline = end
    defer { deadline = nil }
    try endPipelines(but: 1)
    var results: [PostgresResult] = []
    var failure: StoreError?
    // The last command is the one whose rows come.
    for _ in commands.indices.dropLast() {
      var last: PostgresResult?
      while let result = try next() {
        if result.isFailure, result.status != PGRES_PIPELINE_ABORTED {
          failure = failure ?? error(result)
        }
        last = result
      }
      guard let last else { throw lostConnection() }
      if endCommand(last) { results.append(last) }
    }
    PQsetSingleRowMode(connection)
    return (results, failure)
  }

  /// Runs statements in one trip; those after a failed one are skipped.
  ///
  /// - Returns: the last result of each; for a prepared one a description, or its types alone.
  func pipeline(_ steps: [Step]) throws -> [PostgresResult] {
    let (results, failure) = try exchange(steps)
    if let failure { throw failure }
    return results
  }
}
