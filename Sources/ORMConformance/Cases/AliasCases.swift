internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.5 and 10.10: programs of the version before, beside renames that keep an alias.
  static let aliases: [ConformanceCase] = [
    ConformanceCase(
      "a program of the version before goes on under names with an alias", "10.5", "10.10"
    ) { context in
      var store = try context.open(try cups(version: 1))
      try store.addCup(["id": .int(1), "size": .int(5), "label": .string("one")])
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameAttribute("size", to: "width", in: "Cup", alias: true),
            .renameAttribute("label", to: "title", in: "Cup", alias: true),
            .addAttribute("double", .int64, in: "Cup", default: .int(0)),
            .set("double", in: "Cup", to: "width * 2"),
          ])
      ])
      let newer = try cups("width", "title", double: true, version: 2)
      store = try context.reopen(store, newer, options: .migrating(plan))
      try store.addCup(["id": .int(2), "width": .int(6), "title": .string("two")])
      for turn in 1...2 as ClosedRange<Int64> {
        // Twice: the older program leaves the aliases to others.
        store = try context.reopen(store, try cups(version: 1))
        try context.expectEqual(store.schema.version, 1)
        let id = 2 + turn
        try store.addCup(["id": .int(id), "size": .int(10 * turn), "label": .string("old \(id)")])
        let sizes = try store.cups().map { $0["size"] }
        try context.expectSame(sizes, ([5, 6, 10, 20] as [Int64]).prefix(Int(id)).map { .int($0) })
        let sorted = try DynamicQuery(
          "Cup", in: store.schema, where: "size >= 6", sortedBy: "label")
        try context.expectSame(
          try store.read { try $0.fetch(sorted) }.map { $0["id"] },
          (turn == 1 ? [3, 2] : [3, 4, 2]).map { .int($0) })
        try context.expectError(.duplicate, entity: "Cup", attributes: ["label"]) {
          try store.addCup(["id": .int(9), "size": .int(1), "label": .string("one")])
        }
        try context.expectError(.validationFailed) {
          try store.addCup(["id": .int(9), "size": .int(-1), "label": .string("nine")])
        }
        try store.write { tx in
          _ = try tx.update(
            DynamicQuery("Cup", where: attribute("size").compare(.equal, int(5))),
            ["label": .value(.string("one"))])
        }
        let faults = try store.check().faults
        try context.expect(faults.isEmpty, "\(faults)")
        // The newer program finds the same rows, with and without its plan.
        store = try context.reopen(
          store, newer, options: turn == 1 ? .migrating(plan) : StoreOptions())
      }
      let rows = try store.cups()
      try context.expectSame(rows.map { $0["width"] }, [5, 6, 10, 20].map { .int($0) })
      try context.expectSame(
        rows.map { $0["title"] }, ["one", "two", "old 3", "old 4"].map { .string($0) })
      try context.expectSame(rows.map { $0["double"] }, [10, 0, 0, 0].map { .int($0) })
      var reading = StoreOptions()
      reading.isReadOnly = true
      store = try context.reopen(store, try cups(version: 1), options: reading)
      try context.expectSame(
        try store.cups().map { $0["size"] }, [5, 6, 10, 20].map { .int($0) }, "read-only")
      // The next version ends them, also one without steps.
      let next = try cups("width", "title", double: true, version: 3)
      store = try context.reopen(store, next)
      for options in [StoreOptions(), reading] {
        let error = try context.expectError(.schemaTooNew) {
          try context.reopen(store, try cups(version: 1), options: options)
        }
        try context.expect(error.message.contains("version 2 and later"), "\(error)")
      }
      store = try context.reopen(store, newer)
      try context.expectEqual(try store.cups().count, 4)
    },
    ConformanceCase("attributes that exchange their names keep aliases", "10.5", "10.10") {
      context in
      func schema(_ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Pair",
              attributes: [
                AttributeDescription("id", .int64), AttributeDescription("a", .int64),
                AttributeDescription("b", .int64),
              ], key: ["id"],
              indexes: [IndexDescription(["a"], isUnique: true), IndexDescription(["b"])])
          ], version: version)
      }
      func values(_ store: any Store) throws -> [[StoredValue]] {
        let rows = try store.read { try $0.fetch(DynamicQuery("Pair")) }
        return rows.map { row in ["id", "a", "b"].map { row[$0] } }
      }
      for steps in [1, 2] {
        var store = try context.open(try schema(1))
        try store.write {
          try $0.insert([DynamicRow("Pair", ["id": .int(1), "a": .int(2), "b": .int(3)])])
        }
        let plan = MigrationPlan([
          .version(
            2,
            [
              .renameAttribute("a", to: "c", in: "Pair", alias: true),
              .renameAttribute("b", to: "a", in: "Pair", alias: steps == 1),
              .renameAttribute("c", to: "b", in: "Pair", alias: true),
            ])
        ])
        let newer = try Schema(
          entities: [
            EntityDescription(
              name: "Pair",
              attributes: [
                AttributeDescription("id", .int64), AttributeDescription("a", .int64),
                AttributeDescription("b", .int64),
              ], key: ["id"],
              indexes: [IndexDescription(["b"], isUnique: true), IndexDescription(["a"])])
          ], version: 2)
        store = try context.reopen(store, newer, options: .migrating(plan))
        try context.expectSame(try values(store).flatMap { $0 }, [.int(1), .int(3), .int(2)])
        if steps == 2 {
          // One of the renames keeps no alias.
          try context.expectError(.schemaTooNew) { try context.reopen(store, try schema(1)) }
          continue
        }
        store = try context.reopen(store, try schema(1))
        try context.expectSame(try values(store).flatMap { $0 }, [.int(1), .int(2), .int(3)])
        try store.write {
          try $0.insert([DynamicRow("Pair", ["id": .int(4), "a": .int(5), "b": .int(6)])])
        }
        try context.expectError(.duplicate, attributes: ["a"]) {
          try store.write {
            try $0.insert([DynamicRow("Pair", ["id": .int(7), "a": .int(5), "b": .int(8)])])
          }
        }
        store = try context.reopen(store, newer)
        try context.expectSame(
          try values(store).flatMap { $0 }, [1, 3, 2, 4, 6, 5].map { .int($0) })
      }
    },
    ConformanceCase(
      "entities and relationships keep aliases, links and derived attributes among them", "10.5",
      "10.10"
    ) { context in
      var store = try context.open(try ClubNames().schema(1))
      try store.write { tx in
        try tx.insert([
          DynamicRow("Team", ["id": .int(1)]), DynamicRow("Team", ["id": .int(2)]),
        ])
        try tx.insert((1...3).map { ClubNames().player($0, score: $0 * 10, team: $0 % 2 + 1) })
        try tx.insert([DynamicRow("Tag", ["id": .int(1)])])
      }
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameEntity("Player", to: "Member", alias: true),
            .renameEntity("Team", to: "Club", alias: true),
            .renameAttribute("score", to: "points", in: "Member", alias: true),
            .renameRelationship("team", to: "club", in: "Member", alias: true),
            .renameRelationship("players", to: "members", in: "Club", alias: true),
            .renameRelationship("tags", to: "marks", in: "Member", alias: true),
          ])
      ])
      let names = ClubNames(
        team: "Club", player: "Member", score: "points", link: "club", back: "members",
        tags: "marks")
      store = try context.reopen(store, try names.schema(2), options: .migrating(plan))
      try context.expectSame(
        try store.totals("Club"), [20, 40].map { .int($0) }, "the sums of the newer program")
      store = try context.reopen(store, try ClubNames().schema(1))
      try store.write { try $0.insert([ClubNames().player(4, score: 100, team: 2)]) }
      try context.expectSame(try store.totals("Team"), [20, 140].map { .int($0) })
      let query = try DynamicQuery(
        "Player", in: store.schema, where: "team.id == 2 AND score > 10", sortedBy: "id")
      try context.expectSame(
        try store.read { try $0.fetch(query) }.map { $0["id"] }, [3, 4].map { .int($0) })
      let some = try DynamicQuery("Team", in: store.schema, where: "ANY players.score > 50")
      try context.expectSame(try store.read { try $0.fetch(some) }.map { $0["id"] }, [.int(2)])
      try store.write { tx in
        _ = try tx.delete(DynamicQuery("Team", where: attribute("id").compare(.equal, int(1))))
      }
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
      store = try context.reopen(store, try names.schema(2), options: .migrating(plan))
      try context.expectSame(try store.totals("Club"), [.int(140)])
      let members = try store.read { try $0.fetch(DynamicQuery("Member")) }
      try context.expectSame(members.map { $0["points"] }, [10, 20, 30, 100].map { .int($0) })
      try context.expectSame(
        members.map { $0["club_id"] }, [.int(2), .null, .int(2), .int(2)], "nullified by the rule")
      let sound = try store.check().faults
      try context.expect(sound.isEmpty, "\(sound)")
      store = try context.reopen(store, try names.schema(3))
      try context.expectError(.schemaTooNew) {
        try context.reopen(store, try ClubNames().schema(1))
      }
    },
    ConformanceCase("a hierarchy keeps aliases of its attributes", "10.5", "10.10") { context in
      var store = try context.open(try beasts("size", 1))
      try store.write {
        try $0.insert([DynamicRow("Beast", ["name": .string("a")])])
        try $0.insert([DynamicRow("Cub", ["name": .string("b"), "size": .int(7)])])
      }
      let plan = MigrationPlan([
        .version(2, [.renameAttribute("size", to: "weight", in: "Cub", alias: true)])
      ])
      let newer = try beasts("weight", 2)
      store = try context.reopen(store, newer, options: .migrating(plan))
      store = try context.reopen(store, try beasts("size", 1))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Cub")) }.map { $0["size"] }, [.int(7)])
      try store.write {
        try $0.insert([DynamicRow("Cub", ["name": .string("c"), "size": .int(8)])])
        try $0.insert([DynamicRow("Beast", ["name": .string("d")])])
      }
      try context.expectEqual(try store.ids("Beast", .constant(true)), [1, 2, 3, 4])
      store = try context.reopen(store, newer)
      let cubs = try store.read { try $0.fetch(DynamicQuery("Cub")) }
      try context.expectSame(cubs.map { $0["weight"] }, [.int(7), .int(8)])
      // The kinds of rows are names of entities.
      for entity in ["Beast", "Cub"] {
        let other = MigrationPlan([
          .version(3, [.renameEntity(entity, to: "Other", alias: true)])
        ])
        try context.expectError(.invalidPlan, entity: entity) {
          try other.outcome(from: newer.stored, to: beasts("weight", 3).stored)
        }
      }
    },
    ConformanceCase("a store with a history admits no older program by an alias", "10.10") {
      context in
      let plan = MigrationPlan([
        .version(2, [.renameAttribute("size", to: "width", in: "Cup", alias: true)])
      ])
      for hasAliasBefore in [true, false] {
        let keeping = StoreOptions.keepingHistory()
        var store = try context.open(
          try cups(version: 1), options: hasAliasBefore ? keeping : StoreOptions())
        try store.addCup(["id": .int(1), "size": .int(5), "label": .string("one")])
        var options = keeping
        options.schemaPolicy = .migrate(plan)
        store = try context.reopen(store, try cups("width", version: 2), options: options)
        try context.expectError(.schemaTooNew) { try context.reopen(store, try cups(version: 1)) }
        store = try context.reopen(store, try cups("width", version: 2), options: options)
        try context.expectSame(try store.cups().map { $0["width"] }, [.int(5)])
      }
    },
    ConformanceCase("an alias ends in the plan that goes beyond its version", "10.10") { context in
      let plan = MigrationPlan([
        .version(2, [.renameAttribute("size", to: "width", in: "Cup", alias: true)]),
        .version(3, [.renameAttribute("width", to: "breadth", in: "Cup", alias: true)]),
      ])
      var store = try context.open(try cups(version: 1))
      try store.addCup(["id": .int(1), "size": .int(5), "label": .string("one")])
      store = try context.reopen(
        store, try cups("breadth", version: 3), options: .migrating(plan))
      try context.expectError(.schemaTooNew) { try context.reopen(store, try cups(version: 1)) }
      store = try context.reopen(store, try cups("width", version: 2), options: .migrating(plan))
      try context.expectSame(try store.cups().map { $0["width"] }, [.int(5)])
      try store.addCup(["id": .int(2), "width": .int(6), "label": .string("two")])
      // Undone, the store keeps no alias of the version that is gone.
      let back = try plan.inverse(from: 3, to: 2)
      store = try context.reopen(store, try cups("width", version: 2), options: .migrating(back))
      try context.expectSame(try store.cups().map { $0["width"] }, [.int(5), .int(6)])
      try context.expectError(.schemaTooNew) { try context.reopen(store, try cups(version: 1)) }
    },
  ]
}

