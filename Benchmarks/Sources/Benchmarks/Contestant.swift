/// One way to keep the players.
///
/// Each verb gives a checksum of what it saw, which must be the same for all contestants.
protocol Contestant {
  var name: String { get }
  /// Makes empty tables for the plain insert, dropping what was there.
  func clearPlain() throws
  /// Inserts into the table without an index, in one transaction.
  func insertPlain(_ players: [PlayerData]) throws -> Int
  /// Inserts or updates in the table without an index, in one transaction.
  func upsertPlain(_ players: [PlayerData]) throws -> Int
  /// Makes an empty table with an index, dropping what was there.
  func clearIndexed() throws
  /// Inserts into the table with an index on the score, in one transaction.
  func insertIndexed(_ players: [PlayerData]) throws -> Int
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
  var checksum: Int { reduce(0) { $0 &+ $1.checksum } }
}
