package import FoundationEssentials
internal import ORMStorage

/// The hold on a listener to changes: the listener goes with it.
package final class ChangeObservation: Sendable {
  /// Not the scheduler: its readers keep the file of a released store open.
  private let listeners: ChangeListeners
  private let observation: CommitObservation
  private let id: UInt64
  private let fork = ForkCheck()
  /// The number of the newest commit of the history from before; 0 without one.
  package let firstNumber: UInt64

  init(
    _ listeners: ChangeListeners, _ observation: CommitObservation, id: UInt64, first: UInt64
  ) {
    firstNumber = first
    self.listeners = listeners
    self.observation = observation
    self.id = id
  }

  deinit { cancel() }

  /// Ends the observation; a call of the handler that has begun may still be running.
  package func cancel() {
    // In a child, threads of its parent may hold the locks.
    if fork.isInherited { return }
    observation.cancel()
    listeners.remove(id)
  }
}

extension CommitStamp {
  /// Makes the stamp of a commit; one that was not recorded has the present time of a clock.
  package init(
    _ notice: CommitNotice, _ commit: RecordedCommit?, clock: (@Sendable () -> Date)?
  ) {
    self.init(
      number: commit?.token?.number ?? notice.sequence, token: commit?.token,
      timestamp: commit?.timestamp ?? clock?() ?? Date(), author: commit?.author,
      isFromOtherProcess: notice.isFromOtherProcess)
  }
}

extension TransactionScheduler {
  /// Adds a listener to changes and an observer of commits.
  package func observeChanges(
    of names: Set<String>?, level: ChangeLevel, first: UInt64,
    onEnd end: @escaping @Sendable () -> Void,
    _ handler: @escaping @Sendable (CommitNotice, RecordedCommit?) -> Void
  ) throws -> ChangeObservation {
    try forkCheck.check()
    guard guarded.withLock({ $0.state.phase == .open }) else {
      throw StoreError(.closed, "the store was closed")
    }
    let id = notices.nextObserver()
    try listeners.add(id, names: names, level: level, end: end)
    beginWatching { notices.addObserver(id, handler) }
    return ChangeObservation(
      listeners, CommitObservation(notices: notices, id: id), id: id, first: first)
  }
}
