internal import Dispatch

/// The observers of a scheduler's commits, and the queue that tells them.
final class CommitNotices: Sendable {
  private struct Guarded {
    var sequence: UInt64 = 0
    var lastObserver: UInt64 = 0
    var handlers: [UInt64: @Sendable (CommitNotice) -> Void] = [:]
  }

  private let guarded = Lock(Guarded())
  private let queue = DispatchQueue(label: "ORMCore.TransactionScheduler.notices")

  /// Numbers the notice and hands it to all who observe now.
  ///
  /// The queue is fed under the lock, so that its order is that of the numbers.
  func announce(_ notice: CommitNotice) -> UInt64 {
    guarded.withLock { guarded in
      guarded.sequence += 1
      guard !guarded.handlers.isEmpty else { return guarded.sequence }
      var notice = notice
      notice.sequence = guarded.sequence
      let observers = guarded.handlers.keys.sorted()
      queue.async { [notice] in
        for observer in observers { self.handler(of: observer)?(notice) }
      }
      return guarded.sequence
    }
  }

  /// True if anybody observes.
  var hasObservers: Bool { guarded.withLock { !$0.handlers.isEmpty } }

  /// Adds an observer; gives its number.
  func addObserver(_ handler: @escaping @Sendable (CommitNotice) -> Void) -> UInt64 {
    guarded.withLock { guarded in
      guarded.lastObserver += 1
      guarded.handlers[guarded.lastObserver] = handler
      return guarded.lastObserver
    }
  }

  /// Removes an observer; it is let go outside the lock, since that may run anything.
  func removeObserver(_ id: UInt64) {
    let handler = guarded.withLock { $0.handlers.removeValue(forKey: id) }
    withExtendedLifetime(handler) {}
  }

  private func handler(of observer: UInt64) -> (@Sendable (CommitNotice) -> Void)? {
    guarded.withLock { $0.handlers[observer] }
  }
}
