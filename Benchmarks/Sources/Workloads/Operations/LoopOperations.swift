/// Writes of one row each in one transaction.
package protocol LoopOperations {
  /// Inserts into the table without an index, a call for each row.
  func insertOneByOne(_ players: [PlayerData]) -> Action
}
