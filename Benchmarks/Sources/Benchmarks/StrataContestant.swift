import ORM

/// A Strata store, through the public API and `any Store`.
struct StrataContestant: Contestant {
  let name: String
  let store: any Store

  func clearPlain() throws { try store.deleteAll(PlainPlayer.self) }

  func insertPlain(_ players: [PlayerData]) throws -> Int {
    try store.insert(players.map(PlainPlayer.init)).inserted
  }

  func upsertPlain(_ players: [PlayerData]) throws -> Int {
    try store.save(players.map(PlainPlayer.init)).counts.total
  }

  func clearIndexed() throws { try store.deleteAll(Player.self) }

  func insertIndexed(_ players: [PlayerData]) throws -> Int {
    try store.insert(players.map(Player.init)).inserted
  }

  func scan() throws -> Int {
    try store.fetch(Player.all).reduce(0) { $0 &+ $1.data.checksum }
  }

  func find(_ keys: [Int64]) throws -> Int {
    try store.read { transaction in
      var sum = 0
      for key in keys {
        if let player = try transaction.find(Player.self, key) { sum &+= player.data.checksum }
      }
      return sum
    }
  }

  func filter(_ scores: [Int64]) throws -> Int {
    try store.read { transaction in
      var sum = 0
      for score in scores {
        for player in try transaction.fetch(Player.all.where { $0.score == score }) {
          sum &+= player.data.checksum
        }
      }
      return sum
    }
  }

  func top(_ times: Int) throws -> Int {
    let query = Player.all.sorted(by: .descending(\.score)).limit(20)
    return try store.read { transaction in
      var sum = 0
      for _ in 0..<times {
        for player in try transaction.fetch(query) { sum &+= player.data.checksum }
      }
      return sum
    }
  }
}
