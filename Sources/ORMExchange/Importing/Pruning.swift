internal import ORM

/// The rows of a scope for which no record came.
struct Pruning {
  /// The keys of the rows to be deleted.
  private let missing = KeySpool()
  /// The number of rows of the scope.
  private(set) var count = 0
  private let entity: String
  /// The number of times that rows are deleted in batches, before the rest is deleted at once.
  private static let attempts = 4

  init(_ entity: String) { self.entity = entity }

  /// Counts a row of the scope, and notes its key if no record came for it.
  ///
  /// - Throws: `full` where a temporary file cannot be written.
  mutating func note(_ key: @autoclosure () throws -> [StoredValue], came: Bool) throws {
    count += 1
    if !came { try missing.append(key()) }
  }

  /// Deletes the rows in batches, and returns their number.
  ///
  /// If rows of other batches deny the deletion of a batch, it waits until those are deleted. Rows that
  /// still cannot be deleted are deleted together, in memory, since they may deny each other.
  ///
  /// - Throws: `pruneRefused` for more than a part of the rows; the errors of a deletion.
  func delete(
    upTo limit: Double, _ transaction: WriteTransaction,
    _ delete: ([[StoredValue]]) throws -> Void
  ) throws -> Int {
    if Double(missing.count) > Double(count) * limit {
      throw StoreError.pruneRefused(missing.count, of: count, limit: limit, entity: entity)
    }
    var keys = missing
    for attempt in 0..<Self.attempts where keys.count > 0 {
      let denied = KeySpool()
      // Of rows that lead to each other in a chain, the last come first in one of two orders.
      try keys.forEachBatch(reversed: attempt % 2 == 1) { batch in
        do {
          // A block inside of a block is a savepoint.
          try transaction.store.write { _ in try delete(batch) }
        } catch let error as StoreError where error.isOfRecord {
          for key in batch { try denied.append(key) }
        }
      }
      let isStuck = denied.count == keys.count
      keys = denied
      if isStuck, attempt > 0 { break }
    }
    var rest: [[StoredValue]] = []
    try keys.forEachBatch { rest += $0 }
    if !rest.isEmpty { try delete(rest) }
    return missing.count
  }
}
