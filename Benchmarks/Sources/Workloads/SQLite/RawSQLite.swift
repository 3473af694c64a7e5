import CBenchSQLite

/// The best hand-written code over libsqlite3: cached statements, default pragmas.
package final class RawSQLite {
  package let database: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  package struct Failure: Error { let code: Int32 }

  /// Opens a file, which may be new; the pragmas are those of a tuned contestant.
  package init(path: String, pragmas: [String] = []) throws {
    var database: OpaquePointer?
    let code = sqlite3_open(path, &database)
    guard code == SQLITE_OK, let database else { throw Failure(code: code) }
    self.database = database
    for pragma in pragmas { try execute("PRAGMA \(pragma)") }
    for table in ["plain", "player"] {
      try execute(
        """
        CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER,
          score INTEGER NOT NULL, rating REAL NOT NULL, country TEXT NOT NULL,
          isActive INTEGER NOT NULL, note TEXT)
        """)
    }
    try execute("CREATE INDEX IF NOT EXISTS player_score ON player (score)")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(database)
  }

  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Failure(code: code) }
  }

  package func statement(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw Failure(code: code) }
    statements[sql] = statement
    return statement
  }

  package func transaction<R>(_ body: () throws -> R) throws -> R {
    try execute("BEGIN")
    let result = try body()
    try execute("COMMIT")
    return result
  }

  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  package func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        _ = sqlite3_bind_text(
          statement, index, characters.baseAddress, Int32(characters.count), Self.transient)
      }
    }
  }

  package func put(_ players: [PlayerData], _ sql: String) throws -> Int {
    try transaction {
      let statement = try statement(sql)
      for player in players {
        sqlite3_bind_int64(statement, 1, player.id)
        bind(player.name, 2, statement)
        if let team = player.team {
          sqlite3_bind_int64(statement, 3, team)
        } else {
          sqlite3_bind_null(statement, 3)
        }
        sqlite3_bind_int64(statement, 4, player.score)
        sqlite3_bind_double(statement, 5, player.rating)
        bind(player.country, 6, statement)
        sqlite3_bind_int64(statement, 7, player.isActive ? 1 : 0)
        if let note = player.note {
          bind(note, 8, statement)
        } else {
          sqlite3_bind_null(statement, 8)
        }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE else { throw Failure(code: code) }
        sqlite3_reset(statement)
      }
      return players.count
    }
  }

  package func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func player(_ statement: OpaquePointer) -> PlayerData {
    PlayerData(
      id: sqlite3_column_int64(statement, 0), name: text(statement, 1),
      team: sqlite3_column_type(statement, 2) == SQLITE_NULL
        ? nil : sqlite3_column_int64(statement, 2),
      score: sqlite3_column_int64(statement, 3), rating: sqlite3_column_double(statement, 4),
      country: text(statement, 5), isActive: sqlite3_column_int64(statement, 6) != 0,
      note: sqlite3_column_type(statement, 7) == SQLITE_NULL ? nil : text(statement, 7))
  }

  package func players(_ statement: OpaquePointer) throws -> [PlayerData] {
    var players: [PlayerData] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_ROW {
        players.append(player(statement))
      } else if code == SQLITE_DONE {
        break
      } else {
        throw Failure(code: code)
      }
    }
    sqlite3_reset(statement)
    return players
  }
}