/// A schema of cups, under names that may be others.
private func cups(
  _ size: String = "size", _ label: String = "label", double: Bool = false, version: Int
) throws -> Schema {
  var attributes = [
    AttributeDescription("id", .int64), AttributeDescription(size, .int64),
    AttributeDescription(label, .string),
  ]
  if double {
    attributes.append(AttributeDescription("double", .int64, defaultValue: .value(.int(0))))
  }
  return try Schema(
    entities: [
      EntityDescription(
        name: "Cup", attributes: attributes, key: ["id"],
        indexes: [
          IndexDescription([.init(size)]), IndexDescription([.init(label)], isUnique: true),
        ],
        rules: [
          ValidationRule(
            "range", attributes: [size], format: "\(size) >= 0", message: "must be at least 0")
        ])
    ], version: version)
}

/// Teams with the sum of their players' scores, players, and tags of several players.
private struct ClubNames {
  var team = "Team"
  var player = "Player"
  var score = "score"
  var link = "team"
  var back = "players"
  var tags = "tags"

  func schema(_ version: Int) throws -> Schema {
    let id = AttributeDescription("id", .int64)
    return try Schema(
      entities: [
        EntityDescription(
          name: team,
          attributes: [
            id,
            AttributeDescription("total", .int64, derived: DerivedValue(.sum, of: back, score)),
          ], key: ["id"],
          relationships: [
            RelationshipDescription(
              back, target: player, isToMany: true, inverse: link,
              storage: .target(["\(link)_id"], position: nil))
          ]),
        EntityDescription(
          name: player,
          attributes: [
            id, AttributeDescription(score, .int64),
            AttributeDescription("\(link)_id", .int64, isOptional: true),
          ], key: ["id"], indexes: [IndexDescription([.init("\(link)_id")])],
          relationships: [
            RelationshipDescription(
              link, target: team, isToMany: false, inverse: back,
              storage: .own(["\(link)_id"], position: nil)),
            RelationshipDescription(
              tags, target: "Tag", isToMany: true, isShared: true,
              storage: .join(
                entity: "\(player)_\(tags)", own: ["\(player)_id"], target: ["\(tags)_id"],
                position: nil)),
          ]),
        EntityDescription(name: "Tag", attributes: [id], key: ["id"]),
      ], version: version)
  }

  func player(_ id: Int64, score value: Int64, team: Int64) -> DynamicRow {
    DynamicRow(player, ["id": .int(id), score: .int(value), "\(link)_id": .int(team)])
  }
}

/// Beasts, and cubs below them, under names that may be others.
private func beasts(_ size: String, _ version: Int) throws -> Schema {
  let own = [AttributeDescription("id", .int64), AttributeDescription("name", .string)]
  return try Schema(
    entities: [
      EntityDescription(name: "Beast", attributes: own, key: ["id"], keySource: .generated),
      EntityDescription(
        name: "Cub", attributes: own + [AttributeDescription(size, .int64)], key: ["id"],
        keySource: .generated, parent: "Beast"),
    ], version: version)
}

extension Store {
  fileprivate func addCup(_ values: [String: StoredValue]) throws {
    try write { tx in try tx.insert([DynamicRow("Cup", values)]) }
  }

  fileprivate func cups() throws -> [DynamicRow] {
    try read { try $0.fetch(DynamicQuery("Cup")) }
  }

  fileprivate func totals(_ entity: String) throws -> [StoredValue] {
    try read { try $0.fetch(DynamicQuery(entity)) }.map { $0["total"] }
  }
}
