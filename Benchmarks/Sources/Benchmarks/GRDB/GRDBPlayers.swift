import GRDB
import Workloads

/// The players by records of either kind.
struct GRDBPlayers<Indexed: GRDBPlayer, Plain: GRDBPlayer>: PlayerOperations {
  let queue: DatabaseQueue

  init(path: String, _: Indexed.Type, _: Plain.Type) throws {
    queue = try DatabaseQueue(path: path)
    try GRDBTables.create(queue)
  }

  func clearPlain() throws { _ = try queue.write { try Plain.deleteAll($0) } }
  func clearIndexed() throws { _ = try queue.write { try Indexed.deleteAll($0) } }

  func plainInsert(_ players: [PlayerData]) -> Action {
    let records = players.map(Plain.init)
    return {
      try queue.write { for record in records { try record.insert($0) } }
      return records.count
    }
  }

  func indexedInsert(_ players: [PlayerData]) -> Action {
    let records = players.map(Indexed.init)
    return {
      try queue.write { for record in records { try record.insert($0) } }
      return records.count
    }
  }

  func plainUpsert(_ players: [PlayerData]) -> Action {
    let records = players.map(Plain.init)
    return {
      try queue.write { for record in records { try record.upsert($0) } }
      return records.count
    }
  }

  func scan() throws -> Int {
    try queue.read { try Indexed.order(Column("id")).fetchAll($0) }
      .reduce(0) { $0 &+ $1.data.checksum }
  }

  func find(_ keys: [Int64]) throws -> Int {
    try queue.read { database in
      var sum = 0
      for key in keys {
        if let player = try Indexed.fetchOne(database, key: key) { sum &+= player.data.checksum }
      }
      return sum
    }
  }

  func filter(_ scores: [Int64]) throws -> Int {
    try queue.read { database in
      var sum = 0
      for score in scores {
        let found = try Indexed.filter(Column("score") == score).order(Column("id"))
          .fetchAll(database)
        for player in found { sum &+= player.data.checksum }
      }
      return sum
    }
  }

  func top(_ times: Int) throws -> Int {
    try queue.read { database in
      var sum = 0
      for _ in 0..<times {
        let found = try Indexed.order(Column("score").desc, Column("id").desc).limit(20)
          .fetchAll(database)
        for player in found { sum &+= player.data.checksum }
      }
      return sum
    }
  }
}
