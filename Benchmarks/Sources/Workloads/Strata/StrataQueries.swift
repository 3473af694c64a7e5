import ORM

/// Questions by typed queries, through the public API and `any Store`.
package struct StrataQueries: QueryOperations {
  package let store: any Store

  package init(store: any Store) { self.store = store }

  package func fill(_ players: [PlayerData]) throws {
    try store.insert(players.map(RankedPlayer.init))
  }

  private func checksum(
    _ query: Query<RankedPlayer>, _ transaction: borrowing ReadTransaction
  ) throws -> Int {
    try transaction.fetch(query).reduce(0) { $0 &+ $1.data.checksum }
  }

  package func single(_ keys: [Int64]) throws -> Int {
    try store.read { tx in
      try keys.reduce(0) { sum, key in
        try sum &+ checksum(RankedPlayer.all.where { $0.id == key }, tx)
      }
    }
  }

  package func either(_ pairs: [(score: Int64, team: Int64)]) throws -> Int {
    try store.read { tx in
      try pairs.reduce(0) { sum, pair in
        try sum
          &+ checksum(RankedPlayer.all.where { $0.score == pair.score || $0.team == pair.team }, tx)
      }
    }
  }

  package func among(_ lists: [[Int64]]) throws -> Int {
    try store.read { tx in
      try lists.reduce(0) { sum, list in
        try sum &+ checksum(RankedPlayer.all.where { $0.id.isIn(list) }, tx)
      }
    }
  }

  package func pages(_ count: Int) throws -> Int {
    let query = RankedPlayer.all.sorted(by: .ascending(\.score))
    return try store.read { tx in
      try (0..<count).reduce(0) { try $0 &+ checksum(query.page($1, size: 20), tx) }
    }
  }

  package func count(from scores: [Int64]) throws -> Int {
    try store.read { tx in
      try scores.reduce(0) { sum, score in
        try sum
          + tx.count(RankedPlayer.all.where { $0.score >= score && $0.score < score + 100 })
      }
    }
  }

  package func sums() throws -> Int {
    let groups: [(Int64?, Int64)] = try store.fetch(
      RankedPlayer.all.grouped(by: \.team) { $0.sum(\.score) })
    var total = 0
    for (team, sum) in groups { total = total.adding(team: team, sum: sum) }
    return total
  }

  package func sumsByCountry() throws -> Int {
    let groups: [(String, Int64)] = try store.fetch(
      RankedPlayer.all.grouped(by: \.country) { $0.sum(\.score) })
    return groups.reduce(0) { $0.adding(country: $1.0, sum: $1.1) }
  }

  package func matching() throws -> Int {
    try store.count(RankedPlayer.all.where { $0.name.matches("Player [0-9]*77") })
  }
}
