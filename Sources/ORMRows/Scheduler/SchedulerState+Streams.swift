extension SchedulerState {
  /// The answer to a stream that wants to open.
  enum StreamEntry: Equatable, Sendable {
    case opened
    /// Nothing has changed; call `queueStream` to join the queue.
    case mustWait
    case refused(Refusal)
  }

  /// A stream wants to open.
  ///
  /// Blocks do not matter to it: its reader is its own (clause 6.7).
  mutating func enterStream() -> StreamEntry {
    guard phase == .open else { return .refused(.closed) }
    guard openStreams < limits.streams else { return .mustWait }
    openStreams += 1
    return .opened
  }

  /// Appends a stream to the queue; gives its number.
  mutating func queueStream(
    thread: ThreadIdentity?, now: UInt64
  ) -> (id: UInt64, actions: [Action]) {
    let waiter = newWaiter(thread: thread, now: now, wait: limits.readerWait)
    streams.append(waiter)
    return (waiter.id, wake(waiter))
  }

  /// A stream has ended; the next one opens.
  mutating func leaveStream() -> [Action] {
    var actions: [Action] = []
    if let next = streams.popFirst() {
      actions.append(.open(next.id))
    } else {
      openStreams -= 1
    }
    settle(&actions)
    return actions
  }
}
