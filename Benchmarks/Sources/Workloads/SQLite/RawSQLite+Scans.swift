import CBenchSQLite

extension RawSQLite: ScanOperations {
  package func filterByScan(below rating: Double) throws -> Int {
    let statement = try connection.statement("SELECT * FROM player WHERE rating < ? ORDER BY id")
    sqlite3_bind_double(statement, 1, rating)
    return try players(statement).checksum
  }

  package func countByScan(below rating: Double) throws -> Int {
    let statement = try connection.statement("SELECT count(*) FROM player WHERE rating < ?")
    sqlite3_bind_double(statement, 1, rating)
    defer { sqlite3_reset(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw RawConnection.Failure(code: code) }
    return Int(sqlite3_column_int64(statement, 0))
  }

  package func sumOfRatings() throws -> Int {
    let statement = try connection.statement("SELECT sum(rating) FROM player")
    defer { sqlite3_reset(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw RawConnection.Failure(code: code) }
    return sqlite3_column_double(statement, 0).inThousandths
  }
}
