internal import FoundationEssentials
internal import ORM
internal import ORMCore

/// A store with the models of ventures.
struct VentureSetup: StoreSetup {
  let context: ConformanceContext
  let store: any Store

  static let models: [any Persistable.Type] = [
    Venture.self, Chore.self, Stage.self, Jotting.self, Sticker.self, Leader.self, Patron.self,
    Deed.self,
  ]

  init(_ context: ConformanceContext, _ changes: LinkSetup.Change...) throws {
    self.context = context
    store = try LinkSetup(context, Self.models, changes: changes).store
  }

  /// Ventures 1 and 2 of client 1; 1 with the chores 11, 12, 13, the stages 111, 112 of 11 and 121 of
  /// 12, the memo 1; 2 with the chore 21.
  func fill() throws {
    try store.insert([Patron(1), Patron(2)])
    try store.insert([Venture(1, "one", client: .key(1)), Venture(2, "two", client: .key(1))])
    try store.insert([11, 12, 13].map { Chore($0, venture: .key(1)) })
    try store.insert(Chore(21, venture: .key(2)))
    try store.insert([Stage(111, chore: .key(11)), Stage(112, chore: .key(11))])
    try store.insert([Stage(121, chore: .key(12)), Stage(999)])
    try store.insert([Jotting(1, venture: .key(1)), Jotting(2, venture: .key(2))])
    try store.insert([Deed(1, client: 1), Deed(2, client: 1), Deed(3, client: 2)])
  }

  func expectSound(file: String = #fileID, line: Int = #line) throws {
    let report = try store.check(decoding: Self.models)
    try context.expect(report.isSound, "\(report)", file: file, line: line)
  }
}

