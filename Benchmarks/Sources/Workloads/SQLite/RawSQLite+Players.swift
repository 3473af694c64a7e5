import CBenchSQLite

extension RawSQLite: PlayerOperations {
  package func clearPlain() throws { try connection.execute("DELETE FROM plain") }
  package func clearIndexed() throws { try connection.execute("DELETE FROM player") }

  package func plainInsert(_ players: [PlayerData]) -> Action {
    { try self.put(players, "INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?, ?)") }
  }

  package func indexedInsert(_ players: [PlayerData]) -> Action {
    { try self.put(players, "INSERT INTO player VALUES (?, ?, ?, ?, ?, ?, ?, ?)") }
  }

  package func plainUpsert(_ players: [PlayerData]) -> Action {
    {
      try self.put(
        players,
        """
        INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
          name = excluded.name, team = excluded.team, score = excluded.score,
          rating = excluded.rating, country = excluded.country, isActive = excluded.isActive,
          note = excluded.note
        """)
    }
  }

  package func scan() throws -> Int {
    try players(connection.statement("SELECT * FROM player ORDER BY id")).checksum
  }

  package func find(_ keys: [Int64]) throws -> Int {
    try connection.transaction {
      let statement = try connection.statement("SELECT * FROM player WHERE id = ?")
      var sum = 0
      for key in keys {
        sqlite3_bind_int64(statement, 1, key)
        if sqlite3_step(statement) == SQLITE_ROW { sum &+= player(statement).checksum }
        sqlite3_reset(statement)
      }
      return sum
    }
  }

  package func filter(_ scores: [Int64]) throws -> Int {
    try connection.transaction {
      let statement = try connection.statement("SELECT * FROM player WHERE score = ? ORDER BY id")
      var sum = 0
      for score in scores {
        sqlite3_bind_int64(statement, 1, score)
        sum &+= try players(statement).checksum
      }
      return sum
    }
  }

  package func top(_ times: Int) throws -> Int {
    try connection.transaction {
      let statement = try connection.statement(
        "SELECT * FROM player ORDER BY score DESC, id DESC LIMIT 20")
      var sum = 0
      for _ in 0..<times { sum &+= try players(statement).checksum }
      return sum
    }
  }
}
