extension SchedulerState {
  /// Closes the scheduler: waiting blocks still run, waiting streams are refused, and no newcomer is
  /// admitted.
  ///
  /// Calling it again while the scheduler is closing waits along; inside a block it would wait for
  /// itself, and is refused.
  ///
  /// - Parameter thread: the thread that closes; nil for a task.
  mutating func close(thread: ThreadIdentity?) -> (answer: Closing, actions: [Action]) {
    if let thread, slot(of: thread) != nil { return (.refused(.reentrancy), []) }
    guard phase != .closed else { return (.closed, []) }
    phase = .closing
    var actions: [Action] = []
    while let waiter = streams.popFirst() { actions.append(.refuse(waiter.id, .closed)) }
    guard isIdle else { return (.mustWait, actions) }
    phase = .closed
    return (.closed, actions)
  }

  /// The answer to a caller that closes the scheduler.
  enum Closing: Equatable, Sendable {
    case closed
    /// Blocks or streams are still open; the action `idle` reports their end.
    case mustWait
    case refused(Refusal)
  }
}
