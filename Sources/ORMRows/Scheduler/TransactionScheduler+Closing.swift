internal import Dispatch

extension TransactionScheduler {
  /// Closes the scheduler and returns when nothing is left in it.
  ///
  /// From the call on everything new throws `closed`. Blocks that wait or run come to their end,
  /// those with a completion handler included, so that no write that was promised is lost; streams
  /// are asked to end. The calling thread is blocked for that long, at most for `writerWait`: then
  /// `busy` is thrown, the scheduler stays closed to new requests, and `close` may be called again.
  /// Inside a block of this scheduler on the same thread it throws `reentrancy`, and the scheduler
  /// stays open. A closed scheduler may be closed again.
  package func close() throws {
    try forkCheck.check()
    let parked = ParkedThread<Void>()
    if let closer = try beginClosing(thread: ThreadIdentity.current, { parked.resume($0) }) {
      do {
        guard case .success = try operationAnswer(to: parked, id: nil, limits.writerWait) else {
          throw SchedulerState.Refusal.busy.closingError
        }
      } catch {
        leave(closer: closer)
        throw error
      }
    }
    endListeners()
  }

  /// Closes the scheduler without holding a thread while it waits.
  ///
  /// As `close()`. If the task is cancelled, the wait ends with `CancellationError`, and the scheduler
  /// stays closed to new requests.
  package func closeSuspending() async throws {
    try forkCheck.check()
    let outcome = AsyncOutcome()
    // A task is in no block, whichever thread it runs on.
    let closer = try beginClosing(thread: nil) { answer in
      switch answer {
      case .success: outcome.resolve(nil)
      case .failure(let refusal): outcome.resolve(refusal.closingError)
      }
    }
    if let closer {
      let end = endOfWait
      if end < .max {
        Self.alarms.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: end)) { [weak self] in
          self?.leave(closer: closer)
          outcome.resolve(SchedulerState.Refusal.busy.closingError)
        }
      }
      try await withTaskCancellationHandler {
        try await outcome.success()
      } onCancel: {
        leave(closer: closer)
        outcome.resolve(CancellationError())
      }
    }
    endListeners()
  }

  /// The time at which a wait that begins now has taken `writerWait`.
  private var endOfWait: UInt64 {
    let (end, overflow) = Self.now.addingReportingOverflow(limits.writerWait)
    return overflow ? .max : end
  }

  /// Lets nothing new in.
  ///
  /// - Returns: the number of a caller that has to wait until nothing is left, which `answer` reports;
  ///   nil if nothing is.
  /// - Throws: `reentrancy`.
  private func beginClosing(
    thread: ThreadIdentity?, _ answer: @escaping @Sendable (Answer<Void>) -> Void
  ) throws -> UInt64? {
    let (closing, closer, effects, streams) = guarded.withLock { guarded in
      let (closing, actions) = guarded.state.close(thread: thread)
      var closer: UInt64?
      if closing == .mustWait {
        guarded.lastCloser += 1
        closer = guarded.lastCloser
        guarded.closers[guarded.lastCloser] = answer
      }
      let streams = guarded.state.phase == .open ? [] : Array(guarded.streams.values)
      return (closing, closer, prepare(actions, in: &guarded), streams)
    }
    perform(effects)
    for end in streams { end() }
    if case .refused(let refusal) = closing { throw refusal.closingError }
    return closer
  }

  private func leave(closer: UInt64) { guarded.withLock { $0.closers[closer] = nil } }

  /// Ends the listeners after the last commit was reported.
  private func endListeners() { notices.afterNotices { [listeners] in listeners.close() } }
}

extension SchedulerState.Refusal {
  /// The error for a caller that closes the scheduler.
  fileprivate var closingError: StoreError {
    switch self {
    case .busy:
      StoreError(
        .busy,
        "The store was not closed: transactions or streams were still open after `writerWait`.")
    case .reentrancy:
      StoreError(.reentrancy, "A store cannot be closed inside one of its blocks.")
    case .closed: error
    }
  }
}
