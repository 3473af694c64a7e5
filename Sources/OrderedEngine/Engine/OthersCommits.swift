internal import ORMStorage

/// Detects the commits of others by the number of the newest: it grows by one with every commit that
/// wrote, so another number than that of our last commit is theirs.
///
/// Used by one thread at a time, as writers are.
final class OthersCommits: Sendable {
  private struct State {
    /// The newest commit's number after our last look or commit; nil before the first.
    var known: UInt64?
    /// The number of times that commits by others were found.
    var count: UInt64 = 0
  }

  private let state = Lock(State())

  /// The newest commit has this number; gives a number that changes when others have committed.
  func saw(_ stamp: UInt64) -> UInt64 {
    state.withLock { state in
      if let known = state.known, known != stamp { state.count += 1 }
      state.known = stamp
      return state.count
    }
  }

  /// We committed after the one with the number `last`.
  func committed(after last: UInt64) {
    _ = saw(last)
    state.withLock { $0.known = last &+ 1 }
  }
}
