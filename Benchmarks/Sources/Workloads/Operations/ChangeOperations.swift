/// Set-based changes of the table with an index on the score.
package protocol ChangeOperations {
  /// Adds 1,000 to the scores in the range, and counts the rows.
  func raise(_ scores: Range<Int64>) throws -> Int
  /// Deletes the rows whose scores are in the range, and counts them.
  func delete(_ scores: Range<Int64>) throws -> Int
}
