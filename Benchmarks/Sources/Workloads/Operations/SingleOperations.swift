/// Transactions of one row each.
package protocol SingleOperations {
  /// Single rows by key, a read transaction each.
  func findEach(_ keys: [Int64]) throws -> Int
  /// Inserts into the table without an index, a durable commit each.
  func insertEach(_ players: [PlayerData]) throws -> Int
}
