internal import CPostgres
internal import ORMStorage
internal import SQLEngine

/// Transactions of one operation, whose beginning travels with the first statement.
///
/// The layout of the tables is asked for in the same trip. If it is not the one for which the statement was
/// made, or if anything goes wrong before the statement, the transaction is undone and begun anew by
/// itself. Nothing has been committed then.
extension PostgresConnection: TripSavingConnection {
  /// A transaction that is to begin.
  enum Beginning {
    case reading
    case writing(isConcurrent: Bool)
  }

  var hasDeferredBegin: Bool { deferredBegin != nil }

  func deferSnapshot(of version: Int64?) throws -> Bool {
    guard canDeferBegin(version) else { return false }
    deferredBegin = .reading
    phase = .reading
    return true
  }

  func deferWrite(isConcurrent: Bool, of version: Int64?) throws -> Bool {
    guard canDeferBegin(version), incarnation != nil,
      !isConcurrent || counters.concurrentCommits.isCounting
    else { return false }
    deferredBegin = .writing(isConcurrent: isConcurrent)
    phase = .writing
    transactionID = nil
    savepoints = 0
    hasChangedTables = false
    concurrentChanges = isConcurrent ? totalChanges : nil
    commitsNext = false
    hasCommitted = false
    refusal = nil
    return true
  }

  /// Returns whether the connection is the server's own, and was used for tables of a version before.
  private func canDeferBegin(_ version: Int64?) -> Bool {
    version != nil && version == layout && !isPooled && !counters.isPooled.withLock { $0 }
      && !handle.isLost
  }

  func beginNow() throws {
    guard let beginning = deferredBegin else { return }
    let known = layout
    try begin(now: beginning)
    if layout != known { throw SQLLayoutChange() }
  }

  /// Begins a transaction by itself, with the savepoints that were opened before its first statement.
  private func begin(now beginning: Beginning) throws {
    deferredBegin = nil
    commitsNext = false
    let count = savepoints
    do {
      switch beginning {
      case .reading: try beginSnapshot()
      case .writing(let isConcurrent):
        try beginWrite(isConcurrent: isConcurrent)
        savepoints = count
      }
    } catch {
      phase = .none
      pending = []
      throw error
    }
  }

  private func texts(_ beginning: Beginning) -> [String] {
    switch beginning {
    case .reading: [readBeginning, layoutQuery(isWriting: false)]
    case .writing(let isConcurrent):
      writeBeginning(isConcurrent) + [lock(isConcurrent), layoutQuery(isWriting: true)]
    }
  }

  private func limit(_ beginning: Beginning) -> ContinuousClock.Instant {
    switch beginning {
    case .reading: .now + options.readerWait
    case .writing: .now + writingLimit
    }
  }

  /// Begins a transaction with its first statements.
  ///
  /// - Parameters:
  ///   - steps: the statements.
  ///   - undoes: true if one that fails is to undo itself.
  /// - Returns: the results of the statements; nil if the transaction was begun without them.
  /// - Throws: the error of a statement; `SQLLayoutChange`.
  func begin(
    with steps: [PostgresHandle.Step], undoes: Bool = true
  ) throws -> [PostgresResult]? {
    guard let beginning = deferredBegin else { return nil }
    let known = layout
    let texts = texts(beginning)
    let before = pending
    let found: ([PostgresResult], StoreError?)? = try beginOnce(beginning) { end in
      try handle.exchange(
        (texts + before).map(repeated) + steps, until: end, of: texts.count)
    }
    if let (results, failure) = found, try hasBegun(results, texts.count, failure, known) {
      self.deferredBegin = nil
      pending = []
      if let failure {
        if undoes { try undoStep() }
        throw failure
      }
      return Array(results.dropFirst(texts.count + before.count))
    }
    try beginAnew(beginning, known)
    return nil
  }

  /// Runs a statement whose rows come one by one, with a deferred beginning of the transaction.
  ///
  /// - Parameters:
  ///   - values: the values of its parameters.
  ///   - make: gives the statement as it is prepared now, which may be asked for again.
  /// - Throws: `SQLLayoutChange`.
  func stream(_ values: PostgresValues, _ make: () throws -> PostgresPrepared) throws {
    let prepared = try make()
    guard let beginning = deferredBegin else {
      try use(sendsPending: false)
      let (_, failure) = try handle.stream(
        after: takePending().map(repeated), prepared, values)
      guard let failure else { return }
      try handle.endPipelines()
      throw failure
    }
    let known = layout
    let texts = texts(beginning)
    let before = pending
    let found: ([PostgresResult], StoreError?)? = try beginOnce(beginning) { end in
      try handle.stream(
        after: (texts + before).map(repeated), prepared, values, until: end)
    }
    if let (results, failure) = found, try hasBegun(results, texts.count, failure, known) {
      self.deferredBegin = nil
      pending = []
      guard let failure else { return }
      try handle.endPipelines()
      throw failure
    }
    if found != nil { try handle.endPipelines() }
    try beginAnew(beginning, known)
    // The transaction has begun; pending texts go with the statement.
    try stream(values, make)
  }

  /// Sends a beginning; nil if the connection was lost.
  private func beginOnce<Result>(
    _ beginning: Beginning, _ body: (ContinuousClock.Instant) throws -> Result
  ) throws -> Result? {
    let end = limit(beginning)
    prepareToBegin(until: end)
    defer { endLostSession() }
    do {
      return try body(end)
    } catch let error as StoreError
      where error.code == .connectionLost || handle.isLost && error.code != .busy
    {
      if end <= .now { throw error }
      return nil
    } catch let error as StoreError where error.code != .busy {
      // A part that was sent may have begun a transaction, whose end would never be sent.
      handle.close()
      throw error
    }
  }

  /// Returns whether a transaction has begun for tables of a layout.
  ///
  /// - Throws: `busy` if others hold the lock.
  private func hasBegun(
    _ results: [PostgresResult], _ count: Int, _ failure: StoreError?, _ layout: Int64?
  ) throws -> Bool {
    let beginning = results.prefix(count)
    guard beginning.count == count, !beginning.contains(where: \.isFailure) else {
      if let failure, failure.code == .busy || failure.code == .contended {
        try handle.endPipelines()
        undoBeginning()
        throw failure
      }
      return false
    }
    do {
      try takeLayout(Array(beginning))
    } catch {
      try handle.endPipelines()
      undoBeginning()
      throw error
    }
    // If a pooler was noticed in this trip, a name may have stood for another client's statement.
    return self.layout == layout && !isPooled
  }

  private func undoBeginning() {
    deferredBegin = nil
    pending = []
    phase = .none
    _ = try? handle.run("ROLLBACK")
  }

  /// Begins a transaction by itself whose first attempt failed, or met other tables.
  func beginAnew(_ beginning: Beginning, _ known: Int64?) throws {
    if !handle.isLost, handle.transaction != PQTRANS_IDLE { try handle.run("ROLLBACK") }
    try begin(now: beginning)
    if layout != known { throw SQLLayoutChange() }
  }
}
