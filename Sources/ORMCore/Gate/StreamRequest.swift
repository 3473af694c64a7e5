internal import Synchronization

/// An async call that waits for a stream's place; holds no thread.
// `waiterID` and `isCancelled` are guarded by the gate's lock. `finish` is set before the request is
// handed to the gate, and that lock passes it on to the one thread that answers.
final class StreamRequest: @unchecked Sendable {
  /// Takes the outcome, once.
  var finish: (Result<Void, any Error>) -> Void = { _ in }
  private var waiterID: UInt64?
  private var isCancelled = false

  /// Asks for a place, in the order of these calls.
  func submit(to gate: TransactionGate) {
    let (answer, effects) = gate.guarded.withLock {
      guarded -> (Result<Void, any Error>?, [TransactionGate.Effect]) in
      if isCancelled { return (.failure(CancellationError()), []) }
      switch guarded.state.enterStream() {
      case .opened: return (.success(()), [])
      case .refused(let refusal): return (.failure(refusal.error), [])
      case .mustWait:
        let (id, actions) = guarded.state.queueStream(thread: nil, now: TransactionGate.now)
        waiterID = id
        guarded.streamWaiters[id] = { [self] in finish($0.mapError(\.error)) }
        return (nil, gate.prepare(actions, in: &guarded))
      }
    }
    gate.perform(effects)
    if let answer { finish(answer) }
  }

  /// The calling task was cancelled: the request leaves the queue, unless it was answered.
  func cancel(in gate: TransactionGate) {
    gate.guarded.withLock { _ in isCancelled = true }
    if gate.abandon(waiterID) { finish(.failure(CancellationError())) }
  }
}
