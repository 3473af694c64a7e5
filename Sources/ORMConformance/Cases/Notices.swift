internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// Collects a store's commit notices and waits for them.
final class Notices: Sendable {
  private let seen = Lock<[CommitNotice]>([])
  private let observation = Lock<CommitObservation?>(nil)

  init(_ store: any Store) {
    let observation = store.runtime.transactions.observeCommits { [weak self] notice in
      self?.seen.withLock { $0.append(notice) }
    }
    self.observation.withLock { $0 = observation }
  }

  /// The number of notices so far.
  var count: Int { seen.withLock { $0.count } }

  /// Returns the notices, once there are `count` of them and some time has passed for more; at most a
  /// minute later.
  func wait(for count: Int) -> [CommitNotice] {
    for _ in 0..<6_000 where seen.withLock({ $0.count }) < count {
      Thread.sleep(forTimeInterval: 0.01)
    }
    Thread.sleep(forTimeInterval: 0.02)
    return seen.withLock { $0 }
  }
}
