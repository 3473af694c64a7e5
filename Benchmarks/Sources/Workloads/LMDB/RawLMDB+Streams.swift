extension RawLMDB: StreamOperations, LoopOperations {
  package func stream() throws -> Int {
    var sum = 0
    try each { sum &+= decode($0, $1).checksum }
    return sum
  }

  // Hand-written code calls the library once a row anyway.
  package func insertOneByOne(_ players: [PlayerData]) -> Action { plainInsert(players) }
}
