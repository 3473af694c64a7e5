extension RawLMDB: SingleOperations {
  package func findEach(_ keys: [Int64]) throws -> Int {
    try keys.reduce(0) { sum, key in
      try read { sum &+ (find(key, $0)?.checksum ?? 0) }
    }
  }

  package func insertEach(_ players: [PlayerData]) throws -> Int {
    for player in players { _ = try put([player], plain, isIndexed: false, flags: 0) }
    return players.count
  }
}
