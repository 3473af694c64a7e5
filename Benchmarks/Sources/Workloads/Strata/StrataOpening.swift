import ORM

/// A Strata store with a hundred rows that is opened anew each time, with its schema made anew.
package struct StrataOpening: OpeningOperations {
  private let open: (Schema) throws -> any Store

  package init(_ open: @escaping (Schema) throws -> any Store) throws {
    self.open = open
    _ = try with { try $0.insert((1...100).map { Player(PlayerData(id: $0)) }) }
  }

  package func openAndFind(_ key: Int64) throws -> Int {
    try with { try $0.find(Player.self, key)?.data.checksum ?? 0 }
  }

  private func with<R>(_ body: (any Store) throws -> R) throws -> R {
    let store = try open(Schema(Player.self, PlainPlayer.self))
    let result = try body(store)
    try store.close()
    return result
  }
}
