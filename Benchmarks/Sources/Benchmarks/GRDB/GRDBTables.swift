import GRDB

/// The tables of players, as every contestant over SQLite has them.
enum GRDBTables {
  static func create(_ writer: some DatabaseWriter) throws {
    try writer.write { database in
      for table in ["plain", "player"] {
        try database.execute(
          sql: """
            CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER,
              score INTEGER NOT NULL, rating REAL NOT NULL, country TEXT NOT NULL,
              isActive INTEGER NOT NULL, note TEXT)
            """)
      }
      try database.execute(sql: "CREATE INDEX IF NOT EXISTS player_score ON player (score)")
    }
  }
}
