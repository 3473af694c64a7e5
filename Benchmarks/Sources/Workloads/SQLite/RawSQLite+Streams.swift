extension RawSQLite: StreamOperations, LoopOperations {
  package func stream() throws -> Int {
    var sum = 0
    try connection.rows(connection.statement("SELECT * FROM player ORDER BY id")) {
      sum &+= player($0).checksum
    }
    return sum
  }

  // Hand-written code calls the library once a row anyway.
  package func insertOneByOne(_ players: [PlayerData]) -> Action { plainInsert(players) }
}
