internal import Foundation
internal import ORMCore

extension StoreObservation {
  /// Begins an iteration whose values are taken without waiting; for tests.
  ///
  /// - Throws: `closed`.
  package func follow() throws -> FollowedObservation<Value> {
    let run = ObservationRun(store, question, delivery)
    try run.start()
    return FollowedObservation(run, store.runtime.transactions)
  }
}

/// An iteration of an observation whose values are taken without waiting; for tests.
package final class FollowedObservation<Value: Sendable>: Sendable {
  private let run: ObservationRun<Value>
  private let scheduler: TransactionScheduler

  init(_ run: ObservationRun<Value>, _ scheduler: TransactionScheduler) {
    self.run = run
    self.scheduler = scheduler
  }

  deinit { run.cancel() }

  /// Waits until all commits so far are in the result, and returns the values since the last call.
  ///
  /// - Throws: the error that ended the observation, once.
  package func take() throws -> [Value] {
    scheduler.drainObservers()
    return try run.mailbox.takeAll()
  }

  /// Returns the values that wait now.
  ///
  /// - Throws: the error that ended the observation, once.
  package func takeWaiting() throws -> [Value] { try run.mailbox.takeAll() }

  /// The number of fetches that were begun.
  package var fetchCount: Int { run.fetchCount }

  /// True if the observation has ended.
  package var isEnded: Bool { run.mailbox.isEnded }

  /// Ends the observation.
  package func cancel() { run.cancel() }
}

extension TransactionScheduler {
  /// Waits until the observations of the store hold all commits so far; for tests.
  package func drainObservers() {
    while true {
      drainNotices()
      if !observers.isFetching { return }
      Thread.sleep(forTimeInterval: 0.000_5)
    }
  }

  /// True if changes are recorded; for tests.
  package var recordsChanges: Bool { listeners.recording != nil }

  /// The number of observations; for tests.
  package var observerCount: Int { observers.count }
}
