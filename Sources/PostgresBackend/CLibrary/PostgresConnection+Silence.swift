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
      PostgresSettings.ownRole
      + "SELECT state = 'active' AND coalesce(wait_event, '') NOT IN ('ClientRead', 'ClientWrite') "
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
