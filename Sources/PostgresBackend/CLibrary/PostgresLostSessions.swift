internal import Dispatch
internal import ORMStorage

extension PostgresConnection {
  /// Has the server end its session of a lost connection: others may wait for its locks.
  ///
  /// Behind a pooler, a process may serve others by now, and is known by the number of the transaction.
  func endLostSession() {
    let transaction = transactionID
    guard let session = handle.takeLostSession(), !isPooled || transaction != nil else { return }
    if isPooled {
      let number = UInt32(truncatingIfNeeded: UInt64(transaction ?? "") ?? 0)
      endSession("backend_xid = '\(number)'::xid", made: nil)
    } else {
      endSession("pid = \(session.process)", made: session.made)
    }
  }

  /// Has the server end the session of another connection than the one of its transactions.
  ///
  /// Behind a pooler, nothing tells the process.
  func endLostSession(of other: PostgresHandle) {
    guard let session = other.takeLostSession(), !isPooled else { return }
    endSession("pid = \(session.process)", made: session.made)
  }

  private func endSession(_ condition: String, made: ContinuousClock.Instant?) {
    let timeout = postgres.connectTimeout
    counters.lostSessions.add(
      PostgresLostSessions.Session(
        condition: condition, made: made, end: .now + outcomeLimit, replica: replica,
        timeout: timeout, connect: connect))
  }
}

/// Sessions of the server whose connections are lost, and which may still hold locks.
///
/// A server does not notice the loss of a connection whose other part stays, as one to a proxy does. It is
/// asked to end a session once that waits for its client; the session finishes its work first, perhaps a
/// commit. An open store asks until the session is gone, however long its work takes or the server cannot be
/// reached: nothing else would free the locks.
final class PostgresLostSessions: Sendable {
  /// A session.
  struct Session: Sendable {
    /// The condition on the server's list of sessions that is true for this one.
    let condition: String
    /// The time at which its connection was made; the server's process is older than that.
    let made: ContinuousClock.Instant?
    /// The time until which the server is asked even if the store is closed.
    let end: ContinuousClock.Instant
    /// The number of the standby that has it; nil if the server itself has it.
    let replica: Int?
    /// The time in which the server must answer a question.
    let timeout: Duration
    /// Connects to the server, or throws when a time has passed.
    let connect: @Sendable (Duration) throws -> PostgresHandle

    /// The statements that end it, with a row as long as it is there.
    var query: String {
      let age = made.map { (ContinuousClock.now - $0) / .milliseconds(1) } ?? 0
      return PostgresSettings.ownRole + """
        SELECT CASE WHEN state LIKE 'idle%' OR wait_event IN ('ClientRead', 'ClientWrite') \
        THEN pg_catalog.pg_terminate_backend(pid) END \
        FROM pg_catalog.pg_stat_activity WHERE \(condition) AND datname = current_database() \
        AND usename = session_user AND pid <> pg_catalog.pg_backend_pid() AND backend_start <= \
        pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => \(age) / 1000.0)
        """
    }
  }

  private struct State {
    var sessions: [Session] = []
    /// The number of connections of the store; none once it is closed.
    var connections = 0
    /// The number of the round of questions that comes next.
    var round = 0
    /// The pause after it.
    var pause = shortestPause
  }

  private static let shortestPause = Duration.milliseconds(50)
  private static let longestPause = Duration.seconds(1)

  private let state = Lock(State())
  private let queue = DispatchQueue(label: "PostgresBackend.PostgresLostSessions")

  /// Counts a connection of the store.
  func connectionOpened() { state.withLock { $0.connections += 1 } }

  /// Counts a connection no more.
  func connectionClosed() { state.withLock { $0.connections -= 1 } }

  /// Adds a session, and begins to ask the server to end it; nothing is waited for.
  func add(_ session: Session) {
    let round = state.withLock { state in
      state.sessions.append(session)
      state.pause = Self.shortestPause
      state.round += 1
      return state.round
    }
    queue.async { self.ask(round) }
  }

  /// Asks the server to end the sessions, and does so again after a pause if some are left.
  ///
  /// - Parameter round: the number of the round; another one that was begun since takes its work.
  private func ask(_ round: Int) {
    let sessions = state.withLock { state -> [Session] in
      guard state.round == round else { return [] }
      defer { state.sessions = [] }
      return state.sessions.filter { state.connections > 0 || $0.end > .now }
    }
    if sessions.isEmpty { return }
    let left = Self.end(sessions)
    let next = state.withLock { state -> (round: Int, pause: Duration)? in
      state.sessions += left
      if state.round != round || left.isEmpty { return nil }
      state.round += 1
      defer { state.pause = min(state.pause * 2, Self.longestPause) }
      return (state.round, state.pause)
    }
    guard let next else { return }
    let pause = DispatchTimeInterval.milliseconds(Int(next.pause / .milliseconds(1)))
    queue.asyncAfter(deadline: .now() + pause) { self.ask(next.round) }
  }

  /// Asks the servers to end sessions, and returns those that may still be there.
  private static func end(_ sessions: [Session]) -> [Session] {
    Dictionary(grouping: sessions, by: \.replica).values.flatMap { sessions in
      guard let first = sessions.first, let handle = try? first.connect(first.timeout) else {
        return sessions
      }
      defer { handle.close() }
      handle.deadline = .now + first.timeout
      return sessions.filter { session in
        do {
          return try handle.run(session.query).contains { $0.rowCount > 0 }
        } catch {
          // A server that refuses the question will always do so.
          return session.end > .now || !PostgresFailure.state(of: error).hasPrefix("42")
        }
      }
    }
  }
}
