import CBenchSQLite

/// The best hand-written code over libsqlite3 for the players: default pragmas unless it is given
/// others.
package final class RawSQLite {
  package let connection: RawConnection

  package init(path: String, pragmas: [String] = []) throws {
    connection = try RawConnection(path: path, pragmas: pragmas)
    for table in ["plain", "player"] {
      try connection.execute(
        """
        CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER,
          score INTEGER NOT NULL, rating REAL NOT NULL, country TEXT NOT NULL,
          isActive INTEGER NOT NULL, note TEXT)
        """)
    }
    try connection.execute("CREATE INDEX IF NOT EXISTS player_score ON player (score)")
  }

  package func put(_ players: [PlayerData], _ sql: String) throws -> Int {
    try connection.transaction {
      let statement = try connection.statement(sql)
      for player in players { try put(player, statement) }
      return players.count
    }
  }

  private func put(_ player: PlayerData, _ statement: OpaquePointer) throws {
    sqlite3_bind_int64(statement, 1, player.id)
    if let team = player.team {
      sqlite3_bind_int64(statement, 3, team)
    } else {
      sqlite3_bind_null(statement, 3)
    }
    sqlite3_bind_int64(statement, 4, player.score)
    sqlite3_bind_double(statement, 5, player.rating)
    sqlite3_bind_int64(statement, 7, player.isActive ? 1 : 0)
    try connection.with(player.name, at: 2, statement) {
      try connection.with(player.country, at: 6, statement) {
        if let note = player.note {
          try connection.with(note, at: 8, statement) { try connection.run(statement) }
        } else {
          sqlite3_bind_null(statement, 8)
          try connection.run(statement)
        }
      }
    }
  }

  @inline(__always)
  package func player(_ statement: OpaquePointer) -> PlayerData {
    let team = sqlite3_column_value(statement, 2)
    return PlayerData(
      id: sqlite3_column_int64(statement, 0), name: connection.text(statement, 1),
      team: sqlite3_value_type(team) == SQLITE_NULL ? nil : sqlite3_value_int64(team),
      score: sqlite3_column_int64(statement, 3), rating: sqlite3_column_double(statement, 4),
      country: connection.text(statement, 5), isActive: sqlite3_column_int64(statement, 6) != 0,
      note: RawConnection.text(sqlite3_column_value(statement, 7)))
  }

  package func players(_ statement: OpaquePointer) throws -> [PlayerData] {
    var players: [PlayerData] = []
    try connection.rows(statement) { players.append(player($0)) }
    return players
  }
}
