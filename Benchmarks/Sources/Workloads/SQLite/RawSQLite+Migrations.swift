import CBenchSQLite

extension RawConnection {
  /// Changes score and note of every row of the plain table, one after another.
  package func changeRows(
    _ score: (Int64) -> Int64, note: (_ name: String, _ country: String) -> String
  ) throws {
    let update = try statement("UPDATE plain SET score = ?, note = ? WHERE id = ?")
    var failure: (any Error)?
    try rows(statement("SELECT * FROM plain ORDER BY id")) { row in
      sqlite3_bind_int64(update, 1, score(sqlite3_column_int64(row, 3)))
      sqlite3_bind_int64(update, 3, sqlite3_column_int64(row, 0))
      do {
        try with(note(text(row, 1), text(row, 5)), at: 2, update) { try run(update) }
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// The number that a query gives.
  package func number(_ sql: String) throws -> Double {
    var number = 0.0
    try rows(statement(sql)) { number = sqlite3_column_double($0, 0) }
    return number
  }
}
