extension TransactionScheduler {
  /// A stream's slot among the open streams; given up by ``release()``, or with the last
  /// reference.
  package final class StreamSlot: Sendable {
    private let scheduler: TransactionScheduler
    private let id: UInt64

    fileprivate init(scheduler: TransactionScheduler, id: UInt64) {
      self.scheduler = scheduler
      self.id = id
    }

    deinit { release() }

    /// Gives up the slot; the stream's reader has ended.
    ///
    /// Safe to call twice.
    package func release() {
      scheduler.releaseStream(id)
    }
  }

  /// Takes one of the slots for streams (clause 6.7).
  ///
  /// While all are taken the caller waits without holding a thread: `busy` is thrown after
  /// `readerWait`; besides `closed`, `forked`, and `CancellationError` in a cancelled task. It does not
  /// wait for pending writes: the read block in which the stream opens its reader does.
  ///
  /// `whenClosing` is called on the closing thread when the scheduler is closed under the open stream. It
  /// must end the stream's reader, as soon as no thread uses it, and release the slot: closing waits for
  /// that.
  package func acquireStream(
    whenClosing: @escaping @Sendable () -> Void = {}
  ) async throws -> StreamSlot {
    try Task.checkCancellation()
    try forkCheck.check()
    let outcome = AsyncOutcome()
    let id = requestStream { answer in
      if case .failure(let refusal) = answer {
        outcome.resolve(refusal.error)
      } else {
        outcome.resolve(nil)
      }
    }
    try await withTaskCancellationHandler {
      try await outcome.success()
    } onCancel: {
      if abandon(id) { outcome.resolve(CancellationError()) }
    }
    return try registerStream(whenClosing)
  }

  /// Asks for a slot; gives a number when the answer has to be waited for.
  private func requestStream(_ answer: @escaping @Sendable (Answer<Void>) -> Void) -> UInt64? {
    let (entry, id, effects) = guarded.withLock {
      guarded -> (SchedulerState.StreamEntry, UInt64?, [Effect]) in
      let entry = guarded.state.enterStream()
      guard entry == .mustWait else { return (entry, nil, []) }
      let (id, actions) = guarded.state.queueStream(thread: nil, now: Self.now)
      guarded.streamWaiters[id] = answer
      return (entry, id, prepare(actions, in: &guarded))
    }
    perform(effects)
    switch entry {
    case .opened: answer(.success(()))
    case .refused(let refusal): answer(.failure(refusal))
    case .mustWait: break
    }
    return id
  }

  /// Remembers an open stream, unless the scheduler was closed since.
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
    guard let id else { throw SchedulerState.Refusal.closed.error }
    return StreamSlot(scheduler: self, id: id)
  }

  private func releaseStream(_ id: UInt64) {
    if forkCheck.isInherited { return }
    let (handler, effects) = guarded.withLock { guarded -> (Effect?, [Effect]) in
      guard let handler = guarded.streams.removeValue(forKey: id) else { return (nil, []) }
      return (handler, prepare(guarded.state.leaveStream(), in: &guarded))
    }
    // The handler is released outside the lock, since that may run any code.
    withExtendedLifetime(handler) { perform(effects) }
  }
}
