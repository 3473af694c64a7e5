internal import Synchronization

/// An outcome that one task will wait for, and that may come before it does.
///
/// It lets an async verb take its place in line before its first suspension: to suspend first, and
/// ask from within, is to let others pass where the runtime changes threads on the way.
final class AsyncOutcome<Success: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Success, any Error>)
    case known(Result<Success, any Error>)
  }

  private let state = Mutex(State.open)

  /// Says what came out; to be called once.
  func resolve(_ result: Result<Success, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Success, any Error>? in
      if case .awaited(let continuation) = state { return continuation }
      state = .known(result)
      return nil
    }
    continuation?.resume(with: result)
  }

  /// What came out; to be awaited once.
  func value() async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
      let known = state.withLock { state -> Result<Success, any Error>? in
        if case .known(let result) = state { return result }
        state = .awaited(continuation)
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
  }
}
