import CBenchSQLite

extension RawSQLite: SingleOperations {
  package func findEach(_ keys: [Int64]) throws -> Int {
    // A statement alone is a transaction.
    let statement = try connection.statement("SELECT * FROM player WHERE id = ?")
    var sum = 0
    for key in keys {
      sqlite3_bind_int64(statement, 1, key)
      if sqlite3_step(statement) == SQLITE_ROW { sum &+= player(statement).checksum }
      sqlite3_reset(statement)
    }
    return sum
  }

  package func insertEach(_ players: [PlayerData]) throws -> Int {
    for player in players { _ = try plainInsert([player])() }
    return players.count
  }
}
