/// A prepared operation: gives a checksum of the rows it saw, the same for all contestants.
package typealias Action = () throws -> Int

/// One way to keep the players, in a table without an index and in one with an index on the score.
///
/// Each operation gives a checksum of what it saw, which must be the same for all contestants.
package protocol PlayerOperations {
  /// Empties the table without an index.
  func clearPlain() throws
  /// Inserts into the table without an index, in one transaction.
  func plainInsert(_ players: [PlayerData]) -> Action
  /// Inserts or updates in the table without an index, in one transaction.
  func plainUpsert(_ players: [PlayerData]) -> Action
  /// Empties the table with an index.
  func clearIndexed() throws
  /// Inserts into the table with an index on the score, in one transaction.
  func indexedInsert(_ players: [PlayerData]) -> Action
  /// Every row of the indexed table, as an array.
  func scan() throws -> Int
  /// Single rows by key, all in one transaction.
  func find(_ keys: [Int64]) throws -> Int
  /// The rows of each score, one query a score, in one transaction.
  func filter(_ scores: [Int64]) throws -> Int
  /// The 20 rows of the highest scores, so many times, in one transaction.
  func top(_ times: Int) throws -> Int
}

extension [PlayerData] {
  package var checksum: Int { reduce(0) { $0 &+ $1.checksum } }
}
