import GRDB
import Workloads

extension GRDBStatic: ScanOperations, SingleOperations, ChangeOperations {
  func filterByScan(below rating: Double) throws -> Int {
    try writer.read {
      try rows($0, "SELECT * FROM player WHERE rating < ? ORDER BY id", [rating])
    }.checksum
  }

  func countByScan(below rating: Double) throws -> Int {
    try writer.read { database in
      let sql = "SELECT count(*) FROM player WHERE rating < ?"
      return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [rating]) ?? 0
    }
  }

  func sumOfRatings() throws -> Int {
    try writer.read { database in
      try Double.fetchOne(database.cachedStatement(sql: "SELECT sum(rating) FROM player")) ?? 0
    }.inThousandths
  }

  func findEach(_ keys: [Int64]) throws -> Int {
    try keys.reduce(0) { sum, key in
      let player = try writer.read { database in
        let statement = try database.cachedStatement(sql: "SELECT * FROM player WHERE id = ?")
        return try FastPlayer.fetchOne(statement, arguments: [key])
      }
      return sum &+ (player?.data.checksum ?? 0)
    }
  }

  func insertEach(_ players: [PlayerData]) throws -> Int {
    for player in players { _ = try plainInsert([player])() }
    return players.count
  }

  func raise(_ scores: Range<Int64>) throws -> Int {
    try change("UPDATE player SET score = score + 1000 WHERE score >= ? AND score < ?", scores)
  }

  func delete(_ scores: Range<Int64>) throws -> Int {
    try change("DELETE FROM player WHERE score >= ? AND score < ?", scores)
  }

  private func change(_ sql: String, _ scores: Range<Int64>) throws -> Int {
    try writer.write { database in
      try database.cachedStatement(sql: sql)
        .execute(arguments: [scores.lowerBound, scores.upperBound])
      return database.changesCount
    }
  }
}
