extension TransactionScheduler {
  /// Notifies the observers of a commit; gives the notice's number.
  ///
  /// For a commit of this process, to be called in its write block once the commit is durable: the
  /// next writer has not begun, so notices come in the order of commits, once each (semantics
  /// 6.5). For another process's, to be called from anywhere. Returns at once: handlers run later.
  @discardableResult
  package func announce(_ notice: CommitNotice) -> UInt64 {
    notices.announce(notice, nil)
  }

  /// Notifies the observers of a commit of this process, with the changes that were recorded of it.
  package func announce(_ notice: CommitNotice, _ commit: RecordedCommit?) {
    _ = notices.announce(notice, commit)
  }

  /// True if commits have to follow one another: several writers may commit at once, and observers see
  /// the order.
  package var ordersCommits: Bool { limits.writers > 1 && notices.hasObservers }

  /// True if observers need work between the last write and the notice.
  package var observesCommits: Bool { listeners.isListening || watch.isLooking || ordersCommits }

  /// Waits until all notices so far were handed out; for tests.
  package func drainNotices() { notices.drain() }

  /// Calls the handler for every commit announced from now on, one after another, on a queue of the
  /// scheduler's, until the observation is cancelled or released.
  ///
  /// A slow handler delays the notices of the other observers, and no transaction. Commits of
  /// others are noticed within the interval of ``watchOthers(every:by:onError:)``.
  package func observeCommits(
    _ handler: @escaping @Sendable (CommitNotice) -> Void
  ) -> CommitObservation {
    let id = notices.nextObserver()
    beginWatching { notices.addObserver(id) { notice, _ in handler(notice) } }
    return CommitObservation(notices: notices, id: id)
  }
}
