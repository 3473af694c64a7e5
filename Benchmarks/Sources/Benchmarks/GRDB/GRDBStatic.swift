import GRDB
import Workloads

/// The players by static SQL and cached statements, as GRDB's documentation advises for speed.
///
/// On a queue, or on a pool with commits that are as durable as those of a queue.
struct GRDBStatic: PlayerOperations {
  let writer: any DatabaseWriter

  init(queue path: String) throws {
    writer = try DatabaseQueue(path: path)
    try GRDBTables.create(writer)
  }

  init(pool path: String) throws {
    writer = try DatabasePool(path: path)
    // A pool sets NORMAL when it is opened, which a power cut may take commits from.
    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try GRDBTables.create(writer)
  }

  func rows(_ database: Database, _ sql: String, _ arguments: StatementArguments = []) throws
    -> [FastPlayer]
  {
    try FastPlayer.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
  }

  func put(_ players: [PlayerData], _ sql: String) throws -> Int {
    try writer.write { database in
      let statement = try database.cachedStatement(sql: sql)
      for player in players {
        try statement.execute(
          arguments: [
            player.id, player.name, player.team, player.score, player.rating, player.country,
            player.isActive, player.note,
          ])
      }
    }
    return players.count
  }

  func clearPlain() throws { try writer.write { try $0.execute(sql: "DELETE FROM plain") } }
  func clearIndexed() throws { try writer.write { try $0.execute(sql: "DELETE FROM player") } }

  func plainInsert(_ players: [PlayerData]) -> Action {
    { try put(players, "INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?, ?)") }
  }

  func indexedInsert(_ players: [PlayerData]) -> Action {
    { try put(players, "INSERT INTO player VALUES (?, ?, ?, ?, ?, ?, ?, ?)") }
  }

  func plainUpsert(_ players: [PlayerData]) -> Action {
    {
      try put(
        players,
        """
        INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
          name = excluded.name, team = excluded.team, score = excluded.score,
          rating = excluded.rating, country = excluded.country, isActive = excluded.isActive,
          note = excluded.note
        """)
    }
  }

  func scan() throws -> Int {
    try writer.read { try rows($0, "SELECT * FROM player ORDER BY id") }.checksum
  }

  func find(_ keys: [Int64]) throws -> Int {
    try writer.read { database in
      let statement = try database.cachedStatement(sql: "SELECT * FROM player WHERE id = ?")
      return try keys.reduce(0) { sum, key in
        let player = try FastPlayer.fetchOne(statement, arguments: [key])
        return sum &+ (player?.data.checksum ?? 0)
      }
    }
  }

  func filter(_ scores: [Int64]) throws -> Int {
    try writer.read { database in
      try scores.reduce(0) { sum, score in
        let sql = "SELECT * FROM player WHERE score = ? ORDER BY id"
        return try sum &+ rows(database, sql, [score]).checksum
      }
    }
  }

  func top(_ times: Int) throws -> Int {
    try writer.read { database in
      try (0..<times).reduce(0) { sum, _ in
        let sql = "SELECT * FROM player ORDER BY score DESC, id DESC LIMIT 20"
        return try sum &+ rows(database, sql).checksum
      }
    }
  }
}

extension [FastPlayer] {
  var checksum: Int { reduce(0) { $0 &+ $1.data.checksum } }
}
