// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// History off the calling thread, each in a transaction of its own.
///
/// A read waits for the pending writes of blocks with a completion handler, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Returns the change sets of the first commits after a token, in their order.
  ///
  /// ```swift
  /// let sets = try await store.history(after: token)
  /// ```
  ///
  /// Commits that changed nothing of the recorded entities have no set. If there are fewer sets
  /// than `limit`, no more are retained. Else the next come after the token of the last one.
  ///
  /// - Throws: `historyOff`, `wrongStore`, `historyTruncated`, `invalidPage` for a negative limit.;
  ///   the errors of `read`.
  public func history(
    after token: HistoryToken, limit: Int = 1_000,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [ChangeSet] {
    return try await read(consistency: consistency) { try $0.history(after: token, limit: limit) }
  }
}
