internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// Collects the change sets of a store.
final class ChangeSets: Sendable {
  private let store: any Store
  private let sets = Shared<[ChangeSet]>([])
  private let observation: ChangeObservation

  init(_ store: any Store, of models: [String]? = nil, level: ChangeLevel = .values) throws {
    let sets = sets
    self.store = store
    observation = try store.observeChanges(of: models, level: level) { set in
      sets.change { $0.append(set) }
    }
  }

  /// The sets of the commits since the last call.
  func take() -> [ChangeSet] {
    store.runtime.transactions.drainNotices()
    let taken = sets.value
    sets.change { $0 = [] }
    return taken
  }

  /// The changes of the commits since the last call in words: entity, kind, key and attributes.
  func lines() -> [String] { take().flatMap(\.words) }
}

extension ChangeSet {
  /// The changes in words, such as `Snack updated 1 price,stock`.
  var words: [String] {
    entities.flatMap { changes in
      changes.isEverything
        ? ["\(changes.entity) everything"]
        : changes.rows.map { "\(changes.entity) \($0.words)" }
    }
  }
}

extension RowChange {
  fileprivate var words: String {
    func text(_ values: [StoredValue]) -> String {
      values.map { value in
        switch value {
        case .int(let number): "\(number)"
        case .string(let text): text
        default: "\(value)"
        }
      }.joined(separator: ";")
    }
    var words = [kind.rawValue, text(key)]
    if let relationship { words += [relationship, text(target)] }
    if !attributes.isEmpty { words.append(attributes.joined(separator: ",")) }
    return words.joined(separator: " ")
  }
}

