import CBenchSQLite

extension RawSQLite: ChangeOperations {
  package func raise(_ scores: Range<Int64>) throws -> Int {
    try change("UPDATE player SET score = score + 1000 WHERE score >= ? AND score < ?", scores)
  }

  package func delete(_ scores: Range<Int64>) throws -> Int {
    try change("DELETE FROM player WHERE score >= ? AND score < ?", scores)
  }

  private func change(_ sql: String, _ scores: Range<Int64>) throws -> Int {
    let statement = try connection.statement(sql)
    sqlite3_bind_int64(statement, 1, scores.lowerBound)
    sqlite3_bind_int64(statement, 2, scores.upperBound)
    try connection.run(statement)
    return Int(sqlite3_changes(connection.database))
  }
}
