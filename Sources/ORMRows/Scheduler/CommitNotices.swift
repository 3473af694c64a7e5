package import Dispatch

/// The observers of a scheduler's commits, and the queue on which they are notified.
package final class CommitNotices: Sendable {
  /// A function that is called for each commit, with the changes that were recorded of it.
  package typealias Handler = @Sendable (CommitNotice, RecordedCommit?) -> Void

  private struct Guarded {
    var sequence: UInt64 = 0
    var lastObserver: UInt64 = 0
    var handlers: [UInt64: Handler] = [:]
    var immediates: [UInt64: Handler] = [:]
  }

  private let guarded = Lock(Guarded())
  /// The queue on which observers are called.
  package let queue = DispatchQueue(label: "ORM.TransactionScheduler.notices")
  private let queueKey = DispatchSpecificKey<Bool>()
  /// Held from before a commit to its notice, while there are listeners to changes.
  private let committing = Lock<Void>(())

  init() { queue.setSpecific(key: queueKey, value: true) }

  /// True if the caller runs on the queue of the observers.
  package var isOnQueue: Bool { DispatchQueue.getSpecific(key: queueKey) == true }

  /// Numbers the notice and passes it to all present observers.
  ///
  /// The queue is fed under the lock, so that its order is that of the numbers.
  func announce(_ notice: CommitNotice, _ commit: RecordedCommit?) -> UInt64 {
    guarded.withLock { guarded in
      guarded.sequence += 1
      guard !guarded.handlers.isEmpty else { return guarded.sequence }
      var notice = notice
      notice.sequence = guarded.sequence
      for handler in guarded.immediates.values { handler(notice, commit) }
      let observers = guarded.handlers.keys.sorted()
      queue.async { [notice] in
        for observer in observers { self.handler(of: observer)?(notice, commit) }
      }
      return guarded.sequence
    }
  }

  /// Runs a commit and its announcement, so that no snapshot is taken between the two by
  /// ``betweenCommits(_:)``.
  package func committing(_ body: () throws -> Void) throws {
    try committing.withLock { _ in try body() }
  }

  /// Runs `body` with the number of the newest commit, while no other is made.
  package func betweenCommits(_ body: (_ newest: UInt64) throws -> Void) throws {
    try committing.withLock { _ in try body(guarded.withLock { $0.sequence }) }
  }

  /// The number of the newest commit.
  package var newest: UInt64 { guarded.withLock { $0.sequence } }

  /// True if there are observers.
  var hasObservers: Bool { guarded.withLock { !$0.handlers.isEmpty } }

  /// Returns the number for a new observer.
  package func nextObserver() -> UInt64 {
    guarded.withLock { guarded in
      guarded.lastObserver += 1
      return guarded.lastObserver
    }
  }

  /// Adds an observer under its number.
  func addObserver(_ id: UInt64, _ handler: @escaping Handler) {
    guarded.withLock { $0.handlers[id] = handler }
  }

  /// Adds a function that the committing thread calls before the commit returns.
  ///
  /// It runs under the lock, in the order of the numbers, so it may only note the commit.
  package func addImmediate(_ id: UInt64, _ handler: @escaping Handler) {
    guarded.withLock { $0.immediates[id] = handler }
  }

  /// Removes an observer; it is released outside the lock, since that may run anything.
  func removeObserver(_ id: UInt64) {
    let removed = guarded.withLock {
      ($0.handlers.removeValue(forKey: id), $0.immediates.removeValue(forKey: id))
    }
    withExtendedLifetime(removed) {}
  }

  private func handler(of observer: UInt64) -> Handler? {
    guarded.withLock { $0.handlers[observer] }
  }

  /// Runs `body` after all notices so far were handed out.
  func afterNotices(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Waits until all notices so far were handed out.
  func drain() { queue.sync {} }
}
