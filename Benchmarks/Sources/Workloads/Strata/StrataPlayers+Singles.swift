import ORM

extension StrataPlayers: SingleOperations {
  package func findEach(_ keys: [Int64]) throws -> Int {
    try keys.reduce(0) { try $0 &+ (store.find(Player.self, $1)?.data.checksum ?? 0) }
  }

  package func insertEach(_ players: [PlayerData]) throws -> Int {
    for player in players { try store.insert(PlainPlayer(player)) }
    return players.count
  }
}
