import ORM

/// The row with an index on its score and one on its team.
struct RankedPlayer: Persistable, PrimaryKeyed {
  var data: PlayerData
  var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }
  var name: String { data.name }
  var score: Int64 { data.score }
  var team: Int64? { data.team }

  static let entity = Entity<RankedPlayer>("RankedPlayer") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("team", \.team, .indexed)
      .attribute("score", \.score, .indexed)
      .attribute("rating", \.data.rating)
      .attribute("country", \.data.country)
      .attribute("isActive", \.data.isActive)
      .attribute("note", \.data.note)
  }

  init(_ data: PlayerData) { self.data = data }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws { data = try PlayerData(row: row) }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws { try data.encode(into: &row) }
}

/// Questions by typed queries, through the public API and `any Store`.
struct StrataQueries: QueryContestant {
  let name: String
  let store: any Store

  func fill(_ players: [PlayerData]) throws {
    try store.insert(players.map(RankedPlayer.init))
  }

  private func checksum(
    _ query: Query<RankedPlayer>, _ transaction: borrowing ReadTransaction
  ) throws -> Int {
    try transaction.fetch(query).reduce(0) { $0 &+ $1.data.checksum }
  }

  func single(_ keys: [Int64]) throws -> Int {
    try store.read { tx in
      try keys.reduce(0) { sum, key in
        try sum &+ checksum(RankedPlayer.all.where { $0.id == key }, tx)
      }
    }
  }

  func either(_ pairs: [(score: Int64, team: Int64)]) throws -> Int {
    try store.read { tx in
      try pairs.reduce(0) { sum, pair in
        try sum
          &+ checksum(RankedPlayer.all.where { $0.score == pair.score || $0.team == pair.team }, tx)
      }
    }
  }

  func among(_ lists: [[Int64]]) throws -> Int {
    try store.read { tx in
      try lists.reduce(0) { sum, list in
        try sum &+ checksum(RankedPlayer.all.where { $0.id.isIn(list) }, tx)
      }
    }
  }

  func pages(_ count: Int) throws -> Int {
    let query = RankedPlayer.all.sorted(by: .ascending(\.score))
    return try store.read { tx in
      try (0..<count).reduce(0) { try $0 &+ checksum(query.page($1, size: 20), tx) }
    }
  }

  func count(from scores: [Int64]) throws -> Int {
    try store.read { tx in
      try scores.reduce(0) { sum, score in
        try sum
          + tx.count(RankedPlayer.all.where { $0.score >= score && $0.score < score + 100 })
      }
    }
  }

  func sums() throws -> Int {
    let groups: [(Int64?, Int64)] = try store.fetch(
      RankedPlayer.all.grouped(by: \.team) { $0.sum(\.score) })
    var total = 0
    for (team, sum) in groups { total = total.adding(team: team, sum: sum) }
    return total
  }

  func matching() throws -> Int {
    try store.count(RankedPlayer.all.where { $0.name.matches("Player [0-9]*77") })
  }
}
