// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// History with a completion handler, each in a transaction of its own.
///
/// A read waits for the pending writes of completion overloads, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Returns the change sets of the first commits after a token, in their order.
  ///
  /// ```swift
  /// store.history(after: token, on: .main) { print($0) }
  /// ```
  ///
  /// Commits that changed nothing of the kept entities have no set. If there are fewer sets than
  /// `limit`, no more are kept. Else the next come after the token of the last one.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `historyOff`, `wrongStore`, `historyTruncated`, `invalidPage` for a negative limit.;
  /// the errors of `read`.
  public func history(
    after token: HistoryToken, limit: Int = 1_000,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[ChangeSet], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.history(after: token, limit: limit)
    }
  }
}
