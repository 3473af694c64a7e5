internal import CPostgres
internal import ORMStorage

/// Write transactions of one statement, which begin, change and commit in one trip.
///
/// The server skips the statements of a pipeline that follow a failed one, the commit too. A query tests the
/// layout and the server's process, and fails if they are not those that the statement was prepared for. A
/// transaction that fails is not committed; it then begins anew, in trips of its own.
extension PostgresConnection {
  func commitWithNextStatement() {
    guard case .writing? = deferredBegin, postgres.outcome == .normal, layout ?? 0 > 0 else {
      return
    }
    commitsNext = true
  }

  /// Runs a statement as a whole transaction.
  ///
  /// - Returns: its result; nil if the transaction was begun, or is to begin, without it.
  /// - Throws: the error of the statement or the commit, stored in ``refusal``; `outcomeUnknown` if
  ///   the connection was lost; `SQLLayoutChange`, `busy`.
  func commit(with step: PostgresHandle.Step) throws -> PostgresResult? {
    guard commitsNext, let deferredBegin, case .writing(let isConcurrent) = deferredBegin,
      let known = layout
    else { return nil }
    commitsNext = false
    let end = ContinuousClock.now + writingLimit + outcomeLimit
    prepareToBegin(until: end)
    // The commit travels with the statement.
    handle.stoppable = .never
    // A connection that ended while it was idle is made anew first, since nothing is lost then.
    guard handle.isThere() else { return nil }
    let beginning =
      writeBeginning(isConcurrent) + [lock(isConcurrent), oneTripTest(of: known)] + pending
    let ending = oneTripEnding(isConcurrent)
    let steps = beginning.map(repeated) + [step] + ending.map(repeated)
    let index = beginning.count
    let commit = ending.firstIndex(of: "COMMIT").map { index + 1 + $0 } ?? index
    var results: [PostgresResult] = []
    var isDone: Bool { results.count > commit && results[commit].command == "COMMIT" }
    var failure: StoreError?
    let ticket = isConcurrent ? counters.concurrentCommits.begin() : nil
    var number: UInt64?
    defer { if let ticket { counters.concurrentCommits.end(ticket, number) } }
    do {
      failure = try handle.exchange(steps, until: end, of: steps.count, into: &results)
    } catch let error as StoreError where handle.isLost && error.code != .forked {
      if !isDone { throw lostOneTrip(after: results.prefix(commit)) }
    }
    if isDone {
      endOneTrip()
      hasCommitted = true
      notePosition(in: failure == nil && !handle.isLost ? results : [])
      if isConcurrent {
        number = results.dropFirst(commit + 1).first?.text(0, 0).flatMap { UInt64($0) }
        // Only the counter can be missing or forbidden.
        if number == nil, failure != nil { counters.concurrentCommits.isCounting = false }
      } else if results[commit - 1].rowCount > 0 {
        counters.commits.withLock { $0 &+= 1 }
      }
      count(changesOf: results[index])
      return results[index]
    }
    guard let failure else {
      throw StoreError(.engine, "the server rolled the transaction back")
    }
    let hasBegun = results.count > index && !results.prefix(index).contains(where: \.isFailure)
    if hasBegun || failure.code == .busy || failure.code == .contended {
      endOneTrip()
      if hasBegun { refusal = failure }
      if handle.transaction != PQTRANS_IDLE { _ = try? handle.run("ROLLBACK") }
      throw failure
    }
    try beginAnew(deferredBegin, known)
    return nil
  }

  private func endOneTrip() {
    deferredBegin = nil
    pending = []
    savepoints = 0
    phase = .none
  }

  /// The error of a connection that was lost before the commit was answered.
  ///
  /// A server that ends a process says so instead of the answer of the statement that was running.
  ///
  /// - Parameter results: those of the statements before the commit, as far as they came.
  private func lostOneTrip(after results: ArraySlice<PostgresResult>) -> StoreError {
    endOneTrip()
    handle.close()
    endLostSession()
    counters.positions.didCommit(at: nil)
    var error = Self.unknown
    if let first = results.first(where: \.isFailure) {
      let answer = handle.error(first)
      if answer.engineCode != nil { error = answer }
    }
    refusal = error
    return error
  }

  /// A query that fails unless the tables have a layout, and the server's process is the connection's own.
  private func oneTripTest(of layout: Int64) -> String {
    "SELECT 1 / (CASE WHEN max(value) FILTER (WHERE name = 'layout') = '\(layout)' "
      + "AND coalesce(max(value) FILTER (WHERE name = 'format'), '1')::bigint <= \(Self.format) "
      + "AND pg_catalog.pg_backend_pid() = \(handle.backend) THEN 1 ELSE 0 END) "
      + "FROM \(dialect.meta) WHERE name IN ('layout', 'format')"
  }

  /// The commit, with the statement that counts it for other programs.
  private func oneTripEnding(_ isConcurrent: Bool) -> [String] {
    let count: [String]
    if isConcurrent {
      let counter = dialect.string(dialect.commits)
      count = ["COMMIT", "SELECT pg_catalog.nextval(\(counter))::text"]
    } else {
      // A transaction that has changed nothing has no number.
      let test = "WHERE pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL "
      count = [raising("commits", test), "COMMIT"]
    }
    return positionQuery.isEmpty ? count : count + [positionQuery]
  }
}
