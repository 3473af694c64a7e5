internal import CPostgres
internal import ORMStorage

/// The outcome of a commit whose answer was lost.
///
/// Each write transaction learns its number when it begins. When the connection is lost during the
/// commit, the server is asked on a new one about that number.
extension PostgresConnection {
  /// The time in which a commit must be answered, and after it its outcome must be learnt.
  var outcomeLimit: Duration { max(options.writerWait, postgres.connectTimeout) }

  /// The query of a text that differs once a server has lost transactions, whose numbers others may get: its
  /// timeline, and the time of its last recovery from a crash.
  ///
  /// Beside it is the server's or the role's setting of how safe a commit is.
  private static var incarnationQuery: String {
    "SELECT concat_ws(' ', substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8), "
      + "(SELECT stats_reset FROM pg_catalog.pg_stat_wal)), "
      + "pg_catalog.current_setting('synchronous_commit')"
  }

  /// Learns the incarnation with the first write of a connection; behind a pooler with each.
  ///
  /// A server that has no such functions has none, and then no commit is certain.
  func learnIncarnation() throws {
    guard incarnation == nil || isPooled || handle.isLost else { return }
    do {
      let found = try begin(Self.incarnationQuery, within: options.writerWait).last
      incarnation = found?.text(0, 0) ?? ""
      commitsEarly = found?.text(0, 1) == "off"
    } catch let error as StoreError where error.code == .engine {
      incarnation = ""
    }
  }

  /// Asks the server for the outcome of the transaction, until it is known or the time is up.
  ///
  /// The end of the running operation does not end it: the transaction may be done.
  ///
  /// - Throws: `connectionLost` if it was rolled back, `outcomeUnknown` if nothing is learnt.
  func learnOutcome() throws {
    let operation = RunningOperation.exchange(nil)
    defer { _ = RunningOperation.exchange(operation) }
    let known = incarnation ?? ""
    hasChangedTables = false
    handle.close()
    endLostSession()
    guard let id = transactionID, !known.isEmpty else { throw Self.unknown }
    let end = ContinuousClock.now + outcomeLimit
    repeat {
      // An attempt that fails is made again: the server may come back.
      switch try? outcome(of: id, known, to: end) {
      case .done: return
      case .undone:
        throw StoreError(
          .connectionLost,
          "the connection to the PostgreSQL server was lost during a commit, which was not done")
      case .unknowable: throw Self.unknown
      case .pending: try PostgresHandle.pause(microseconds: 5_000)
      case nil: try PostgresHandle.pause()
      }
    } while ContinuousClock.now < end
    throw Self.unknown
  }

  private enum Outcome { case done, undone, pending, unknowable }

  /// The outcome as the server knows it now.
  private func outcome(
    of id: String, _ known: String, to end: ContinuousClock.Instant
  ) throws -> Outcome {
    if handle.isLost { try reconnect(until: end) }
    let end = min(end, .now + postgres.connectTimeout)
    // A standby, which may not have heard of the transaction yet, refuses this query.
    let isSame = try run(Self.incarnationQuery, until: end).last?.text(0, 0) == known
    switch try status(of: id, until: end) {
    case "committed":
      // A server that has lost the transaction may have given its number to another.
      let isStillSame = try run(Self.incarnationQuery, until: end).last?.text(0, 0) == known
      return isSame && isStillSame ? .done : .unknowable
    case "aborted": return .undone
    case "in progress":
      // A session that waits for its client, whose commit cannot come any more, is being ended.
      return isSame ? .pending : .undone
    default: return .unknowable
    }
  }

  /// The server's word for a transaction's status; `aborted` for a number that it has not reached.
  private func status(of id: String, until end: ContinuousClock.Instant) throws -> String? {
    do {
      return try run("SELECT pg_catalog.pg_xact_status('\(id)'::xid8)", until: end).last?.text(0, 0)
    } catch  where PostgresFailure.state(of: error) == "22023" {
      return "aborted"
    }
  }

  static var unknown: StoreError {
    StoreError(
      .outcomeUnknown,
      "the connection to the PostgreSQL server was lost during a commit, which may have been done")
  }
}
