/// One way to answer questions about players kept with an index on their score and one on their
/// team.
///
/// Each operation gives a checksum of what it saw, which must be the same for all contestants.
package protocol QueryOperations {
  /// Fills the table, once.
  func fill(_ players: [PlayerData]) throws
  /// One row by its key, asked as a query, all in one transaction.
  func single(_ keys: [Int64]) throws -> Int
  /// The rows with this score or of this team, by key; one query a pair.
  func either(_ pairs: [(score: Int64, team: Int64)]) throws -> Int
  /// The rows with these keys, in their order; one query a list.
  func among(_ lists: [[Int64]]) throws -> Int
  /// Reads `n` pages of 20, one after another, by score.
  func pages(_ count: Int) throws -> Int
  /// Counts the rows with scores from each number on, 100 numbers wide.
  func count(from scores: [Int64]) throws -> Int
  /// The sum of the scores of each team, in the order of teams.
  func sums() throws -> Int
  /// The sum of the scores of each country, in the order of countries; an index on country and score
  /// holds all that is asked.
  func sumsByCountry() throws -> Int
  /// Counts the names that match `Player [0-9]*77`.
  func matching() throws -> Int
}

extension Int {
  /// Takes one group into a checksum that depends on their order.
  package func adding(team: Int64?, sum: Int64) -> Int { self &* 31 &+ Int(team ?? -1) &+ Int(sum) }

  /// Takes one group into a checksum that depends on their order.
  package func adding(country: String, sum: Int64) -> Int {
    self &* 31 &+ country.utf8.count &+ Int(sum)
  }
}
