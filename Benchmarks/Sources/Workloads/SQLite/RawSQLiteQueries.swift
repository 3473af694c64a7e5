import CBenchSQLite
import Glibc

/// Questions by hand-written SQL over the code of ``RawSQLite``.
package final class RawSQLiteQueries: QueryOperations {
  private let raw: RawSQLite

  package init(path: String, pragmas: [String] = []) throws {
    raw = try RawSQLite(path: path, pragmas: pragmas)
    try raw.connection.execute("CREATE INDEX player_team ON player (team)")
    try raw.connection.execute("CREATE INDEX player_country ON player (country, score)")
    try registerRegexp()
  }

  package func fill(_ players: [PlayerData]) throws {
    _ = try raw.put(players, "INSERT INTO player VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  }

  package func single(_ keys: [Int64]) throws -> Int { try raw.find(keys) }

  package func either(_ pairs: [(score: Int64, team: Int64)]) throws -> Int {
    try raw.connection.transaction {
      let statement = try raw.connection.statement(
        "SELECT * FROM player WHERE score = ? OR team = ? ORDER BY id")
      return try pairs.reduce(0) { sum, pair in
        sqlite3_bind_int64(statement, 1, pair.score)
        sqlite3_bind_int64(statement, 2, pair.team)
        return try sum &+ raw.players(statement).checksum
      }
    }
  }

  package func among(_ lists: [[Int64]]) throws -> Int {
    try raw.connection.transaction {
      try lists.reduce(0) { sum, list in
        let places = Array(repeating: "?", count: list.count).joined(separator: ", ")
        let statement = try raw.connection.statement(
          "SELECT * FROM player WHERE id IN (\(places)) ORDER BY id")
        for (index, key) in list.enumerated() {
          sqlite3_bind_int64(statement, Int32(index + 1), key)
        }
        return try sum &+ raw.players(statement).checksum
      }
    }
  }

  package func pages(_ count: Int) throws -> Int {
    try raw.connection.transaction {
      let statement = try raw.connection.statement(
        "SELECT * FROM player ORDER BY score, id LIMIT 20 OFFSET ?")
      return try (0..<count).reduce(0) { sum, page in
        sqlite3_bind_int64(statement, 1, Int64(page * 20))
        return try sum &+ raw.players(statement).checksum
      }
    }
  }

  package func count(from scores: [Int64]) throws -> Int {
    try raw.connection.transaction {
      let statement = try raw.connection.statement(
        "SELECT count(*) FROM player WHERE score >= ? AND score < ?")
      return scores.reduce(0) { sum, score in
        sqlite3_bind_int64(statement, 1, score)
        sqlite3_bind_int64(statement, 2, score + 100)
        sqlite3_step(statement)
        defer { sqlite3_reset(statement) }
        return sum &+ Int(sqlite3_column_int64(statement, 0))
      }
    }
  }

  package func sums() throws -> Int {
    let statement = try raw.connection.statement(
      "SELECT team, sum(score) FROM player GROUP BY team ORDER BY team")
    defer { sqlite3_reset(statement) }
    var sum = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      let team =
        sqlite3_column_type(statement, 0) == SQLITE_NULL ? nil : sqlite3_column_int64(statement, 0)
      sum = sum.adding(team: team, sum: sqlite3_column_int64(statement, 1))
    }
    return sum
  }

  package func sumsByCountry() throws -> Int {
    var sum = 0
    try raw.connection.rows(
      raw.connection.statement(
        "SELECT country, sum(score) FROM player GROUP BY country ORDER BY country")
    ) { row in
      sum = sum.adding(
        country: raw.connection.text(row, 0), sum: sqlite3_column_int64(row, 1))
    }
    return sum
  }

  package func matching() throws -> Int {
    let statement = try raw.connection.statement(
      "SELECT count(*) FROM player WHERE bench_regexp(name)")
    defer { sqlite3_reset(statement) }
    sqlite3_step(statement)
    return Int(sqlite3_column_int64(statement, 0))
  }

  /// The C library's matcher as a function of the database, its pattern compiled once.
  private func registerRegexp() throws {
    let pattern = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    regcomp(pattern, "^Player [0-9]*77$", REG_EXTENDED | REG_NOSUB)
    sqlite3_create_function(
      raw.connection.database, "bench_regexp", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, pattern,
      { context, _, values in
        let pattern = sqlite3_user_data(context).assumingMemoryBound(to: regex_t.self)
        let text = values.flatMap { sqlite3_value_text($0[0]) }
        let found = text.map { text in
          text.withMemoryRebound(to: CChar.self, capacity: 1) {
            regexec(pattern, $0, 0, nil, 0) == 0
          }
        }
        sqlite3_result_int(context, found == true ? 1 : 0)
      }, nil, nil)
  }
}
