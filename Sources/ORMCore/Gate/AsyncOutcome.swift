internal import Synchronization

/// An outcome that one task will wait for, and that may come before it does.
///
/// It lets an async verb take its place in line before its first suspension: to suspend first, and
/// ask from within, is to let others pass where the runtime changes threads on the way.
///
/// It resumes once, whoever calls it, so that its continuation need not be a checked one, which
/// would be another object for each verb.
final class AsyncOutcome<Success: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(UnsafeContinuation<Success, any Error>)
    case known(Result<Success, any Error>)
    case resumed
  }

  private let state = Mutex(State.open)

  /// Says what came out; to be called once.
  func resolve(_ result: Result<Success, any Error>) {
    let continuation = state.withLock { state -> UnsafeContinuation<Success, any Error>? in
      switch state {
      case .awaited(let continuation):
        state = .resumed
        return continuation
      case .open: state = .known(result)
      case .known, .resumed: assertionFailure("an outcome was given twice")
      }
      return nil
    }
    continuation?.resume(with: result)
  }

  /// What came out; to be awaited once.
  func value() async throws -> Success {
    try await withUnsafeThrowingContinuation { continuation in
      let known = state.withLock { state -> Result<Success, any Error>? in
        if case .known(let result) = state {
          state = .resumed
          return result
        }
        state = .awaited(continuation)
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
  }
}