extension ConformanceCase {
  /// Clause 5.7 for rows that are hidden.
  static let softDeleteRules: [ConformanceCase] = [
    ConformanceCase(
      "cascade hides what has a soft delete, leaves the rest, and a restore brings all back", "5.7",
      "2.9", "5.9"
    ) { context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try context.expectEqual(try store.delete(Stage.self, id: 112), true)
      try context.expectEqual(try store.delete(Chore.self, id: 13), true)
      try context.expectEqual(try store.delete(Venture.self, id: 1), true)
      try setup.expect(Venture.self, [2], hidden: [1])
      try setup.expect(Chore.self, [21], hidden: [11, 12, 13])
      try setup.expect(Stage.self, [999], hidden: [111, 112, 121])
      try setup.expect(Jotting.self, [1, 2])
      try context.expectEqual(try store.count(Jotting.all.where { $0.venture.name == "one" }), 0)
      let timestamps = Set(
        try store.fetch(Chore.all.onlyDeleted().where { $0.id < 13 }).compactMap(\.deletedAt)
          + store.fetch(Venture.all.onlyDeleted()).compactMap(\.deletedAt))
      try context.expectEqual(timestamps.count, 1, "one timestamp")
      try setup.expectSound()
      try context.expectEqual(try store.restore(Venture.where { $0.id == 1 }), 1)
      try setup.expect(Venture.self, [1, 2])
      try setup.expect(Chore.self, [11, 12, 21], hidden: [13])
      try setup.expect(Stage.self, [111, 121, 999], hidden: [112])
      try context.expectEqual(try store.count(Jotting.all.where { $0.venture.name == "one" }), 1)
      try context.expectEqual(try store.count(Chore.all.where { $0.venture.name == "one" }), 2)
      try setup.expectSound()
    },
    ConformanceCase("a row that requires a hidden row is not restored without it", "5.7", "5.9") {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.delete(Venture.self, id: 1)
      let error = try context.expectError(
        .missingTarget, entity: "Chore", attributes: ["venture"], key: [.int(11)],
        values: [.int(1)]
      ) { try store.restore(Chore.where { $0.id == 11 }) }
      try context.expect(error.message.contains("soft-deleted"), error.message)
      try setup.expect(Chore.self, [21], hidden: [11, 12, 13])
      // A row with an optional link is restored alone, and its link leads to a hidden row.
      try context.expectEqual(try store.restore(Stage.all.where { $0.id == 111 }), 1)
      try context.expectEqual(try store.find(Stage.self, 111)?.chore.id, 11)
      try context.expectEqual(
        try store.restore(Venture.all.where { $0.name == "one" }), 1)
      try setup.expect(Chore.self, [11, 12, 13, 21])
      try setup.expect(Stage.self, [111, 112, 121, 999])
    },
    ConformanceCase("deny looks at what is visible and would remain", "5.7", "5.9") { context in
      let setup = try VentureSetup(context, .rule("Venture.chores", .deny))
      let store = setup.store
      try setup.fill()
      try context.expectError(.denied, entity: "Venture", attributes: ["chores"]) {
        try store.delete(Venture.self, id: 2)
      }
      try setup.expect(Venture.self, [1, 2])
      try store.delete(Chore.self, id: 21)
      try context.expectEqual(try store.delete(Venture.self, id: 2), true)
      try setup.expect(Venture.self, [1], hidden: [2])
      try context.expectEqual(try store.restore(Venture.where { $0.id == 2 }), 1)
      try setup.expect(Chore.self, [11, 12, 13], hidden: [21])
      try store.delete(Venture.self, id: 2)
      // The hidden chore must lead to the venture: it goes for good with it.
      try context.expectEqual(try store.purge(Venture.where { $0.id == 2 }), 1)
      try setup.expect(Chore.self, [11, 12, 13])
      try setup.expect(Jotting.self, [1])
      try setup.expectSound()
    },
    ConformanceCase(
      "a deleted row takes its key from hidden rows, and those along that require it", "5.7",
      "5.9"
    ) { context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.delete(Deed.self, id: 2)
      try store.delete(Venture.self, id: 2)
      try context.expectEqual(try store.delete(Patron.self, id: 1), true)
      try setup.expect(Patron.self, [2])
      try setup.expect(Deed.self, [3])
      try setup.expect(Venture.self, [], hidden: [1, 2])
      try setup.expect(Chore.self, [], hidden: [11, 12, 13, 21])
      try context.expectEqual(
        try store.fetch(Venture.all.includingDeleted()).map(\.client.id), [nil, nil])
      try setup.expectSound()
      try context.expectEqual(try store.restore(Venture.all), 2)
      try setup.expect(Chore.self, [11, 12, 13, 21])
      try setup.expectSound()
    },
    ConformanceCase("a purge follows the delete rules to the end", "5.7", "5.9") { context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.save(Sticker("s", ventures: .keys([1, 2])))
      try store.save(Leader(1, venture: .key(1)))
      try store.delete(Venture.self, id: 1)
      try context.expectEqual(try store.restore(Stage.where { $0.id == 121 }), 1)
      try context.expectEqual(try store.purge(Venture.all), 1)
      try setup.expect(Venture.self, [2])
      try setup.expect(Chore.self, [21])
      // A visible stage is hidden as by a delete, and leads nowhere.
      try setup.expect(Stage.self, [999], hidden: [121])
      try context.expectEqual(try store.fetch(Stage.all.onlyDeleted())[0].chore.id, nil)
      try setup.expect(Jotting.self, [2])
      try context.expectEqual(try store.find(Leader.self, 1)?.venture.id, nil)
      let sticker = try store.one(Sticker.all.prefetch(\.ventures))
      try context.expectEqual(sticker?.ventures.ids, [2])
      try setup.expectSound()
    },
    ConformanceCase("counts are of visible targets", "5.6", "5.7", "5.9") { context in
      let setup = try VentureSetup(
        context, .count("Venture.chores", 1, 3), .count("Chore.stages", 0, 2))
      let store = setup.store
      try store.write { tx in
        try tx.save(Venture(1, chores: [Chore(11, venture: .notLoaded)]))
        try tx.save(Chore(12, venture: .key(1)))
        try tx.save(Chore(13, venture: .key(1)))
      }
      try context.expectError(.validationFailed) { try store.save(Chore(14, venture: .key(1))) }
      try context.expectError(.validationFailed) { try store.delete(Chore.all) }
      try context.expectEqual(try store.delete(Chore.self, ids: [11, 12]), 2)
      try context.expectError(.validationFailed, entity: "Venture", attributes: ["chores"]) {
        try store.delete(Chore.self, id: 13)
      }
      try store.save([Chore(14, venture: .key(1)), Chore(15, venture: .key(1))])
      try context.expectError(.validationFailed, entity: "Venture", attributes: ["chores"]) {
        try store.restore(Chore.where { $0.id == 12 })
      }
      try setup.expect(Chore.self, [13, 14, 15], hidden: [11, 12])
      // All of them go with their venture, and come back with it.
      try store.delete(Venture.self, id: 1)
      try setup.expectSound()
      try context.expectEqual(try store.restore(Venture.all), 1)
      try setup.expect(Chore.self, [13, 14, 15], hidden: [11, 12])
      try setup.expectSound()
    },
    ConformanceCase(
      "a check takes hidden rows for rows, and a copy copies them", "7.3", "5.9", "7.8", "7.7"
    ) {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.delete(Venture.all)
      let report = try store.check(decoding: VentureSetup.models)
      try context.expect(report.isSound, "\(report)")
      try context.expectEqual(report.rows.first { $0.entity == "Chore" }?.count, 4)
      let other = try VentureSetup(context)
      try StoreCopy(from: store, to: other.store).run()
      try other.expect(Chore.self, [], hidden: [11, 12, 13, 21])
      try context.expectError(.notEmpty) { try StoreCopy(from: store, to: other.store).run() }
      try context.expectEqual(try other.store.restore(Venture.all), 2)
      try other.expect(Stage.self, [111, 112, 121, 999])
    },
  ]
}
