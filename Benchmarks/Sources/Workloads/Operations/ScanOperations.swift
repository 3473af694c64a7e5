/// Questions to the table with an index on the score that no index answers.
package protocol ScanOperations {
  /// The rows rated below a number, in the order of keys.
  func filterByScan(below rating: Double) throws -> Int
  /// Counts the rows that are rated below a number.
  func countByScan(below rating: Double) throws -> Int
  /// The sum of all ratings, in thousandths.
  func sumOfRatings() throws -> Int
}

extension Double {
  /// A sum as a checksum: the last bits of the way it was added up do not count.
  package var inThousandths: Int { Int((self * 1000).rounded()) }
}
