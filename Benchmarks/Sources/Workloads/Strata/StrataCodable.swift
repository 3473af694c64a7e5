import ORM

/// A Strata store with models that are mapped through Codable, for the workloads that read and write
/// whole rows.
package struct StrataCodable: PlayerOperations, SingleOperations, StreamOperations {
  package let store: any Store

  package init(store: any Store) { self.store = store }

  package func clearPlain() throws { try store.deleteAll(CodedPlain.self) }

  package func plainInsert(_ players: [PlayerData]) -> Action {
    let models = players.map(CodedPlain.init)
    return { try store.insert(models).inserted }
  }

  package func plainUpsert(_ players: [PlayerData]) -> Action {
    let models = players.map(CodedPlain.init)
    return { try store.save(models).counts.total }
  }

  package func clearIndexed() throws { try store.deleteAll(CodedPlayer.self) }

  package func indexedInsert(_ players: [PlayerData]) -> Action {
    let models = players.map(CodedPlayer.init)
    return { try store.insert(models).inserted }
  }

  package func scan() throws -> Int {
    try store.fetch(CodedPlayer.all).reduce(0) { $0 &+ $1.data.checksum }
  }

  package func find(_ keys: [Int64]) throws -> Int {
    try store.read { transaction in
      try keys.reduce(0) { try $0 &+ (transaction.find(CodedPlayer.self, $1)?.data.checksum ?? 0) }
    }
  }

  package func filter(_ scores: [Int64]) throws -> Int {
    try store.read { transaction in
      try scores.reduce(0) { sum, score in
        try transaction.fetch(CodedPlayer.all.where { $0.score == score })
          .reduce(sum) { $0 &+ $1.data.checksum }
      }
    }
  }

  package func top(_ times: Int) throws -> Int {
    let query = CodedPlayer.all.sorted(by: .descending(\.score)).limit(20)
    return try store.read { transaction in
      try (0..<times).reduce(0) { sum, _ in
        try transaction.fetch(query).reduce(sum) { $0 &+ $1.data.checksum }
      }
    }
  }

  package func findEach(_ keys: [Int64]) throws -> Int {
    try keys.reduce(0) { try $0 &+ (store.find(CodedPlayer.self, $1)?.data.checksum ?? 0) }
  }

  package func insertEach(_ players: [PlayerData]) throws -> Int {
    for player in players { try store.insert(CodedPlain(player)) }
    return players.count
  }

  package func stream() throws -> Int {
    try waiting { [store] in
      var sum = 0
      for try await player in store.stream(CodedPlayer.all) { sum &+= player.data.checksum }
      return sum
    }
  }
}

/// Ten integers through Codable.
package struct StrataCodableNumbers: NumberOperations {
  package let store: any Store

  package init(store: any Store) { self.store = store }

  package func fill(_ numbers: [NumberData]) throws {
    try store.insert(numbers.map(CodedNumbers.init))
  }

  package func scanNumbers() throws -> Int {
    try store.fetch(CodedNumbers.all).reduce(0) { $0 &+ $1.data.checksum }
  }
}
