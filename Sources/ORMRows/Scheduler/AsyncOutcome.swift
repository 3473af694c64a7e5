/// An outcome that one task will wait for, and that may come before it does.
///
/// It lets an async operation enter the queue before its first suspension: to suspend first, and ask from
/// within, is to let others pass where the runtime changes threads meanwhile.
///
/// It resumes once: the first outcome counts, and later ones are ignored. A checked continuation,
/// which would be another object for each operation, is not needed.
final class AsyncOutcome: Sendable {
  private enum State {
    case open
    case awaited(UnsafeContinuation<Void, any Error>)
    case known((any Error)?)
    case resumed
  }

  private let state = Lock(State.open)

  /// Reports an error or success; only the first report counts.
  func resolve(_ failure: (any Error)?) {
    let continuation = state.withLock { state -> UnsafeContinuation<Void, any Error>? in
      switch state {
      case .awaited(let continuation):
        state = .resumed
        return continuation
      case .open: state = .known(failure)
      case .known, .resumed: break
      }
      return nil
    }
    if let continuation { Self.resume(continuation, failure) }
  }

  /// Returns on success, and throws the error of a failure; to be awaited once.
  func success() async throws {
    try await withUnsafeThrowingContinuation { continuation in
      let known = state.withLock { state -> (any Error)?? in
        if case .known(let failure) = state {
          state = .resumed
          return .some(failure)
        }
        state = .awaited(continuation)
        return nil
      }
      if let known { Self.resume(continuation, known) }
    }
  }

  private static func resume(
    _ continuation: UnsafeContinuation<Void, any Error>, _ failure: (any Error)?
  ) {
    if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
  }
}
