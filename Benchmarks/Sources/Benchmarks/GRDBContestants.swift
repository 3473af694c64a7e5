import GRDB

/// What the two ways of using GRDB share: a queue with its default configuration.
protocol GRDBPlayer: FetchableRecord, PersistableRecord {
  init(_ data: PlayerData)
  var data: PlayerData { get }
}

/// GRDB with Codable records, as most people use it.
struct CodablePlayer: GRDBPlayer, Codable {
  static let databaseTableName = "player"
  var id: Int64
  var name: String
  var team: Int64?
  var score: Int64
  var rating: Double
  var country: String
  var isActive: Bool
  var note: String?
}

struct CodablePlain: GRDBPlayer, Codable {
  static let databaseTableName = "plain"
  var id: Int64
  var name: String
  var team: Int64?
  var score: Int64
  var rating: Double
  var country: String
  var isActive: Bool
  var note: String?
}

extension CodablePlayer {
  init(_ d: PlayerData) {
    self.init(
      id: d.id, name: d.name, team: d.team, score: d.score, rating: d.rating, country: d.country,
      isActive: d.isActive, note: d.note)
  }
  var data: PlayerData {
    PlayerData(
      id: id, name: name, team: team, score: score, rating: rating, country: country,
      isActive: isActive, note: note)
  }
}

extension CodablePlain {
  init(_ d: PlayerData) {
    self.init(
      id: d.id, name: d.name, team: d.team, score: d.score, rating: d.rating, country: d.country,
      isActive: d.isActive, note: d.note)
  }
  var data: PlayerData {
    PlayerData(
      id: id, name: name, team: team, score: score, rating: rating, country: country,
      isActive: isActive, note: note)
  }
}

/// GRDB with hand-written records: columns read by position.
struct FastPlayer: GRDBPlayer {
  static let databaseTableName = "player"
  var data: PlayerData
  init(_ data: PlayerData) { self.data = data }
  init(row: Row) { data = PlayerData(grdb: row) }
  func encode(to container: inout PersistenceContainer) { data.encode(to: &container) }
}

struct FastPlain: GRDBPlayer {
  static let databaseTableName = "plain"
  var data: PlayerData
  init(_ data: PlayerData) { self.data = data }
  init(row: Row) { data = PlayerData(grdb: row) }
  func encode(to container: inout PersistenceContainer) { data.encode(to: &container) }
}

extension PlayerData {
  init(grdb row: Row) {
    self.init(
      id: row[0], name: row[1], team: row[2], score: row[3], rating: row[4], country: row[5],
      isActive: row[6], note: row[7])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["team"] = team
    container["score"] = score
    container["rating"] = rating
    container["country"] = country
    container["isActive"] = isActive
    container["note"] = note
  }
}

struct GRDBContestant<Indexed: GRDBPlayer, Plain: GRDBPlayer>: Contestant {
  let name: String
  private let queue: DatabaseQueue

  init(name: String, path: String, _: Indexed.Type, _: Plain.Type) throws {
    self.name = name
    queue = try DatabaseQueue(path: path)
    try queue.write { database in
      for table in ["plain", "player"] {
        try database.execute(
          sql: """
            CREATE TABLE \(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER,
              score INTEGER NOT NULL, rating REAL NOT NULL, country TEXT NOT NULL,
              isActive INTEGER NOT NULL, note TEXT)
            """)
      }
      try database.execute(sql: "CREATE INDEX player_score ON player (score)")
    }
  }

  func clearPlain() throws { _ = try queue.write { try Plain.deleteAll($0) } }
  func clearIndexed() throws { _ = try queue.write { try Indexed.deleteAll($0) } }

  func insertPlain(_ players: [PlayerData]) throws -> Int {
    let records = players.map(Plain.init)
    try queue.write { for record in records { try record.insert($0) } }
    return players.count
  }

  func insertIndexed(_ players: [PlayerData]) throws -> Int {
    let records = players.map(Indexed.init)
    try queue.write { for record in records { try record.insert($0) } }
    return players.count
  }

  func upsertPlain(_ players: [PlayerData]) throws -> Int {
    let records = players.map(Plain.init)
    try queue.write { for record in records { try record.upsert($0) } }
    return players.count
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
