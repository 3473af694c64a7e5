import Foundation
import Workloads

/// The work of the mode `changes` on one contestant.
protocol ObservationOperations {
  /// Deletes every row.
  func clear() throws
  /// Inserts rows in one transaction.
  func insert(_ players: [PlayerData]) throws
  /// Saves one row in a transaction of its own.
  func save(_ player: PlayerData) throws
  /// Saves rows in one transaction.
  func save(_ players: [PlayerData]) throws
  /// Loads the first rows by their ids, changes the score of each, and saves them in one transaction:
  /// in a session of handles, or by hand. Returns false if the contestant has no sessions.
  func edit(_ count: Int, inSession: Bool) throws -> Bool
  /// Listens to changes of rows in a detail of the contestant's own, until the result is let go; nil
  /// if the contestant has no such detail.
  ///
  /// - Parameter arrived: gets the number of rows of each commit, once all of them were read.
  func listen(
    _ detail: ChangeDetail, _ arrived: @escaping @Sendable (Int) -> Void
  ) throws -> AnyObject?
  /// Observes the rows with one score, for each of the scores.
  func observe(scores: Range<Int64>, _ arrived: @escaping @Sendable () -> Void) throws -> AnyObject
  /// Observes the number of rows.
  func observeCount(_ arrived: @escaping @Sendable (Int) -> Void) throws -> AnyObject
  /// Observes all rows in the order of their scores; passes the score of the first on.
  func observeRows(_ arrived: @escaping @Sendable (Int64) -> Void) throws -> AnyObject
  /// Observes the difference of the list of all rows in the order of their scores; passes the score of
  /// the first on. Nil if the contestant computes no differences.
  func observeList(_ arrived: @escaping @Sendable (Int64) -> Void) throws -> AnyObject?
  /// Observes the list of all rows in the order of their scores, of which it holds keys alone; passes
  /// the score of the first on. Nil if the contestant has no such lists.
  func observeKeys(_ arrived: @escaping @Sendable (Int64) -> Void) throws -> AnyObject?
  func close() throws
}

/// The details in which changes are reported.
enum ChangeDetail: String, CaseIterable {
  case none = "nobody listens"
  case keys = "keys"
  case attributes = "attributes"
  case values = "old and new values"
  case keysRead = "keys, each read"
  case valuesRead = "old and new values, each read"

  /// True if the listener reads every change.
  var isRead: Bool { self == .keysRead || self == .valuesRead }
}

/// Values of an observation that a thread waits for.
final class Arrivals<Value: Equatable & Sendable>: @unchecked Sendable {
  // `values` is guarded by `condition`.
  private let condition = NSCondition()
  private var values: [Value] = []

  func note(_ value: Value) {
    condition.lock()
    values.append(value)
    condition.broadcast()
    condition.unlock()
  }

  /// Blocks until a value has come, and forgets it with those before it.
  func wait(for value: Value) throws {
    let deadline = Date(timeIntervalSinceNow: 60)
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let found = values.firstIndex(of: value) {
        values.removeFirst(found + 1)
        return
      }
      guard condition.wait(until: deadline) else {
        throw Disagreement(description: "no value \(value) within a minute")
      }
    }
  }
}

/// A number that counts up to a limit.
final class Countdown: @unchecked Sendable {
  // `left` is guarded by `condition`.
  private let condition = NSCondition()
  private var left: Int

  init(_ count: Int) { left = count }

  func count() {
    condition.lock()
    left -= 1
    if left == 0 { condition.broadcast() }
    condition.unlock()
  }

  func wait() {
    condition.lock()
    while left > 0 { condition.wait() }
    condition.unlock()
  }
}
