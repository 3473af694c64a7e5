internal import CPostgres
internal import Dispatch
internal import ORMStorage

/// A question to the server, on another connection, whether it still works on a request.
///
/// A server that waits for the client, to read or to write, does not: the network has lost a part of the
/// request or of the answer.
final class WorkCheck {
  private weak var connection: PostgresConnection?
  /// The bytes that the system held for the server when it was asked last.
  private var unsent: Int32 = 0
  /// The number of questions in a row that were not answered.
  private var unknown = 0

  private enum Answer { case working, waiting, unknown }

  /// The questions without an answer after which the server counts as lost.
  private static var mostUnknown: Int { 12 }

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Returns whether the server works, as far as is known; asked after each silence.
  func isWorking() -> Bool {
    guard let connection else { return false }
    // Bytes that the network still accepts are on their way to the server.
    let before = unsent
    unsent = connection.handle.unsentBytes
    if unsent > 0, before == 0 || unsent < before { return true }
    let answer = ask(connection)
    unknown = answer == .unknown ? unknown + 1 : 0
    return answer == .working || answer == .unknown && unknown < Self.mostUnknown
  }

  private func ask(_ connection: PostgresConnection) -> Answer {
    let timeout = connection.postgres.connectTimeout
    let probe: PostgresHandle
    do {
      probe = try connection.connect(timeout)
    } catch {
      // A server that has no connection left is there.
      return PostgresFailure.state(of: error) == PostgresFailure.full ? .unknown : .waiting
    }
    defer { probe.close() }
    // Before a transaction, a pooler has no process for it.
    if connection.isPooled, connection.phase == .none { return .unknown }
    probe.deadline = .now + timeout
    let query =
      "SELECT state = 'active' AND coalesce(wait_event, '') NOT IN ('ClientRead', 'ClientWrite') "
      + "FROM pg_catalog.pg_stat_activity WHERE pid = \(connection.backend)"
    do {
      for _ in 0..<2 {
        switch try probe.run(query).last?.text(0, 0) {
        // Between two parts of a request, a server may wait for a moment.
        case "f": try PostgresHandle.pause()
        case nil: return .unknown
        default: return .working
        }
      }
      return .waiting
    } catch {
      // A pooler may have no process left for the question.
      return connection.isPooled ? .unknown : .waiting
    }
  }
}

extension PostgresConnection {
  /// Has the server end its session of a lost connection: others may wait for its locks.
  ///
  /// Behind a pooler, a process may serve others by now, and is known by the number of the transaction.
  func endLostSession() {
    let transaction = transactionID
    guard let (process, made) = handle.takeLostSession(), !isPooled || transaction != nil else {
      return
    }
    let condition =
      isPooled
      ? "backend_xid = '\(UInt32(truncatingIfNeeded: UInt64(transaction ?? "") ?? 0))'::xid"
      : "pid = \(process)"
    counters.lostSessions.add(
      PostgresLostSessions.Session(
        condition: condition, made: isPooled ? nil : made, end: .now + outcomeLimit),
      timeout: postgres.connectTimeout, connect)
  }
}

/// Sessions of the server whose connections are lost, and which may still hold locks.
///
/// A server does not notice the loss of a connection whose other part stays, as one to a proxy does. It is
/// asked to end a session once that waits for its client; the session finishes its work first, perhaps a
/// commit.
final class PostgresLostSessions: Sendable {
  /// A session.
  struct Session: Sendable {
    /// The condition on the server's list of sessions that is true for this one.
    let condition: String
    /// The time at which its connection was made; the server's process is older than that.
    let made: ContinuousClock.Instant?
    /// The time until which the server is asked.
    let end: ContinuousClock.Instant

    /// The statement that ends it, with a row as long as it is there.
    var query: String {
      let age = made.map { (ContinuousClock.now - $0) / .milliseconds(1) } ?? 0
      return """
        SELECT CASE WHEN state LIKE 'idle%' OR wait_event IN ('ClientRead', 'ClientWrite') \
        THEN pg_catalog.pg_terminate_backend(pid) END \
        FROM pg_catalog.pg_stat_activity WHERE \(condition) AND datname = current_database() \
        AND usename = current_user AND pid <> pg_catalog.pg_backend_pid() AND backend_start <= \
        pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => \(age) / 1000.0)
        """
    }
  }

  private struct State {
    var sessions: [Session] = []
    var isRunning = false
  }

  private let state = Lock(State())

  /// Adds a session, and begins to ask the server to end it; nothing is waited for.
  func add(
    _ session: Session, timeout: Duration,
    _ connect: @escaping @Sendable (Duration) throws -> PostgresHandle
  ) {
    let begins = state.withLock { state in
      state.sessions.append(session)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard begins else { return }
    DispatchQueue(label: "PostgresBackend.PostgresLostSessions").async { [self] in
      while true {
        let sessions = state.withLock { state in
          let sessions = state.sessions.filter { $0.end > .now }
          state.isRunning = !sessions.isEmpty
          state.sessions = []
          return sessions
        }
        if sessions.isEmpty { return }
        let left = Self.end(sessions, timeout, connect)
        state.withLock { $0.sessions += left }
        // Nothing ends this wait: the queue works for no operation.
        if !left.isEmpty { try? PostgresHandle.pause() }
      }
    }
  }

  /// Asks the server to end sessions, and returns those that may still be there.
  private static func end(
    _ sessions: [Session], _ timeout: Duration,
    _ connect: (Duration) throws -> PostgresHandle
  ) -> [Session] {
    guard let handle = try? connect(timeout) else { return sessions }
    defer { handle.close() }
    handle.deadline = .now + timeout
    return sessions.filter { session in
      (try? handle.run(session.query))?.contains { $0.rowCount > 0 } ?? true
    }
  }
}
