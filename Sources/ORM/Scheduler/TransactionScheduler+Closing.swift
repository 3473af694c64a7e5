extension TransactionScheduler {
  /// Closes the scheduler and returns when nothing is left in it.
  ///
  /// From the call on everything new throws `closed`. Blocks that wait or run come to their end,
  /// those of completion overloads included, so that no write that was promised is lost; streams
  /// are asked to end. The calling thread is blocked for that long, at most for `writerWait`: then
  /// `busy` is thrown, the scheduler stays closed to new requests, and `close` may be called again.
  /// Inside a block of this scheduler on the same thread it throws `reentrancy`, and the scheduler
  /// stays open. A closed scheduler may be closed again.
  package func close() throws {
    try forkCheck.check()
    let thread = ThreadIdentity.current
    let parked = ParkedThread<Void>()
    let (answer, effects, streams) = guarded.withLock { guarded in
      let (answer, actions) = guarded.state.close(thread: thread)
      if answer == .mustWait { guarded.closers.append(parked) }
      let streams = guarded.state.phase == .open ? [] : Array(guarded.streams.values)
      return (answer, prepare(actions, in: &guarded), streams)
    }
    perform(effects)
    for end in streams { end() }
    switch answer {
    case .closed: break
    case .refused(let refusal): throw refusal.closingError
    case .mustWait:
      guard case .success = self.answer(to: parked, id: nil, within: limits.writerWait) else {
        guarded.withLock { $0.closers.removeAll { $0 === parked } }
        throw SchedulerState.Refusal.busy.closingError
      }
    }
    // The listeners end after the last commit was reported.
    notices.afterNotices { [listeners] in listeners.close() }
  }
}

extension SchedulerState.Refusal {
  /// The error for somebody who wanted to close the scheduler.
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
