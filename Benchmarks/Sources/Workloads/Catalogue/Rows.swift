/// The rows of a run, made when they are first asked for.
package final class Rows {
  package let count: Int
  package private(set) lazy var players = (1...Int64(count)).map { PlayerData(id: $0) }
  package private(set) lazy var numbers = (1...Int64(count)).map { NumberData(id: $0) }

  package static let clubSize = 20
  package static let tags = 100
  /// The number of clubs when all rows are members.
  package var clubs: Int { max(1, count / Self.clubSize) }

  package init(count: Int) { self.count = count }

  /// Returns `n` keys, spread over the rows.
  package func keys(_ number: Int) -> [Int64] {
    (0..<number).map { Int64(($0 &* 7919) % count) + 1 }
  }
}
