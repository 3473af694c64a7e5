internal import Synchronization

extension TransactionGate {
  /// A stream's place among the open streams; given up by ``release()``, or with the last
  /// reference.
  public final class StreamSlot: Sendable {
    private let gate: TransactionGate
    private let id: UInt64

    fileprivate init(gate: TransactionGate, id: UInt64) {
      self.gate = gate
      self.id = id
    }

    deinit { release() }

    /// Gives up the place; the stream's reader has ended.
    ///
    /// Safe to call twice.
    public func release() {
      gate.releaseStream(id)
    }
  }

  /// Takes one of the places for streams (semantics 6.7), on the calling thread.
  ///
  /// The thread is blocked while all are taken: `busy` is thrown after `readerWait`; besides
  /// `closed` and `forked`. It does not wait for pending writes: the read block in which the
  /// stream opens its reader does.
  ///
  /// `whenClosing` is called on the closing thread when the gate is closed under the open stream.
  /// It is to end the stream's reader, as soon as nobody uses it, and release the place: closing
  /// waits for that.
  public func acquireStream(
    whenClosing: @escaping @Sendable () -> Void = {}
  ) throws -> StreamSlot {
    try forkGuard.check()
    let parked = ParkedThread<Void>()
    let thread = ThreadIdentity.current
    let id = guarded.withLock { guarded -> UInt64? in
      switch guarded.state.enterStream() {
      case .opened: parked.resume(.success(()))
      case .refused(let refusal): parked.resume(.failure(refusal))
      case .mustWait:
        let id = guarded.state.queueStream(thread: thread, now: Self.now).id
        guarded.streamWaiters[id] = { parked.resume($0) }
        return id
      }
      return nil
    }
    if case .failure(let refusal) = answer(to: parked, id: id, within: limits.readerWait) {
      throw refusal.error
    }
    return try registerStream(whenClosing)
  }

  /// Takes one of the places for streams; as the sync one, but no thread is held while it waits,
  /// and in a cancelled task it throws `CancellationError`.
  public func acquireStream(
    whenClosing: @escaping @Sendable () -> Void = {}
  ) async throws -> StreamSlot {
    try Task.checkCancellation()
    try forkGuard.check()
    let request = StreamRequest()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        request.finish = { continuation.resume(with: $0) }
        request.submit(to: self)
      }
    } onCancel: {
      request.cancel(in: self)
    }
    return try registerStream(whenClosing)
  }

  /// Remembers an open stream, unless the gate was closed since.
  private func registerStream(_ whenClosing: @escaping @Sendable () -> Void) throws -> StreamSlot {
    let (id, effects) = guarded.withLock { guarded -> (UInt64?, [Effect]) in
      guard guarded.state.phase == .open else {
        return (nil, prepare(guarded.state.leaveStream(), in: &guarded))
      }
      guarded.lastStream += 1
      guarded.streams[guarded.lastStream] = whenClosing
      return (guarded.lastStream, [])
    }
    perform(effects)
    guard let id else { throw GateState.Refusal.closed.error }
    return StreamSlot(gate: self, id: id)
  }

  private func releaseStream(_ id: UInt64) {
    let (handler, effects) = guarded.withLock { guarded -> (Effect?, [Effect]) in
      guard let handler = guarded.streams.removeValue(forKey: id) else { return (nil, []) }
      return (handler, prepare(guarded.state.leaveStream(), in: &guarded))
    }
    // The handler is let go outside the lock, since that may run anything.
    withExtendedLifetime(handler) { perform(effects) }
  }
}
