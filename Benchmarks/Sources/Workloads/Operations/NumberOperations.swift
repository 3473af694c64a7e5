/// One way to keep rows of ten integers.
package protocol NumberOperations {
  /// Fills the table, which is empty.
  func fill(_ numbers: [NumberData]) throws
  /// Every row, as an array.
  func scanNumbers() throws -> Int
}

extension [NumberData] {
  package var checksum: Int { reduce(0) { $0 &+ $1.checksum } }
}
