internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Section 11: change sets of relationships, delete rules, derived attributes, subentities and soft
  /// deletes.
  static let changePaths: [ConformanceCase] = [
    ConformanceCase("links of a join entity are reported to both sides", "11.1", "11.3") {
      context in
      let store = try context.open(Crew.self, Sailor.self, Port.self)
      let sets = try ChangeSets(store, level: .keys)
      try store.save(Crew(1, sailors: [Sailor(1)], ports: [Port(7), Port(8)]))
      try context.expectEqual(
        sets.lines(),
        [
          "Crew inserted 1", "Crew linked 1 ports 7", "Crew linked 1 ports 8",
          "Sailor inserted 1", "Port inserted 7", "Port linked 7 crews 1", "Port inserted 8",
          "Port linked 8 crews 1",
        ])
      try store.remove(Port(7), from: Crew(1), \.ports)
      try context.expectEqual(sets.lines(), ["Crew unlinked 1 ports 7", "Port unlinked 7 crews 1"])
      try store.delete(Port.self, id: 8)
      try context.expectEqual(
        sets.lines(), ["Crew unlinked 1 ports 8", "Port deleted 8", "Port unlinked 8 crews 1"])
    },
    ConformanceCase("graphs, to-ones and delete rules are in the set", "11.1", "11.3") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let sets = try ChangeSets(store, of: ["Team", "Player"], level: .attributes)
      try store.save(Team(0, "Reds", players: [Player(1), Player(2)]))
      try context.expectEqual(
        sets.lines(), ["Team inserted 1", "Player inserted 1", "Player inserted 2"])
      try store.save(Team(0, "Blues", players: [Player(1)]))
      try context.expectEqual(sets.lines(), ["Team inserted 2", "Player updated 1 team_id"])
      try store.delete(Team.self, id: 2)
      try context.expectEqual(sets.lines(), ["Team deleted 2", "Player updated 1 team_id"])
      let beasts = try context.open(Beast.self, BeastTag.self, Den.self, Lion.self, Cub.self)
      try beasts.save(Beast(1, "ox", tags: [BeastTag(1), BeastTag(2)]))
      let cascades = try ChangeSets(beasts, level: .keys)
      try beasts.delete(Beast.self, id: 1)
      try context.expectEqual(
        cascades.lines(), ["Beast deleted 1", "BeastTag deleted 1", "BeastTag deleted 2"])
    },
    ConformanceCase("derived and managed attributes are in the set", "11.1", "11.3", "4.4") {
      context in
      let store = try context.open(Schema.guilds)
      try store.save([Guild(1, "a"), Guild(2, "b")])
      let sets = try ChangeSets(store, of: ["Guild"], level: .values)
      try store.insert(Fellow(0, 5, guild: .key(1)))
      let first = try context.unwrap(sets.take().first, "the set")[Guild.self].rows
      try context.expectEqual(try first.map { try $0.id }, [1])
      try context.expect(
        first[0].changes(\.memberCount) && first[0].changes(\.points)
          && !first[0].changes(\.title), "the derived attributes")
      try context.expectEqual(try first[0].oldValue(\.memberCount), 0)
      try context.expectEqual(try first[0].value(\.memberCount), 1)
      try store.update(Fellow.all) { $0.points = 9 }
      let second = try context.unwrap(sets.take().first, "the set")[Guild.self].rows
      try context.expectEqual(try second.map { try $0.value(\.points) }, [9])
      try store.deleteAll(Fellow.self)
      let third = try context.unwrap(sets.take().first, "the set")[Guild.self].rows
      try context.expectEqual(try third.map { try $0.value(\.memberCount) }, [0])
    },
    ConformanceCase("rows are reported by their own entity", "11.1", "11.3", "5.11") { context in
      let store = try context.openVehicles()
      let sets = try ChangeSets(store, level: .values)
      try store.write { tx in
        try tx.insert(Vehicle(9, "cart"))
        try tx.update(Vehicle.all.where { $0.id.isIn([1, 3]) }) { $0.wheels = 5 }
        try tx.patch(Car.self, 2) { $0.doors = 1 }
        try tx.delete(Vehicle.self, id: 4)
      }
      let set = try context.unwrap(sets.take().first, "the set")
      try context.expectEqual(
        set.words,
        [
          "Vehicle updated 1 wheels", "Vehicle inserted 9", "Car updated 2 doors",
          "SportsCar updated 3 wheels", "Truck deleted 4",
        ])
      let cars = set[Car.self].rows
      try context.expectEqual(try cars.map { try $0.id }, [2, 3])
      try context.expectEqual(try cars[0].old()?.doors, 3)
      try context.expectEqual(try cars[1].new()?.plate, "B")
      try context.expectEqual(try set[SportsCar.self].rows.map { try $0.value(\.speed) }, [310])
      try context.expectEqual(
        try set[Vehicle.self].rows.map { try $0.id }, [1, 2, 3, 4, 9])
      let only = try ChangeSets(store, of: ["Car"], level: .keys)
      try store.update(Vehicle.all) { $0.wheels = 8 }
      try context.expectEqual(
        only.lines(), ["Car updated 2", "Car updated 5", "SportsCar updated 3"])
      try store.deleteAll(Vehicle.self)
      try context.expectEqual(only.lines(), ["Car everything", "SportsCar everything"])
    },
    ConformanceCase("soft deletes are reported as hidden and restored", "11.1", "11.3", "5.9") {
      context in
      for level in [ChangeLevel.keys, .attributes] {
        let store = try context.open(Sketch.self)
        try store.save((1...4).map { Sketch(Int64($0), "d\($0)") })
        let sets = try ChangeSets(store, level: level)
        let attributes = level == .keys ? "" : " deletedAt"
        try store.delete(Sketch.self, id: 1)
        try store.delete(Sketch.all.where { $0.id < 3 })
        try context.expectEqual(
          sets.lines(), ["Sketch hidden 1" + attributes, "Sketch hidden 2" + attributes])
        try store.restore(Sketch.where { $0.id == 1 })
        try context.expectEqual(sets.lines(), ["Sketch restored 1" + attributes])
        try store.purge(Sketch.all)
        try context.expectEqual(sets.lines(), ["Sketch deleted 2"])
        try store.write { tx in
          try tx.delete(Sketch.self, id: 3)
          try tx.restore(Sketch.where { $0.id == 3 })
        }
        try context.expectEqual(sets.lines(), [], "hidden and restored at once")
      }
    },
  ]

  /// Section 11: the stream, and commits of several operations.
  static let changeStreams: [ConformanceCase] = [
    ConformanceCase(async: "a stream gives each commit once, in order", "11.1", "11.2") { context in
      let store = try context.open(Snack.self)
      var changes = store.changes(of: Snack.self, level: .values).makeAsyncIterator()
      for number in Int64(1)...3 { try await store.insert(Snack(number)) }
      var numbers: [UInt64] = []
      for number in Int64(1)...3 {
        let set = try context.unwrap(try await changes.next(), "set \(number)")
        try context.expectEqual(try set[Snack.self].rows.map { try $0.id }, [number])
        numbers.append(set.commit.number)
      }
      try context.expectEqual(numbers, numbers.sorted())
      var unknown = store.changes(of: Vehicle.self).makeAsyncIterator()
      do {
        _ = try await unknown.next()
        throw context.failure("another schema", expected: "unknownEntity", got: "no error")
      } catch let error as StoreError {
        try context.expectEqual(error.code, .unknownEntity)
      }
    },
    ConformanceCase(async: "a stream that is not read keeps no more than its capacity", "11.2") {
      context in
      var options = StoreOptions()
      options.durability = .off
      let store = try context.open(Snack.self, Word.self, options: options)
      var changes = store.changes().makeAsyncIterator()
      try await offThePool {
        for number in Int64(1)...1_030 { try store.insert(Snack(number)) }
        // Sets are delivered on a queue, which lags on a loaded machine.
        store.runtime.transactions.drainNotices()
      }
      let first = try context.unwrap(try await changes.next(), "the first set")
      try context.expectEqual(first.words, ["Snack everything", "Word everything"])
      var last = first.commit.number
      for number in Int64(1_026)...1_030 {
        let set = try context.unwrap(try await changes.next(), "set \(number)")
        try context.expectEqual(set.words, ["Snack inserted \(number)"])
        try context.expectEqual(set.commit.number, last + 1)
        last = set.commit.number
      }
    },
    ConformanceCase(async: "a stream ends with its task and with the store", "11.2") { context in
      let store = try context.open(Snack.self)
      var lasting = store.changes().makeAsyncIterator()
      let task = Task {
        var count = 0
        for try await _ in store.changes(of: Snack.self) { count += 1 }
        return count
      }
      try await Task.sleep(for: .milliseconds(30))
      task.cancel()
      try context.expectEqual(try await task.value, 0, "cancelled")
      try await store.insert(Snack(1))
      try await offThePool { try store.close() }
      try context.expectEqual(try await lasting.next()?.words, ["Snack inserted 1"])
      try context.expect(try await lasting.next() == nil, "the end")
      var late = store.changes().makeAsyncIterator()
      do {
        _ = try await late.next()
        throw context.failure("a closed store", expected: "closed", got: "no error")
      } catch let error as StoreError {
        try context.expectEqual(error.code, .closed)
      }
    },
    ConformanceCase(async: "a group commit is one set", "11.1", "11.2", "6.8") { context in
      var options = StoreOptions()
      // The machine's load is not to decide how many share the commit.
      options.joining = .seconds(10)
      let store = try context.open(Snack.self, options: options)
      // In a store with many writers a block has a commit of its own.
      guard store.runtime.concurrentWriters == nil else { return }
      try await store.save(Snack(0))
      let sets = try ChangeSets(store)
      let outcomes = Outcomes<Snack>(5)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(100)) } }
      for number in Int64(1)...5 {
        // The third is refused, and the others are committed together.
        store.write(rows: 64, on: outcomes.queue) {
          try $0.insert(Snack(number == 3 ? 0 : number))
        } completion: {
          outcomes.note($0)
        }
      }
      try await offThePool { try held.finish() }
      _ = try await offThePool { try outcomes.all() }
      let taken = sets.take()
      try context.expectEqual(
        taken.map(\.words),
        [
          ["Snack inserted 100"],
          ["Snack inserted 1", "Snack inserted 2", "Snack inserted 4", "Snack inserted 5"],
        ])
    },
    ConformanceCase(
      async: "a listener that comes while a write runs learns that anything may have changed",
      "11.1", "11.2"
    ) { context in
      let store = try context.open(Snack.self)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1)) } }
      let sets = try ChangeSets(store, level: .keys)
      try await offThePool { try held.finish() }
      try await store.save(Snack(2))
      try context.expectEqual(sets.lines(), ["Snack everything", "Snack inserted 2"])
    },
  ]
}
