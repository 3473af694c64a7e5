/// Notices of the commits of others: other processes, and other stores on the same file.
extension TransactionScheduler {
  /// Sets how the commits of others are noticed; to be called once, when a store is opened.
  ///
  /// While commits are observed, and only then, the number is asked for every `interval`, and before each
  /// commit of this store; when it has changed, one notice says that another process has committed,
  /// however often it did. It comes in order: before that of a commit of this store which came after.
  ///
  /// - Parameters:
  ///   - interval: the time from one question to the next.
  ///   - number: a number that changes with every commit of others, and with none of this store;
  ///     nil when the number is unknown. It is asked for on any thread, and only while no write
  ///     transaction of this store is under way. The one that is about to commit is the exception.
  ///   - onError: called with the errors of `number`, once for each fault; it is asked again later.
  package func watchOthers(
    every interval: Duration, by number: @escaping @Sendable () throws -> UInt64?,
    onError: @escaping @Sendable (any Error) -> Void
  ) {
    watch.set(interval: interval, number, onError)
  }

  /// Announces commits that others made before the one at hand; to be called in a write block whose
  /// writer has begun and not committed.
  package func noticeOthers() {
    if watch.isLooking { lookNow() }
  }

  /// Begins to look, so that the handler that `add` adds notices commits of others from now on, and none
  /// from before.
  func beginWatching(_ add: () -> Void) {
    lookIfFree()
    add()
    watch.begin({ [weak self] in self?.lookIfFree() }) { [weak self] in
      self?.mayNotice ?? false
    }
  }

  private var mayNotice: Bool {
    !forkCheck.isInherited && notices.hasObservers && guarded.withLock { $0.state.phase == .open }
  }

  /// Looks, unless a write of this store is under way or about to be: that one looks itself.
  private func lookIfFree() {
    if forkCheck.isInherited { return }
    let entry = guarded.withLock { $0.state.enter(.write(ticketed: false), thread: nil) }
    guard case .outer(let slot) = entry else { return }
    lookNow()
    update { $0.leave(slot) }
  }

  private func lookNow() {
    watch.look { announce(CommitNotice(entities: [], isFromOtherProcess: true)) }
  }
}