extension ConformanceCase {
  /// Section 11: change sets of plain rows.
  static let changes: [ConformanceCase] = [
    ConformanceCase("every operation is in the change set of its commit", "11.1", "11.3") {
      context in
      let store = try context.open(Snack.self)
      let sets = try ChangeSets(store)
      try store.insert(Snack(2, "b", stock: 1))
      try context.expectEqual(sets.lines(), ["Snack inserted 2"])
      try store.save([Snack(3, "c", stock: 1), Snack(1, "a", stock: 1), Snack(2, "b", stock: 2)])
      try context.expectEqual(
        sets.lines(), ["Snack inserted 1", "Snack updated 2 stock", "Snack inserted 3"])
      try store.update(Snack(3, "C", price: 1, stock: 1))
      try context.expectEqual(sets.lines(), ["Snack updated 3 name,price"])
      try store.patch(Snack.self, 1) { $0.taste = "sweet" }
      try context.expectEqual(sets.lines(), ["Snack updated 1 taste"])
      try store.save(Snack(1, "A", tags: ["x"]), merge: .only(\.name, \.tags))
      try context.expectEqual(sets.lines(), ["Snack updated 1 name,tags"])
      try context.expectEqual(try store.update(Snack.all) { $0.stock = 1 }, 3)
      try context.expectEqual(sets.lines(), ["Snack updated 2 stock"], "one row differs")
      try store.update(Snack.all.where { $0.id > 1 }) { $0[\.stock] = $0[\.stock] + 1 }
      try context.expectEqual(sets.lines(), ["Snack updated 2 stock", "Snack updated 3 stock"])
      try store.delete(Snack.self, id: 2)
      try context.expectEqual(sets.lines(), ["Snack deleted 2"])
      try store.delete(Snack.all.where { $0.stock > 1 })
      try context.expectEqual(sets.lines(), ["Snack deleted 3"])
      try store.deleteAll(Snack.self)
      try context.expectEqual(sets.lines(), ["Snack everything"])
      try store.deleteAll(Snack.self)
      try context.expectEqual(sets.lines(), [], "there was nothing")
      let generated = try context.open(Team.self, Coach.self, Player.self, League.self)
      let teams = try ChangeSets(generated, of: ["Team"])
      try generated.insert([Team(0, "Reds"), Team(0, "Blues")])
      try context.expectEqual(teams.lines(), ["Team inserted 1", "Team inserted 2"])
    },
    ConformanceCase("a change has the objects before and after it", "11.1", "11.3") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a", price: 2, tags: ["x"]), Snack(2, "b")])
      let sets = try ChangeSets(store)
      try store.write { tx in
        try tx.patch(Snack.self, 1) { $0.price = 3 }
        try tx.delete(Snack.self, id: 2)
        try tx.insert(Snack(3, "c", stock: 7))
      }
      let set = try context.unwrap(sets.take().first, "the set")
      let rows = set[Snack.self].rows
      try context.expectEqual(try rows.map { try $0.id }, [1, 2, 3])
      try context.expectEqual(rows.map(\.kind), [.updated, .deleted, .inserted])
      try context.expectEqual(
        try rows.map { try $0.old() },
        [Snack(1, "a", price: 2, tags: ["x"]), Snack(2, "b"), nil])
      try context.expectEqual(
        try rows.map { try $0.new() },
        [Snack(1, "a", price: 3, tags: ["x"]), nil, Snack(3, "c", stock: 7)])
      try context.expectEqual(try rows[0].oldValue(\.price), 2)
      try context.expectEqual(try rows[0].value(\.price), 3)
      try context.expect(rows[0].changes(\.price) && !rows[0].changes(\.name), "the price alone")
      try context.expect(rows[1].changes(\.name), "a delete concerns all attributes")
      let entity = try context.unwrap(set[entity: "Snack"], "the entity")
      try context.expectEqual(try entity.rows[0].old(as: Snack.self)?.price, 2)
      try context.expectEqual(entity.rows[2].new?["stock"], .int(7))
      try context.expectError(.decoding) { try entity.rows[0].new(as: Vehicle.self) }
      let data = try JSONEncoder().encode(set)
      let decoded = try JSONDecoder().decode(ChangeSet.self, from: data)
      try context.expectEqual(decoded.entities, set.entities, "decoded")
      try context.expectEqual(decoded.commit.number, set.commit.number)
      try context.expectEqual(try decoded[Snack.self].rows[2].value(\.stock), 7)
    },
    ConformanceCase("each listener gets the level that it asked for", "11.1", "11.3") { context in
      let store = try context.open(Snack.self, Word.self)
      try store.insert(Snack(1, "a"))
      var stock = 0
      func changes(_ levels: [ChangeLevel]) throws -> [[ChangeSet]] {
        stock += 1
        let all = try levels.map { try ChangeSets(store, of: ["Snack"], level: $0) }
        try store.patch(Snack.self, 1) { [stock] in $0.stock = stock }
        return all.map { $0.take() }
      }
      let together = try changes(ChangeLevel.allCases)
      let alone = try ChangeLevel.allCases.map { try changes([$0])[0] }
      for (level, sets) in zip(ChangeLevel.allCases, together) {
        let rows = try context.unwrap(sets.first, "\(level)").entities[0].rows
        try context.expectEqual(
          alone[level.rawValue].first?.entities[0].rows.map(\.kind), rows.map(\.kind), "\(level)")
        try context.expectEqual(rows.count, level == .entities ? 0 : 1, "\(level)")
        if level == .entities { continue }
        try context.expectEqual(rows[0].key, [.int(1)], "\(level)")
        try context.expectEqual(rows[0].attributes, level < .attributes ? [] : ["stock"])
        try context.expectEqual(rows[0].old != nil, level == .values, "\(level)")
        try context.expectEqual(
          alone[level.rawValue][0].entities[0].rows[0].attributes, rows[0].attributes)
      }
      let other = try ChangeSets(store, of: ["Word"], level: .values)
      try store.deleteAll(Snack.self)
      try context.expectEqual(other.lines(), [], "another entity")
    },
    ConformanceCase("a set is the net effect of its commit", "11.1", "11.2") { context in
      for level in ChangeLevel.allCases.dropFirst() {
        let store = try context.open(Snack.self)
        try store.insert((1...6).map { Snack($0, "n\($0)", stock: 0) })
        let sets = try ChangeSets(store, level: level)
        try store.write { tx in
          try tx.insert(Snack(9, "new"))
          try tx.delete(Snack.self, id: 9)
          try tx.patch(Snack.self, 1) { $0.stock = 1 }
          try tx.patch(Snack.self, 1) { $0.name = "m" }
          try tx.update(Snack.all.where { $0.id == 2 }) { $0.stock = 5 }
          try tx.save(Snack(2, "n2", stock: 0))
          try tx.delete(Snack.self, id: 3)
          try tx.insert(Snack(3, "n3", stock: 0))
          try tx.delete(Snack.self, id: 4)
          try tx.insert(Snack(4, "other", stock: 0))
          try tx.patch(Snack.self, 5) { $0.stock = 1 }
          try tx.delete(Snack.self, id: 5)
          try tx.insert(Snack(8, "a"))
          try tx.patch(Snack.self, 8) { $0.name = "b" }
        }
        let attributes = level >= .attributes
        try context.expectEqual(
          sets.lines(),
          [
            "Snack updated 1" + (attributes ? " name,stock" : ""),
            "Snack updated 4" + (attributes ? " name" : ""), "Snack deleted 5",
            "Snack inserted 8",
          ], "\(level)")
        try store.write { tx in
          try tx.patch(Snack.self, 1) { $0.stock = 8 }
          try tx.patch(Snack.self, 1) { $0.stock = 1 }
        }
        try context.expectEqual(sets.lines(), [], "\(level): nothing in the end")
      }
    },
    ConformanceCase("changes that are undone are in no set", "11.2") { context in
      for level in [ChangeLevel.keys, .values] {
        let store = try context.open(Snack.self)
        try store.insert([Snack(1, "a"), Snack(2, "b")])
        let sets = try ChangeSets(store, level: level)
        try store.write { tx in
          try tx.delete(Snack.self, id: 1)
          try? tx.savepoint { inner in
            try inner.insert(Snack(3))
            try inner.deleteAll(Snack.self)
            throw StoreError(.invalidValue, "undo")
          }
          _ = try? tx.savepoint { inner in try inner.insert([Snack(4), Snack(2)]) }
          try tx.savepoint { inner in try inner.insert(Snack(5)) }
        }
        try context.expectEqual(sets.lines(), ["Snack deleted 1", "Snack inserted 5"], "\(level)")
        try? store.write { tx in
          try tx.insert(Snack(7))
          throw StoreError(.invalidValue, "undo")
        }
        _ = try? store.insert([Snack(8), Snack(2)])
        try store.save(Snack(5))
        try context.expectEqual(sets.lines(), [], "\(level): no commit")
      }
    },
    ConformanceCase("beyond the maximum of changes, an entity reports everything", "11.1") {
      context in
      var options = StoreOptions()
      options.maximumChanges = 3
      let store = try context.open(Snack.self, Word.self, options: options)
      let sets = try ChangeSets(store, level: .keys)
      try store.insert((1...3).map { Snack($0) })
      try context.expectEqual(sets.lines().count, 3)
      try store.insert((4...7).map { Snack($0) })
      try context.expectEqual(sets.lines(), ["Snack everything"])
      try store.update(Snack.all) { $0.stock = 1 }
      try context.expectEqual(sets.lines(), ["Snack everything"])
      try store.write { tx in
        try? tx.savepoint { inner in
          try inner.delete(Snack.all.where { $0.id > 0 })
          throw StoreError(.invalidValue, "undo")
        }
        try tx.delete(Snack.self, id: 7)
      }
      try context.expectEqual(sets.lines(), ["Snack deleted 7"])
      try store.delete(Snack.all.where { $0.id > 0 })
      try context.expectEqual(sets.lines(), ["Snack everything"])
    },
    ConformanceCase("a set names its commit and its author", "11.1", "11.2") { context in
      var options = StoreOptions()
      options.author = "store"
      let store = try context.open(Snack.self, options: options)
      let sets = try ChangeSets(store, level: .entities)
      let before = Date()
      try store.insert(Snack(1))
      try Persistence.withAuthor("import") { try store.insert(Snack(2)) }
      try store.insert(Snack(3))
      let taken = sets.take()
      try context.expectEqual(taken.map(\.commit.author), ["store", "import", "store"])
      let numbers = taken.map(\.commit.number)
      try context.expectEqual(numbers, (0..<3).map { numbers[0] + $0 })
      try context.expect(
        taken.allSatisfy { !$0.commit.isFromOtherProcess }
          && taken.allSatisfy { $0.commit.timestamp >= before && $0.commit.timestamp <= Date() },
        "of this process, now")
    },
  ]
}
