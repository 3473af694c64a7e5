internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension StoreOptions {
  /// Options with a history.
  static func keepingHistory(
    for age: Duration = .days(1), atMost count: Int = 1_000,
    entities: HistoryPolicy.Entities = .all, level: ChangeLevel = .values,
    forConsumers consumerAge: Duration = .days(2), atMostForConsumers consumerCount: Int = 10_000
  ) -> StoreOptions {
    var options = StoreOptions()
    options.durability = .off
    options.history = .retained(
      for: age, atMost: count, entities: entities, level: level, forConsumers: consumerAge,
      atMostForConsumers: consumerCount)
    return options
  }
}

extension [ChangeSet] {
  /// The changes of the sets in words.
  var words: [String] { flatMap(\.words) }
}

extension ConformanceCase {
  /// Clauses 11.4 and 11.5: the history and its tokens.
  static let history: [ConformanceCase] = [
    ConformanceCase("the history has the sets that a listener gets", "11.4", "11.5") { context in
      for level in ChangeLevel.allCases {
        let options = StoreOptions.keepingHistory(level: level)
        let store = try context.open(
          Team.self, Coach.self, Player.self, League.self, options: options)
        let start = try store.historyToken
        let live = try ChangeSets(store, level: level)
        try store.insert([Team(0, "Reds"), Team(0, "Blues")])
        try store.write { tx in
          try tx.save(Player(0, "Ada", team: .key(1)))
          try? tx.savepoint { inner in
            try inner.save(Player(0, "no one"))
            throw StoreError(.denied, "undone")
          }
          try tx.patch(Team.self, 2) { $0.name = "Greens" }
        }
        try? store.write { tx in
          try tx.save(Player(0, "no one"))
          throw StoreError(.denied, "undone")
        }
        try store.write { tx in try tx.patch(Team.self, 2) { $0.name = "Greens" } }
        try store.deleteAll(Player.self)
        let sets = live.take()
        // At level entities, a write that changes nothing may be a set.
        if level > .entities { try context.expectEqual(sets.count, 3, "\(level)") }
        let recorded = try store.history(after: start)
        try context.expectEqual(recorded.map(\.entities), sets.map(\.entities), "\(level)")
        try context.expectEqual(
          recorded.map(\.commit.number), sets.map(\.commit.number), "\(level)")
        try context.expectEqual(recorded.map(\.commit.token), sets.map(\.commit.token), "\(level)")
        let middle = try context.unwrap(recorded[0].commit.token, "a token")
        try context.expectEqual(try store.history(after: middle).count, sets.count - 1, "\(level)")
        try context.expectEqual(try store.history(after: start, limit: 2).count, 2, "\(level)")
        try context.expectEqual(try store.history(after: store.historyToken), [], "\(level)")
      }
    },
    ConformanceCase("the history is there after reopening", "11.4", "11.5") { context in
      let options = StoreOptions.keepingHistory()
      var store = try context.open(Snack.self, options: options)
      let start = try store.historyToken
      try store.insert(Snack(1, "a", price: 2, tags: ["x", "ü"]))
      try store.patch(Snack.self, 1) { $0.price = 3 }
      let before = try store.history(after: start)
      let end = try store.historyToken
      store = try context.reopen(store, Snack.self, options: options)
      try context.expectEqual(try store.historyToken, end)
      try context.expectEqual(
        try store.history(after: start).map(\.entities), before.map(\.entities))
      let set = try context.unwrap(try store.history(after: start).last, "the set")
      try context.expectEqual(try set[Snack.self].rows[0].oldValue(\.price), 2)
      try context.expectEqual(try set[Snack.self].rows[0].new()?.tags, ["x", "ü"])
      try store.delete(Snack.self, id: 1)
      try context.expectEqual(try store.history(after: end).words, ["Snack deleted 1"])
      // An opening without a policy continues the history.
      var plain = StoreOptions()
      plain.durability = .off
      store = try context.reopen(store, Snack.self, options: plain)
      try store.insert(Snack(4))
      try context.expectEqual(
        try store.history(after: end).words, ["Snack deleted 1", "Snack inserted 4"])
    },
    ConformanceCase("a history begins with what was asked for, also without a commit", "11.4") {
      context in
      var store = try context.open(Snack.self, options: .keepingHistory(level: .values))
      var plain = StoreOptions()
      plain.durability = .off
      for _ in 0..<2 { store = try context.reopen(store, Snack.self, options: plain) }
      let start = try store.historyToken
      try store.insert(Snack(1, "a", price: 2))
      try store.patch(Snack.self, 1) { $0.price = 3 }
      let set = try context.unwrap(try store.history(after: start).last, "the set")
      try context.expectEqual(try set[Snack.self].rows.first?.oldValue(\.price), 2)
    },
    ConformanceCase("a store without a history says so", "11.5") { context in
      var store = try context.open(Snack.self)
      try store.insert(Snack(1))
      try context.expectError(.historyOff) { try store.historyToken }
      try context.expectError(.historyOff) { try store.historyConsumer("c") }
      let other = try context.open(Snack.self, options: .keepingHistory())
      let token = try other.historyToken
      try context.expectError(.historyOff) { try store.history(after: token) }
      // A history begins where it is asked for first.
      store = try context.reopen(store, Snack.self, options: .keepingHistory())
      let start = try store.historyToken
      try store.insert(Snack(2))
      try context.expectEqual(try store.history(after: start).words, ["Snack inserted 2"])
      var off = StoreOptions()
      off.history = .off
      store = try context.reopen(store, Snack.self, options: off)
      try context.expectError(.historyOff) { try store.history(after: start) }
      try store.insert(Snack(3))
      try context.expectError(.historyOff) { try store.historyToken }
      store = try context.reopen(store, Snack.self, options: .keepingHistory())
      try context.expectError(.historyTruncated) { try store.history(after: start) }
      let again = try store.historyToken
      try store.insert(Snack(5))
      try context.expectEqual(try store.history(after: again).words, ["Snack inserted 5"])
    },
    ConformanceCase("a token is of one store, and damage of it is found", "11.5") { context in
      let store = try context.open(Snack.self, options: .keepingHistory())
      let other = try context.open(Snack.self, options: .keepingHistory())
      try store.insert(Snack(1))
      let token = try store.historyToken
      try context.expectError(.wrongStore) { try other.history(after: token) }
      try context.expectError(.wrongStore) { try other.historyConsumer("c", after: token) }
      let text = token.description
      try context.expectEqual(try HistoryToken(text), token)
      let data = try JSONEncoder().encode([token])
      try context.expectEqual(try JSONDecoder().decode([HistoryToken].self, from: data), [token])
      for length in 0..<text.count {
        try context.expectError(.invalidToken) { try HistoryToken(String(text.prefix(length))) }
      }
      for index in text.indices {
        var damaged = text
        let replacement = text[index] == "1" ? "2" : "1"
        damaged.replaceSubrange(index...index, with: replacement)
        try context.expectError(.invalidToken) { try HistoryToken(damaged) }
      }
      try context.expectError(.invalidToken) { try HistoryToken("-1-") }
      try context.expectError(.invalidPage) { try store.history(after: token, limit: -1) }
    },
    ConformanceCase("a history is cut by count, and says where it begins", "11.5") { context in
      let store = try context.open(Snack.self, options: .keepingHistory(atMost: 3))
      let start = try store.historyToken
      for number in Int64(1)...5 { try store.insert(Snack(number)) }
      let oldest = try context.unwrap(
        oldestToken { try store.history(after: start) }, "the oldest token")
      try context.expectEqual(
        try store.history(after: oldest).words,
        ["Snack inserted 3", "Snack inserted 4", "Snack inserted 5"])
      try store.insert([Snack(6), Snack(7), Snack(8), Snack(9)])
      let last = try context.unwrap(
        oldestToken { try store.history(after: oldest) }, "the oldest token")
      try context.expectEqual(try store.history(after: last).count, 1, "the newest stays")
      let token = try store.historyToken
      try store.deleteAll(Snack.self)
      try context.expectEqual(try store.history(after: token).words, ["Snack everything"])
    },
    ConformanceCase("a history is cut by age", "11.5") { context in
      let store = try context.open(Snack.self, options: .keepingHistory(for: .zero))
      let start = try store.historyToken
      try store.insert(Snack(1))
      try context.expectEqual(try store.history(after: start).words, ["Snack inserted 1"])
      try store.insert(Snack(2))
      let oldest = try context.unwrap(
        oldestToken { try store.history(after: start) }, "the oldest token")
      try context.expectEqual(try store.history(after: oldest).words, ["Snack inserted 2"])
    },
    ConformanceCase("a history has the entities and the detail that it keeps", "11.5") { context in
      let options = StoreOptions.keepingHistory(entities: .only(["Team"]), level: .keys)
      let store = try context.open(
        Team.self, Coach.self, Player.self, League.self, options: options)
      let start = try store.historyToken
      try store.insert(Team(0, "Reds"))
      try store.insert(Player(0, "Ada", team: .key(1)))
      try store.patch(Team.self, 1) { $0.name = "Blues" }
      let sets = try store.history(after: start)
      try context.expectEqual(sets.words, ["Team inserted 1", "Team updated 1"])
      try context.expectEqual(sets.map(\.commit.number), [1, 3])
      try context.expectError(.unknownEntity) {
        let store = try context.open(
          Snack.self, options: .keepingHistory(entities: .only(["Team"])))
        try store.insert(Snack(1))
      }
    },
    ConformanceCase("a large commit is recorded whole, with its author", "11.4", "11.5") {
      context in
      let store = try context.open(Snack.self, options: .keepingHistory(atMost: 100_000))
      let start = try store.historyToken
      try Persistence.withAuthor("import") {
        try store.insert((1...3_000).map { Snack($0, "a name that takes some space") })
      }
      let set = try context.unwrap(try store.history(after: start).first, "the set")
      try context.expectEqual(set.commit.author, "import")
      try context.expectEqual(try set[Snack.self].rows.map { try $0.id }, Array(1...3_000))
      try context.expectEqual(
        try set[Snack.self].rows.last?.value(\.name), "a name that takes some space")
      let token = try context.unwrap(set.commit.token, "the token")
      try context.expectEqual(try store.historyToken, token)
    },
    ConformanceCase("a history is no part of the content", "11.4") { context in
      let store = try context.open(Snack.self, options: .keepingHistory())
      try store.insert([Snack(1), Snack(2)])
      let plain = try context.open(Snack.self)
      let digests = try StoreCopy(from: store, to: plain).run()
      try context.expectEqual(digests.map(\.entity), ["Snack"])
      try context.expectEqual(try plain.count(Snack.self), 2)
      try context.expectEqual(try Schema(store.schema).entities.map(\.name), ["Snack"])
      try context.expect(try store.check().isSound, "the check finds nothing")
      let (count, token) = try store.read { tx in (try tx.count(Snack.self), try tx.historyToken) }
      try context.expectEqual(count, 2)
      try context.expectEqual(try store.history(after: token), [])
    },
    ConformanceCase(async: "the forms of reading a history agree", "11.5") { context in
      let store = try context.open(Snack.self, options: .keepingHistory())
      let start = try await store.read { try $0.historyToken }
      try await store.insert(Snack(1))
      let sets = try await store.history(after: start)
      try context.expectEqual(sets.words, ["Snack inserted 1"])
      try context.expectEqual(try await store.read { try $0.history(after: start) }, sets)
    },
  ]
}

/// The oldest token of the `historyTruncated` that a call throws; nil if it throws something else.
private func oldestToken<Result>(_ body: () throws -> Result) -> HistoryToken? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? StoreError)?.oldestHistoryToken
  }
}
