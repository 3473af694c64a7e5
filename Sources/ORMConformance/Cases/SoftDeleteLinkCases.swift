internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 2.7 to 2.9 and 5.8 for rows that are hidden.
  static let softDeleteLinks: [ConformanceCase] = [
    ConformanceCase(
      "conditions and orders over relationships do not see hidden rows", "2.7", "2.9", "5.9"
    ) {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.save([
        Sticker("a", ventures: .keys([1, 2])), Sticker("b", ventures: .keys([2])),
      ])
      func ids(_ query: Query<Venture>) throws -> [Int64] { try store.fetch(query).map(\.id) }
      try store.delete(Chore.self, ids: [12, 21])
      try store.delete(Sticker.self, id: "b")
      let ventures = Venture.all
      try context.expectEqual(try ids(ventures.where { $0.chores.any { $0.id == 12 } }), [])
      try context.expectEqual(try ids(ventures.where { $0.chores.any { $0.effort == 1 } }), [1])
      try context.expectEqual(try ids(ventures.where { $0.chores.count == 0 }), [2])
      try context.expectEqual(try ids(ventures.where { $0.chores.sum(\.effort) == 2 }), [1])
      try context.expectEqual(try ids(ventures.where { $0.chores.all { $0.id == 0 } }), [2])
      try context.expectEqual(try ids(ventures.where { $0.stickers.count == 1 }), [1, 2])
      try context.expectEqual(
        try ids(ventures.where(Filter(format: "SUBQUERY(chores, $c, $c.id > 11).@count == 1"))),
        [1])
      try context.expectEqual(
        try ids(ventures.where(Filter(format: "ANY chores.stages.id > 0"))), [1])
      try context.expectEqual(
        try ids(ventures.sorted(by: .ascending { $0.chores.count })), [2, 1])
      try context.expectEqual(
        try store.fetch(ventures.select { ($0.id, $0.chores.count) }).map(\.1), [2, 0])
      // With related rows all of them are seen.
      let whole = ventures.includingDeleted(related: true)
      try context.expectEqual(try ids(whole.where { $0.chores.count == 3 }), [1])
      try context.expectEqual(try ids(whole.where { $0.chores.any { $0.id == 21 } }), [2])
      try context.expectEqual(try ids(whole.where { $0.stickers.count == 2 }), [2])
      // A way through a hidden row leads nowhere.
      try store.delete(Venture.self, id: 1)
      try context.expectEqual(
        try store.fetch(Jotting.all.where { $0.venture.name == "one" }).map(\.id), [])
      try context.expectEqual(
        try store.fetch(Jotting.all.where { $0.venture.name == nil }).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(Jotting.all.sorted(by: .ascending { $0.venture.name })).map(\.id), [1, 2])
      try context.expectEqual(
        try store.fetch(Jotting.all.sorted(by: .descending { $0.venture.name })).map(\.id), [2, 1])
      try context.expectEqual(
        try store.fetch(Jotting.all.where(Filter(format: "venture == 1"))).map(\.id), [])
      try context.expectEqual(
        try store.fetch(Jotting.all.where(Filter(format: "venture IN {1, 2}"))).map(\.id), [2])
      try context.expectEqual(
        try store.fetch(Stage.all.where(Filter(format: "chore.venture.name == 'two'"))).map(\.id),
        [])
      try context.expectEqual(
        try store.fetch(
          Jotting.all.includingDeleted(related: true).where { $0.venture.name == "one" }
        ).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(Patron.all.where { $0.ventures.count == 1 }).map(\.id), [1])
    },
    ConformanceCase(
      "loads and prefetches give visible rows, and keys stay", "2.9", "5.8", "5.9"
    ) {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.save([
        Sticker("a", ventures: .keys([1, 2])), Sticker("b", ventures: .keys([1])),
      ])
      try store.save(Leader(1, venture: .key(2)))
      try store.delete(Chore.self, id: 12)
      try store.delete(Sticker.self, id: "b")
      let query = Venture.all.prefetch(\.chores, \.stickers, \.leader)
      let one = try store.fetch(query)[0]
      try context.expectEqual(one.chores.ids, [11, 13])
      try context.expectEqual(one.stickers.ids, ["a"])
      try context.expectEqual(try store.load(one, \.chores).map(\.id), [11, 13])
      let stages = try store.fetch(
        Stage.all.includingDeleted().where { $0.id == 121 }.prefetch(\.chore))
      try context.expectEqual(stages.map(\.chore.id), [12])
      try context.expectEqual(stages.map { $0.chore.loaded?.id }, [nil])
      let whole = try store.fetch(query.includingDeleted(related: true))[0]
      try context.expectEqual(whole.chores.ids, [11, 12, 13])
      try context.expectEqual((whole.stickers.ids ?? []).sorted(), ["a", "b"])
      try store.delete(Leader.self, id: 1)
      try context.expectEqual(try store.fetch(query)[1].leader.loaded?.id, nil)
      try context.expectEqual(
        try store.fetch(query.includingDeleted(related: true))[1].leader.loaded?.id, 1)
      let hidden = try context.unwrap(
        try store.one(Chore.all.onlyDeleted().prefetch(\.venture)), "a hidden row")
      try context.expectEqual(hidden.venture.loaded?.name, "one")
    },
    ConformanceCase("saves neither lose nor bring back links to hidden rows", "5.8", "5.9") {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.save([
        Sticker("a", ventures: .keys([1])), Sticker("b", ventures: .keys([1])), Sticker("c"),
      ])
      try store.delete(Stage.self, id: 112)
      try store.delete(Sticker.self, id: "b")
      // A to-many that was set replaces the visible ones.
      var chore = try context.unwrap(try store.find(Chore.self, 11), "a chore")
      chore.stages = .keys([999])
      try store.save(chore)
      try context.expectEqual(try store.load(chore, \.stages).map(\.id), [999])
      try store.restore(Stage.where { $0.id == 112 })
      try context.expectEqual(try store.load(chore, \.stages).map(\.id), [112, 999])
      var venture = try context.unwrap(try store.find(Venture.self, 1), "a venture")
      venture.stickers = .keys(["c"])
      try store.save(venture)
      try context.expectEqual(try store.load(venture, \.stickers).map(\.id), ["c"])
      venture.stickers = []
      try store.save(venture)
      try store.restore(Sticker.where { $0.id == "b" })
      try context.expectEqual(try store.load(venture, \.stickers).map(\.id), ["b"])
      // A fetched object that leads to a hidden row keeps the key.
      var stage = try context.unwrap(try store.find(Stage.self, 121), "a stage")
      try store.delete(Chore.self, id: 12)
      try setup.expect(Stage.self, [111, 112, 999], hidden: [121])
      stage = try context.unwrap(
        try store.one(Stage.all.onlyDeleted().prefetch(\.chore)), "a hidden stage")
      stage.deletedAt = nil
      try store.save(stage)
      try context.expectEqual(try store.find(Stage.self, 121)?.chore.id, 12)
      try context.expectEqual(try store.save([stage]).unchanged, 1)
      try context.expectEqual(try store.restore(Chore.where { $0.id == 12 }), 1)
      try context.expectEqual(
        try store.fetch(Stage.all.where { $0.chore.id == 12 }).map(\.id), [121])
      try setup.expectSound()
    },
    ConformanceCase(
      "links by key to hidden rows are links to what does not exist", "5.8", "2.9", "5.9"
    ) {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.delete(Venture.self, id: 2)
      try store.delete(Stage.self, id: 999)
      try context.expectError(.missingTarget, entity: "Jotting", attributes: ["venture"]) {
        try store.save(Jotting(9, venture: .key(2)))
      }
      try context.expectError(.missingTarget) { try store.save([Jotting(9, venture: .key(2))]) }
      try context.expectError(.missingTarget) {
        try store.update(Jotting.all.where { $0.id == 1 }) { $0.venture = .key(2) }
      }
      var chore = try context.unwrap(try store.find(Chore.self, 11), "a chore")
      chore.stages = .keys([111, 999])
      try context.expectError(.missingTarget) { try store.save(chore) }
      try context.expectError(.missingTarget) { try store.attach([999], to: 11, \Chore.stages) }
      try context.expectError(.notFound) { try store.attach([111], to: 21, \Chore.stages) }
      try context.expectEqual(try store.detach([999, 111], from: 11, \Chore.stages), 1)
      // A row that has the key keeps it.
      let memo = try context.unwrap(try store.find(Jotting.self, 2), "a memo")
      try context.expectEqual(memo.venture.id, 2)
      try store.save(Jotting(2, venture: .key(2)))
      try store.save([Jotting(2, venture: .key(2))])
      try setup.expectSound()
    },
    ConformanceCase("a one-to-one that a hidden row holds moves", "5.8", "5.9") { context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try store.insert([Venture(1), Venture(2)])
      try store.insert([Leader(1, venture: .key(1)), Leader(2), Leader(3), Leader(4)])
      func referrers() throws -> [Int64?] {
        try store.fetch(Leader.all.includingDeleted()).map(\.venture.id)
      }
      try store.delete(Leader.self, id: 1)
      var venture = try context.unwrap(try store.find(Venture.self, 1), "a venture")
      // A venture without a new leader stays linked to the hidden one.
      venture.leader = nil
      try store.save(venture)
      try context.expectEqual(try referrers(), [1, nil, nil, nil])
      venture.leader = .key(2)
      try store.save(venture)
      try context.expectEqual(try referrers(), [nil, 1, nil, nil])
      try store.delete(Leader.self, id: 2)
      try store.save(Leader(3, venture: .key(1)))
      try context.expectEqual(try referrers(), [nil, nil, 1, nil])
      try store.delete(Leader.self, id: 3)
      try store.update(Leader.all.where { $0.id == 4 }) { $0.venture = .key(1) }
      try context.expectEqual(try referrers(), [nil, nil, nil, 1])
      try context.expectEqual(try store.restore(Leader.all), 3)
      try setup.expectSound()
    },
  ]
}
