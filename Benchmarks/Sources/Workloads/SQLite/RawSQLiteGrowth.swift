import CBenchSQLite

/// The growing table by hand-written SQL over the code of ``RawConnection``.
package final class RawSQLiteGrowth: GrowthOperations {
  private let raw: RawConnection

  package init(path: String, pragmas: [String] = []) throws {
    raw = try RawConnection(path: path, pragmas: pragmas)
    try raw.execute(
      "CREATE TABLE growth (id INTEGER PRIMARY KEY, rank INTEGER NOT NULL, name TEXT NOT NULL)")
    try raw.execute("CREATE INDEX growth_rank ON growth (rank)")
  }

  package func insert(_ rows: [GrowthData]) throws {
    try raw.transaction {
      let statement = try raw.statement("INSERT INTO growth VALUES (?, ?, ?)")
      for row in rows {
        sqlite3_bind_int64(statement, 1, row.id)
        sqlite3_bind_int64(statement, 2, row.rank)
        try raw.with(row.name, at: 3, statement) { try raw.run(statement) }
      }
    }
  }

  /// The checksum of the rows that a statement gives.
  private func checksum(_ statement: OpaquePointer) throws -> Int {
    var rows: [GrowthData] = []
    try raw.rows(statement) {
      rows.append(
        GrowthData(
          id: sqlite3_column_int64($0, 0), rank: sqlite3_column_int64($0, 1),
          name: raw.text($0, 2)))
    }
    return rows.reduce(0) { $0 &+ $1.checksum }
  }

  package func find(_ keys: [Int64]) throws -> Int {
    try raw.transaction {
      let statement = try raw.statement("SELECT * FROM growth WHERE id = ?")
      return try keys.reduce(0) { sum, key in
        sqlite3_bind_int64(statement, 1, key)
        return try sum &+ checksum(statement)
      }
    }
  }

  package func range(_ ranges: [Range<Int64>]) throws -> Int {
    try raw.transaction {
      let statement = try raw.statement(
        "SELECT * FROM growth WHERE rank >= ? AND rank < ? ORDER BY rank, id")
      return try ranges.reduce(0) { sum, range in
        sqlite3_bind_int64(statement, 1, range.lowerBound)
        sqlite3_bind_int64(statement, 2, range.upperBound)
        return try sum &+ checksum(statement)
      }
    }
  }

  package func top(_ times: Int) throws -> Int {
    try raw.transaction {
      let statement = try raw.statement(
        "SELECT * FROM growth ORDER BY rank DESC, id DESC LIMIT 20")
      return try (0..<times).reduce(0) { sum, _ in try sum &+ checksum(statement) }
    }
  }
}
