internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Section 10: names, links and the rest of a store that a plan migrates.
  static let migrations: [ConformanceCase] = [
    ConformanceCase("renames keep rows, keys, links and indexes", "10.5", "10.7", "10.8") {
      context in
      var store = try context.open(try MigrationSchemas.garden(version: 1))
      try store.fillGarden()
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameEntity("Plant", to: "Herb"), .renameAttribute("height", to: "size", in: "Herb"),
            .renameRelationship("bed", to: "plot", in: "Herb"),
            .renameRelationship("plants", to: "herbs", in: "Bed"),
          ])
      ])
      let schema = try MigrationSchemas.garden(
        plant: "Herb", height: "size", bed: "plot", plants: "herbs", version: 2)
      store = try context.reopen(store, schema, options: .migrating(plan))
      let rows = try store.read { try $0.fetch(DynamicQuery("Herb")) }
      try context.expectSame(rows.map { $0["id"] }, [.int(1), .int(2), .int(4)])
      try context.expectSame(rows.map { $0["size"] }, [.int(30), .int(20), .null])
      try context.expectSame(
        rows.map { $0["name"] }, [.string("mint"), .string("dill"), .string("sage")])
      let inBed = try DynamicQuery("Herb", in: store.schema, where: "plot.name == 'north'")
      try context.expectSame(
        try store.read { try $0.fetch(inBed) }.map { $0["id"] }, [.int(1), .int(2)])
      let some = try DynamicQuery("Bed", in: store.schema, where: "ANY herbs.size > 20")
      try context.expectSame(try store.read { try $0.fetch(some) }.map { $0["id"] }, [.int(7)])
      let bySize = try DynamicQuery(
        "Herb", in: store.schema, where: "size >= 20", sortedBy: "size")
      try context.expectSame(
        try store.read { try $0.fetch(bySize) }.map { $0["id"] }, [.int(2), .int(1)], "by its index"
      )
      try context.expectError(.duplicate, entity: "Herb", attributes: ["name"]) {
        try store.write { try $0.insert([DynamicRow("Herb", ["name": .string("mint")])]) }
      }
      // Key 5 was given and deleted before.
      try store.write { try $0.insert([DynamicRow("Herb", ["name": .string("thyme")])]) }
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Herb")) }.map { $0["id"] },
        [.int(1), .int(2), .int(4), .int(6)])
      try context.expectEqual(store.schema.version, 2)
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("two attributes, and two entities, exchange their names", "10.5") { context in
      func schema(_ first: String, _ second: String, _ version: Int) throws -> Schema {
        try Schema(
          entities: [first, second].map { name in
            EntityDescription(
              name: name,
              attributes: [
                AttributeDescription("id", .int64), AttributeDescription("a", .int64),
                AttributeDescription("b", .int64),
              ], key: ["id"])
          }, version: version)
      }
      var store = try context.open(try schema("Left", "Right", 1))
      try store.write { tx in
        try tx.insert([DynamicRow("Left", ["id": .int(1), "a": .int(2), "b": .int(3)])])
        try tx.insert([DynamicRow("Right", ["id": .int(4), "a": .int(5), "b": .int(6)])])
      }
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameAttribute("a", to: "c", in: "Left"), .renameAttribute("b", to: "a", in: "Left"),
            .renameAttribute("c", to: "b", in: "Left"), .renameEntity("Left", to: "Other"),
            .renameEntity("Right", to: "Left"), .renameEntity("Other", to: "Right"),
          ])
      ])
      store = try context.reopen(store, try schema("Left", "Right", 2), options: .migrating(plan))
      for (entity, values) in [("Right", [1, 3, 2] as [Int64]), ("Left", [4, 5, 6])] {
        let rows = try store.read { try $0.fetch(DynamicQuery(entity)) }
        try context.expectEqual(rows.count, 1)
        try context.expectSame(
          ["id", "a", "b"].compactMap { rows.first?[$0] }, values.map { .int($0) }, entity)
      }
    },
    ConformanceCase("steps run in order and see what the steps before left", "10.4", "10.7") {
      context in
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      try store.write { tx in
        try tx.insert([
          DynamicRow(
            "Snack",
            ["id": .int(1), "price": .double(1.25), "note": .string("a"), "tag": .string("x")]),
          DynamicRow("Snack", ["id": .int(2), "price": .double(2), "note": .null]),
        ])
      }
      let plan = MigrationPlan([
        .version(
          2,
          [
            .addAttribute("cents", .int64, in: "Snack", default: .int(0)),
            .set("cents", in: "Snack", to: "price * 100"), .dropAttributes(["price"], in: "Snack"),
          ]),
        .version(
          3,
          [
            .set("cents", in: "Snack", to: "cents + 1", where: "note == nil"),
            .rows(of: "Snack", named: "notes", revision: 1) { row in
              if row["note"].isNull, case .int(let cents) = row["cents"] {
                row["note"] = .string("\(cents)")
              }
            },
          ]),
      ])
      store = try context.reopen(
        store, try MigrationSchemas.snacks(cents: true, version: 3), options: .migrating(plan))
      let rows = try store.read { try $0.fetch(DynamicQuery("Snack")) }
      try context.expectSame(rows.map { $0["cents"] }, [.int(125), .int(201)])
      try context.expectSame(rows.map { $0["note"] }, [.string("a"), .string("201")])
      try context.expectSame(rows.map { $0["tag"] }, [.string("x"), .null], "not named by a step")
      // Once only: the versions were run.
      store = try context.reopen(
        store, try MigrationSchemas.snacks(cents: true, version: 3), options: .migrating(plan))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["cents"] },
        [.int(125), .int(201)])
    },
    ConformanceCase("dropped entities, attributes and relationships are gone", "10.7") { context in
      var store = try context.open(try MigrationSchemas.garden(version: 1))
      try store.fillGarden()
      let plan = MigrationPlan([
        .version(
          2,
          [
            .dropRelationship("bed", in: "Plant"), .dropEntity("Bed"),
            .dropAttributes(["height"], in: "Plant"),
          ])
      ])
      let schema = try Schema(
        entities: [
          EntityDescription(
            name: "Plant",
            attributes: [
              AttributeDescription("id", .int64), AttributeDescription("name", .string),
            ],
            key: ["id"], keySource: .generated,
            indexes: [IndexDescription(["name"], isUnique: true)])
        ], version: 2)
      store = try context.reopen(store, schema, options: .migrating(plan))
      let rows = try store.read { try $0.fetch(DynamicQuery("Plant")) }
      try context.expectSame(
        rows.map { $0["name"] }, [.string("mint"), .string("dill"), .string("sage")])
      store = try context.reopen(store, try MigrationSchemas.garden(version: 3))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Plant")) }.map { $0["height"] },
        [.null, .null, .null], "declared again, it is new")
      try context.expectEqual(try store.ids("Bed", .constant(true)), [])
    },
    ConformanceCase("a migrated store is as one that was made so", "10.1") { context in
      let called = Lock(0)
      let plan = MigrationPlan([
        .version(
          2,
          [
            .run(named: "count", revision: 1) { _ in called.withLock { $0 += 1 } },
            .addAttribute("cents", .int64, in: "Snack", default: .int(0)),
            .set("cents", in: "Snack", to: "price * 100", by: .rounded),
            .dropAttributes(["price"], in: "Snack"),
          ])
      ])
      var store = try context.open(try MigrationSchemas.snacks(price: true))
      try store.write { tx in
        try tx.insert(
          (1...9_000).map {
            DynamicRow("Snack", ["id": .int($0), "price": .double(Double($0) / 8)])
          })
      }
      let schema = try MigrationSchemas.snacks(cents: true, version: 2)
      store = try context.reopen(store, schema, options: .migrating(plan, rows: 9_000))
      try context.expectEqual(called.withLock { $0 }, 1)
      let made = try context.open(schema, options: .migrating(plan, rows: 9_000))
      try context.expectEqual(called.withLock { $0 }, 1, "a new store needs no step")
      try made.write { tx in
        try tx.insert(
          (1...9_000).map { (id: Int64) in
            // 12.5 cents for each: halves go away from zero.
            DynamicRow("Snack", ["id": .int(id), "cents": .int((id * 25 + 1) / 2)])
          })
      }
      let digests = try [store, made].map { source in
        try StoreCopy(from: source, to: try context.open(schema)).run().map(\.text)
      }
      try context.expectEqual(digests[0], digests[1])
    },
    ConformanceCase("derived attributes are computed after the steps", "10.1") { context in
      func schema(_ points: String, _ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Team",
              attributes: [
                AttributeDescription("id", .int64),
                AttributeDescription(
                  "total", .int64, derived: DerivedValue(.sum, of: "players", points)),
              ], key: ["id"],
              relationships: [
                RelationshipDescription(
                  "players", target: "Player", isToMany: true, inverse: "team",
                  storage: .target(["team_id"], position: nil))
              ]),
            EntityDescription(
              name: "Player",
              attributes: [
                AttributeDescription("id", .int64), AttributeDescription(points, .int64),
                AttributeDescription("team_id", .int64, isOptional: true),
              ], key: ["id"], indexes: [IndexDescription(["team_id"])],
              relationships: [
                RelationshipDescription(
                  "team", target: "Team", isToMany: false, inverse: "players",
                  storage: .own(["team_id"], position: nil))
              ]),
          ], version: version)
      }
      var store = try context.open(try schema("score", 1))
      try store.write { tx in
        try tx.insert([DynamicRow("Team", ["id": .int(1)]), DynamicRow("Team", ["id": .int(2)])])
        try tx.insert(
          (1...3).map {
            DynamicRow("Player", ["id": .int($0), "score": .int($0), "team_id": .int($0 % 2 + 1)])
          })
      }
      let plan = MigrationPlan([
        .version(2, [.renameAttribute("score", to: "points", in: "Player")]),
        .version(3, [.set("points", in: "Player", to: "points * 10")]),
      ])
      for (version, totals) in [(2, [2, 4]), (3, [20, 40])] as [(Int, [Int64])] {
        store = try context.reopen(
          store, try schema("points", version), options: .migrating(plan))
        let rows = try store.read { try $0.fetch(DynamicQuery("Team")) }
        try context.expectSame(rows.map { $0["total"] }, totals.map { .int($0) })
        let faults = try store.check().faults
        try context.expect(faults.isEmpty, "\(faults)")
      }
    },
    ConformanceCase("a migration ends the history so far", "10.7", "11.5") { context in
      var options = StoreOptions.keepingHistory()
      var store = try context.open(
        try MigrationSchemas.snacks(price: true, version: 1), options: options)
      try store.write {
        try $0.insert([DynamicRow("Snack", ["id": .int(1), "price": .double(2)])])
      }
      let before = try store.historyToken
      options.schemaPolicy = .migrate(
        MigrationPlan([.version(2, [.dropAttributes(["price"], in: "Snack")])]))
      store = try context.reopen(store, try MigrationSchemas.snacks(version: 2), options: options)
      try context.expectError(.historyTruncated) { _ = try store.history(after: before) }
      let after = try store.historyToken
      try store.write { try $0.insert([DynamicRow("Snack", ["id": .int(2)])]) }
      try context.expectEqual(try store.history(after: after).count, 1)
    },
    ConformanceCase("an older program does not open a migrated store", "10.10") { context in
      let store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      let plan = MigrationPlan([.version(2, [.dropAttributes(["price"], in: "Snack")])])
      let migrated = try context.reopen(
        store, try MigrationSchemas.snacks(version: 2), options: .migrating(plan))
      for options in [StoreOptions(), .migrating(plan)] {
        try context.expectError(.schemaTooNew) {
          try context.reopen(
            migrated, try MigrationSchemas.snacks(price: true, version: 1), options: options)
        }
      }
      _ = try context.reopen(migrated, try MigrationSchemas.snacks(version: 2))
    },
  ]
}
