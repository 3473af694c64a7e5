import ORM

/// A Strata store, through the public API and `any Store`.
package struct StrataPlayers: PlayerOperations {
  package let store: any Store

  package init(store: any Store) { self.store = store }

  package func clearPlain() throws { try store.deleteAll(PlainPlayer.self) }

  package func plainInsert(_ players: [PlayerData]) -> Action {
    let models = players.map(PlainPlayer.init)
    return { try store.insert(models).inserted }
  }

  package func plainUpsert(_ players: [PlayerData]) -> Action {
    let models = players.map(PlainPlayer.init)
    return { try store.save(models).counts.total }
  }

  package func clearIndexed() throws { try store.deleteAll(Player.self) }

  package func indexedInsert(_ players: [PlayerData]) -> Action {
    let models = players.map(Player.init)
    return { try store.insert(models).inserted }
  }

  package func scan() throws -> Int {
    try store.fetch(Player.all).reduce(0) { $0 &+ $1.data.checksum }
  }

  package func find(_ keys: [Int64]) throws -> Int {
    try store.read { transaction in
      var sum = 0
      for key in keys {
        if let player = try transaction.find(Player.self, key) { sum &+= player.data.checksum }
      }
      return sum
    }
  }

  package func filter(_ scores: [Int64]) throws -> Int {
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

  package func top(_ times: Int) throws -> Int {
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
