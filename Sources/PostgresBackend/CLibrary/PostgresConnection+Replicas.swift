internal import CPostgres
internal import ORMStorage
internal import SQLEngine

/// Reads of a replica, a standby of the server, whose state is fresh enough.
extension PostgresConnection: ReplicaConnection {
  /// The longest time for which a read waits for a replica, and in which each answer of it must come.
  private static var longestWait: Duration { .milliseconds(50) }

  func beginSnapshot(
    _ freshness: ReadFreshness, primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> Bool {
    guard try isFresh(freshness, primary: primary) else { return false }
    let known = generation
    try beginSnapshot()
    if generation == known { return true }
    // Another connection may lead to another server.
    endRead()
    return false
  }

  func health(
    primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> ReplicaHealth {
    let positions = counters.positions
    // Without the server, the known positions may do.
    try? primary { try ($0 as? PostgresConnection)?.notePosition() }
    guard let replayed = try replayedPosition(within: .milliseconds(500)) else {
      return ReplicaHealth(isReachable: false)
    }
    guard let end = positions.end else { return ReplicaHealth(isReachable: true) }
    if replayed >= end { return ReplicaHealth(isReachable: true, lag: .zero, lagInBytes: 0) }
    return ReplicaHealth(
      isReachable: true, lag: positions.time(at: replayed).map { .now - $0 },
      lagInBytes: Int(clamping: end - replayed))
  }

  private func isFresh(
    _ freshness: ReadFreshness, primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> Bool {
    let positions = counters.positions
    let start = ContinuousClock.now
    var wait = Self.longestWait
    switch freshness {
    case .newest: return false
    case .own: break
    case .within(let limit):
      if limit <= .zero { return false }
      wait = min(wait, limit)
      if positions.newest.map({ start - $0 > limit / 2 }) ?? true {
        // Without the server, the known position may do.
        try? primary { try ($0 as? PostgresConnection)?.notePosition() }
      }
    }
    while true {
      let asked = ContinuousClock.now
      guard let replayed = try replayedPosition(within: Self.longestWait) else { return false }
      switch freshness {
      case .newest: return false
      case .own:
        guard let own = positions.own else { return false }
        if replayed >= own { return true }
      case .within(let limit):
        if let time = positions.time(at: replayed), ContinuousClock.now - time <= limit {
          return true
        }
      }
      // An answer that takes as long as the last one must still be in time.
      let now = ContinuousClock.now
      if now - start + (now - asked) >= wait { return false }
      try PostgresHandle.pause(microseconds: 2_000)
    }
  }

  /// The position to which a standby has replayed the log; nil on a server that is none.
  ///
  /// - Throws: `busy` if it does not answer in time. It is skipped then, and has a pause.
  private func replayedPosition(within limit: Duration) throws -> UInt64? {
    let results = try begin(
      "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() "
        + "THEN pg_catalog.pg_last_wal_replay_lsn()::text END", within: limit)
    return PostgresPositions.position(results.last?.text(0, 0))
  }

  /// Notes where the server's log ends.
  private func notePosition() throws {
    let time = ContinuousClock.now
    let results = try begin("SELECT \(Self.logEnd)")
    if let position = PostgresPositions.position(results.last?.text(0, 0)) {
      counters.positions.note(position, askedAt: time)
    }
  }

  /// The end of the server's log, as a text.
  private static var logEnd: String { "pg_catalog.pg_current_wal_insert_lsn()::text" }

  /// A statement that gives the end of the log after a commit; empty without replicas.
  var positionQuery: String { postgres.replicas.isEmpty ? "" : "SELECT \(Self.logEnd) AS position" }

  /// Asks for the position of a commit that was answered, and notes it.
  ///
  /// The commit stands even if the question fails.
  func notePositionOfCommit() {
    if postgres.replicas.isEmpty { return }
    notePosition(in: (try? run(positionQuery, until: .now + outcomeLimit)) ?? [])
  }

  /// Notes the position of a commit, which the last of its results has.
  func notePosition(in results: [PostgresResult]) {
    if postgres.replicas.isEmpty { return }
    counters.positions.didCommit(at: PostgresPositions.position(results.last?.text(0, 0)))
  }
}
