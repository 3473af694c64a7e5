internal import CPostgres
internal import ORMStorage

/// The end of reads, and the removal of unread rows.
extension PostgresConnection {
  /// The time in which rows on their way should come before their statement is cancelled.
  private static var grace: Duration { .milliseconds(20) }

  /// Ends a read without waiting for the answer.
  ///
  /// A statement whose rows are no longer read is cancelled, so that neither the server nor the next read has
  /// to finish it.
  func sendEnd() {
    if isClosed { return }
    do {
      endCancelling()
      try streaming?.takeRest()
      try cancelUnread()
      try handle.sendAside("ROLLBACK")
    } catch {
      // The next transaction finds the connection lost, and makes it anew.
      endLostSession()
    }
  }

  var awaitsEnd: Bool { !isClosed && handle.awaitsAnswer }

  func takeEnd() { takeEnd(within: postgres.connectTimeout) }

  /// Takes the answer to the end of a read; a connection that gives none in a time is lost.
  func takeEnd(within limit: Duration) {
    if hasUnreadRows {
      prepareToBegin(until: .now + limit * 2)
    } else {
      handle.deadline = .now + limit
      defer { handle.deadline = nil }
      do { try handle.endPipelines() } catch { handle.close() }
    }
    endLostSession()
  }

  /// Cancels the statement whose rows are no longer read, in a transaction that ends.
  func cancelUnread() throws {
    guard hasUnreadRows else { return }
    // An operation that has ended waits for nothing.
    let hasEnded = RunningOperation.current?.isStopped == true
    hasUnreadRows = try !handle.hasAnswer(within: hasEnded ? .milliseconds(1) : Self.grace)
    if !hasUnreadRows { return }
    handle.cancel()
    // A pooler may pass the request on when another statement runs.
    if isPooled { handle.close() }
  }

  /// Discards the state of the last transaction, before another begins.
  ///
  /// Unread rows are discarded. If they do not come in half of the time, or in that of the operation, the
  /// connection is closed, and then made anew.
  ///
  /// - Parameter end: the time by which the transaction must have begun.
  func prepareToBegin(until end: ContinuousClock.Instant) {
    handle.contention = nil
    handle.cancelEnd = nil
    handle.stoppable = .byOperation
    guard hasUnreadRows else { return }
    hasUnreadRows = false
    var limit = min(postgres.connectTimeout, (end - .now) / 2)
    if let rest = RunningOperation.rest { limit = min(limit, rest) }
    handle.deadline = .now + limit
    handle.stoppable = .atOnce
    defer {
      handle.deadline = nil
      handle.cancelEnd = nil
      handle.stoppable = .byOperation
    }
    do {
      try handle.endPipelines()
      // The end of the read may have been cancelled instead of its statement.
      if handle.transaction != PQTRANS_IDLE { try handle.run("ROLLBACK") }
      handle.contention = nil
    } catch {
      handle.close()
    }
  }

  /// Lets nothing be cancelled any more: the transaction ends.
  func endCancelling() {
    // A pooler may pass a request on when another statement runs.
    if isPooled, handle.cancelEnd != nil, handle.isStopped { handle.close() }
    handle.stoppable = .never
  }
}
