import GRDB
import Workloads

extension GRDBPlayers: ScanOperations, SingleOperations, ChangeOperations {
  func filterByScan(below rating: Double) throws -> Int {
    try queue.read {
      try Indexed.filter(Column("rating") < rating).order(Column("id")).fetchAll($0)
    }.reduce(0) { $0 &+ $1.data.checksum }
  }

  func countByScan(below rating: Double) throws -> Int {
    try queue.read { try Indexed.filter(Column("rating") < rating).fetchCount($0) }
  }

  func sumOfRatings() throws -> Int {
    try queue.read {
      try Double.fetchOne($0, Indexed.select(sum(Column("rating")))) ?? 0
    }.inThousandths
  }

  func findEach(_ keys: [Int64]) throws -> Int {
    try keys.reduce(0) { total, key in
      try total &+ (queue.read { try Indexed.fetchOne($0, key: key) }?.data.checksum ?? 0)
    }
  }

  func insertEach(_ players: [PlayerData]) throws -> Int {
    for player in players { try queue.write { try Plain(player).insert($0) } }
    return players.count
  }

  func raise(_ scores: Range<Int64>) throws -> Int {
    try queue.write {
      try Indexed.filter(rows(scores)).updateAll($0, Column("score") += 1000)
    }
  }

  func delete(_ scores: Range<Int64>) throws -> Int {
    try queue.write { try Indexed.filter(rows(scores)).deleteAll($0) }
  }

  private func rows(_ scores: Range<Int64>) -> SQLExpression {
    Column("score") >= scores.lowerBound && Column("score") < scores.upperBound
  }
}
