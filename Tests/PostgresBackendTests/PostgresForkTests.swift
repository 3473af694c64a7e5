import TestSupport
import Testing

/// A process that is forked while it has a store open: clause 6.9.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresForkTests {
  private let namespace = PostgresNamespace()

  @Test("6.9: a child of a fork gets forked at each point, and its parent goes on")
  func forks() throws {
    let points = [
      "open", "read", "afterFind", "chunk", "write", "afterSave", "afterSecondStore",
      "inSavepoint", "afterSavepoint", "beforeCommit", "rollback", "noticed", "afterCommit",
    ]
    let lines = try HelperProcess.store(["fork", namespace.location()]).lines()
    // Six transactions around a fork are committed by the parent.
    #expect(lines == points.map { "\($0) forked" } + ["parent: 6 50 50", "sound", "ok"])
  }
}
