/// Operations of features that a program imports by themselves.
package protocol FeatureOperations {
  /// Raises the scores of rows in a session, saves it, and counts the rows.
  func raiseInSession(_ scores: Range<Int64>) throws -> Int
  /// Inserts rows, a durable commit each, while the first twenty rows of the table are observed.
  ///
  /// Each commit changes no row that is observed, and waits until the observation knows that.
  func insertObserved(_ players: [PlayerData]) throws -> Int
}
