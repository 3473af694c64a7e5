internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Section 10: plans that bring an older store to the declared schema.
  static let migrations: [ConformanceCase] = [
    ConformanceCase("renames keep rows, keys, links and indexes", "10.5", "10.7", "10.8") {
      context in
      var store = try context.open(try garden(version: 1))
      try store.fillGarden()
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameEntity("Plant", to: "Herb"), .renameAttribute("height", to: "size", in: "Herb"),
            .renameRelationship("bed", to: "place", in: "Herb"),
            .renameRelationship("plants", to: "herbs", in: "Bed"),
          ])
      ])
      let schema = try garden(
        plant: "Herb", height: "size", bed: "place", plants: "herbs", version: 2)
      store = try context.reopen(store, schema, options: .migrating(plan))
      let rows = try store.read { try $0.fetch(DynamicQuery("Herb")) }
      try context.expectSame(rows.map { $0["id"] }, [.int(1), .int(2), .int(4)])
      try context.expectSame(rows.map { $0["size"] }, [.int(30), .int(20), .null])
      try context.expectSame(
        rows.map { $0["name"] }, [.string("mint"), .string("dill"), .string("sage")])
      let inBed = try DynamicQuery("Herb", in: store.schema, where: "place.name == 'north'")
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
      var store = try context.open(try snacks(price: true, version: 1))
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
        store, try snacks(cents: true, version: 3), options: .migrating(plan))
      let rows = try store.read { try $0.fetch(DynamicQuery("Snack")) }
      try context.expectSame(rows.map { $0["cents"] }, [.int(125), .int(201)])
      try context.expectSame(rows.map { $0["note"] }, [.string("a"), .string("201")])
      try context.expectSame(rows.map { $0["tag"] }, [.string("x"), .null], "not named by a step")
      // Once only: the versions were run.
      store = try context.reopen(
        store, try snacks(cents: true, version: 3), options: .migrating(plan))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["cents"] },
        [.int(125), .int(201)])
    },
    ConformanceCase("an attribute takes another type, or the store stays as it was", "10.6", "10.2")
    {
      context in
      func schema(_ type: AttributeType, _ version: Int, isOptional: Bool = true) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Box",
              attributes: [
                AttributeDescription("id", .int64),
                AttributeDescription("size", type, isOptional: isOptional),
                AttributeDescription("old", .string, isOptional: true),
              ], key: ["id"], indexes: [IndexDescription(["size"])])
          ], version: version)
      }
      func plan(_ mapping: ValueMapping, _ failure: MappingFailure = .throw) -> MigrationPlan {
        MigrationPlan([
          .version(
            2,
            [
              .changeType(of: "size", to: .int64, in: "Box", by: mapping, onFailure: failure)
            ])
        ])
      }
      let texts: [StoredValue] = [.string("7"), .string("2.5"), .null, .string("big")]
      let expected: [(MigrationPlan, [StoredValue]?)] = [
        (plan(.exact), nil), (plan(.exact, .null), [.int(7), .null, .null, .null]),
        (plan(.exact, .value(.int(-1))), [.int(7), .int(-1), .null, .int(-1)]),
        (plan(.rounded, .null), [.int(7), .int(3), .null, .null]),
        (plan(.truncated, .null), [.int(7), .int(2), .null, .null]),
        (
          plan(.cases(["7": .int(70), "2.5": .int(25), "big": .int(99)])),
          [.int(70), .int(25), .null, .int(99)]
        ),
        (
          plan(
            .custom(named: "length", revision: 1) { value in
              if case .string(let text) = value { .int(Int64(text.count)) } else { nil }
            }), [.int(1), .int(3), .null, .int(3)]
        ),
      ]
      for (plan, values) in expected {
        var store = try context.open(try schema(.string, 1))
        try store.write { tx in
          try tx.insert(
            texts.enumerated().map {
              DynamicRow("Box", ["id": .int(Int64($0.offset)), "size": $0.element])
            })
        }
        guard let values else {
          let error = try context.expectError(.migrationFailed) {
            try context.reopen(store, try schema(.int64, 2), options: .migrating(plan))
          }
          try context.expectEqual(error.failures.map(\.code), [.invalidValue, .invalidValue])
          try context.expectEqual(error.failures.map(\.key), [[.int(1)], [.int(3)]])
          try context.expect(!"\(error)".contains("big"), "no value is told: \(error)")
          store = try context.reopen(store, try schema(.string, 1))
          try context.expectSame(try store.sizes(), texts, "as it was")
          continue
        }
        store = try context.reopen(store, try schema(.int64, 2), options: .migrating(plan))
        try context.expectSame(try store.sizes(), values)
        let known = values.filter { !$0.isNull }.count
        try context.expectEqual(
          try store.ids("Box", attribute("size").compare(.greaterOrEqual, int(-1))).count, known)
      }
      var store = try context.open(try schema(.string, 1))
      try store.write { tx in
        try tx.insert([DynamicRow("Box", ["id": .int(1), "size": .string("big")])])
      }
      store = try context.reopen(
        store, try schema(.int64, 2), options: .migrating(plan(.exact, .keepIn("old"))))
      let row = try context.unwrap(
        try store.read { try $0.fetch(DynamicQuery("Box")) }.first, "the row")
      try context.expectSame([row["size"], row["old"]], [.null, .string("big")])
    },
    ConformanceCase("optional attributes become required, and the reverse", "10.6", "10.7") {
      context in
      func schema(_ isOptional: Bool, _ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Box",
              attributes: [
                AttributeDescription("id", .int64),
                AttributeDescription("size", .int64, isOptional: isOptional),
              ], key: ["id"], indexes: [IndexDescription(["size"])])
          ], version: version)
      }
      var store = try context.open(try schema(true, 1))
      try store.write { tx in
        try tx.insert([
          DynamicRow("Box", ["id": .int(1), "size": .int(5)]), DynamicRow("Box", ["id": .int(2)]),
        ])
      }
      let bare = MigrationPlan([.version(2, [.makeRequired("size", in: "Box")])])
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(store, try schema(false, 2), options: .migrating(bare))
      }
      try context.expectEqual(error.failures.map(\.code), [.missingValue])
      try context.expectEqual(error.failures.map(\.key), [[.int(2)]])
      let plan = MigrationPlan([
        .version(2, [.makeRequired("size", in: "Box", default: .int(0))]),
        .version(3, [.makeOptional("size", in: "Box")]),
      ])
      store = try context.reopen(store, try schema(false, 2), options: .migrating(plan))
      try context.expectSame(try store.sizes(), [.int(5), .int(0)])
      try context.expectError(.missingValue) {
        try store.write { try $0.insert([DynamicRow("Box", ["id": .int(3)])]) }
      }
      store = try context.reopen(store, try schema(true, 3), options: .migrating(plan))
      try store.write { try $0.insert([DynamicRow("Box", ["id": .int(3)])]) }
      try context.expectSame(try store.sizes(), [.int(5), .int(0), .null])
      try context.expectEqual(
        try store.ids("Box", attribute("size").compare(.equal, .value(.null))), [3])
    },
    ConformanceCase("a plan that leads elsewhere is refused before anything is written", "10.3") {
      context in
      var store = try context.open(try snacks(price: true, version: 1))
      try store.write {
        try $0.insert([DynamicRow("Snack", ["id": .int(1), "price": .double(2)])])
      }
      let target = try snacks(cents: true, version: 2)
      let called = Lock(0)
      let count: @Sendable (WriteTransaction) throws -> Void = { _ in called.withLock { $0 += 1 } }
      let elsewhere: [([MigrationStep], [String])] = [
        ([.renameAttribute("price", to: "cents", in: "Snack")], ["cents"]),
        ([.dropAttributes(["prize"], in: "Snack")], ["prize"]),
        ([.dropAttributes(["id"], in: "Snack")], ["id"]),
        ([.set("price", in: "Snack", to: "prize + 1")], ["prize"]),
        ([.renameAttribute("price", to: "note", in: "Snack")], ["note"]),
      ]
      for (steps, attributes) in elsewhere {
        let plan = MigrationPlan([
          .version(2, [.run(named: "count", revision: 1, count)] + steps)
        ])
        let error = try context.expectError(.invalidPlan, "\(steps)") {
          try context.reopen(store, target, options: .migrating(plan))
        }
        let named = error.failures.isEmpty ? [error] : error.failures
        try context.expectEqual(named.flatMap(\.attributes), attributes)
      }
      try context.expectEqual(called.withLock { $0 }, 0, "no step was run")
      let unordered = MigrationPlan([.version(2, []), .version(2, [])])
      try context.expectError(.invalidPlan) {
        try context.reopen(store, target, options: .migrating(unordered))
      }
      let versionless = MigrationPlan([.version(2, [.dropAttributes(["price"], in: "Snack")])])
      try context.expectError(.invalidPlan) {
        try context.reopen(store, try snacks(cents: true), options: .migrating(versionless))
      }
      store = try context.reopen(store, try snacks(price: true, version: 1))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] }, [.double(2)])
    },
    ConformanceCase("a step that throws leaves the store as it was", "10.2") { context in
      var store = try context.open(try snacks(price: true, version: 1))
      try store.write {
        try $0.insert((1...3).map { DynamicRow("Snack", ["id": .int($0), "price": .double(2)]) })
      }
      struct Stop: Error {}
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameAttribute("price", to: "cost", in: "Snack"),
            .set("cost", in: "Snack", to: "cost + 1"), .renameEntity("Snack", to: "Treat"),
            .rows(of: "Treat", named: "stop", revision: 1) { row in
              if StoredValue.equals(row["id"], .int(3)) { throw Stop() }
              row["cost"] = .double(0)
            },
            .renameEntity("Treat", to: "Snack"), .renameAttribute("cost", to: "price", in: "Snack"),
          ])
      ])
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(
          store, try snacks(price: true, version: 2), options: .migrating(plan))
      }
      try context.expect(error.message.contains("version 2, step 4"), error.message)
      store = try context.reopen(store, try snacks(price: true, version: 1))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] },
        [.double(2), .double(2), .double(2)])
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("checks stop a migration, and duplicates go before a unique rule", "10.6") {
      context in
      func schema(_ isUnique: Bool, _ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Box",
              attributes: [
                AttributeDescription("id", .int64),
                AttributeDescription("size", .int64, isOptional: true),
              ], key: ["id"],
              indexes: isUnique ? [IndexDescription(["size"], isUnique: true)] : [])
          ], version: version)
      }
      for keeping in [MigrationStep.KeptDuplicate.first, .last] {
        var store = try context.open(try schema(false, 1))
        try store.write { tx in
          try tx.insert(
            [5, 6, 5, nil, nil, 5].enumerated().map { (id: Int, size: Int64?) in
              DynamicRow(
                "Box", ["id": .int(Int64(id)), "size": size.map { .int($0) } ?? .null])
            })
        }
        let checked = MigrationPlan([.version(2, [.check("size < 6 OR size == nil", in: "Box")])])
        let error = try context.expectError(.migrationFailed) {
          try context.reopen(store, try schema(false, 2), options: .migrating(checked))
        }
        try context.expectEqual(error.failures.map(\.code), [.validationFailed])
        try context.expectEqual(error.failures.map(\.key), [[.int(1)]])
        let plan = MigrationPlan([
          .version(2, [.removeDuplicates(of: ["size"], in: "Box", keeping: keeping)])
        ])
        store = try context.reopen(store, try schema(true, 2), options: .migrating(plan))
        try context.expectEqual(
          try store.ids("Box", .constant(true)),
          keeping == .first ? [0, 1, 3, 4] : [1, 3, 4, 5])
        try context.expectError(.duplicate) {
          try store.write { try $0.insert([DynamicRow("Box", ["id": .int(9), "size": .int(6)])]) }
        }
      }
    },
    ConformanceCase("links move to where another declaration stores them", "10.5", "10.7") {
      context in
      for (number, form) in LinkForm.all.enumerated() {
        let models = LinkForm.models(number + 1)
        for (otherNumber, other) in LinkForm.all.enumerated() {
          let lost = form.lost(in: other)
          // One relationship names the links of both ends.
          guard let name = lost.sorted().first else { continue }
          let others = LinkForm.models(otherNumber + 1)
          let entity = name.hasPrefix("Left") ? "Left" : "Right"
          let plan = MigrationPlan([
            .version(2, [.moveLinks(of: entity == "Left" ? "r" : "l", in: entity)])
          ])
          var store = try context.open(try Schema(joining: models.schema(), version: 1))
          try models.fill(store)
          let change = "\(form.name) that becomes \(other.name)"
          // The models of a form have names of their own, which the store knows by others.
          store = try context.reopen(
            store, try Schema(joining: others.schema(), version: 2), options: .migrating(plan))
          let found = entity == "Left" ? try others.targets(store) : try others.owners(store)
          try context.expectEqual(found ?? [], [1], change)
          try store.close()
        }
      }
    },
    ConformanceCase("dropped entities, attributes and relationships are gone", "10.7") { context in
      var store = try context.open(try garden(version: 1))
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
      store = try context.reopen(store, try garden(version: 3))
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
      var store = try context.open(try snacks(price: true))
      try store.write { tx in
        try tx.insert(
          (1...9_000).map {
            DynamicRow("Snack", ["id": .int($0), "price": .double(Double($0) / 8)])
          })
      }
      let schema = try snacks(cents: true, version: 2)
      store = try context.reopen(store, schema, options: .migrating(plan))
      try context.expectEqual(called.withLock { $0 }, 1)
      let made = try context.open(schema, options: .migrating(plan))
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
      var store = try context.open(try snacks(price: true, version: 1), options: options)
      try store.write {
        try $0.insert([DynamicRow("Snack", ["id": .int(1), "price": .double(2)])])
      }
      let before = try store.historyToken
      options.schemaPolicy = .migrate(
        MigrationPlan([.version(2, [.dropAttributes(["price"], in: "Snack")])]))
      store = try context.reopen(store, try snacks(version: 2), options: options)
      try context.expectError(.historyTruncated) { _ = try store.history(after: before) }
      let after = try store.historyToken
      try store.write { try $0.insert([DynamicRow("Snack", ["id": .int(2)])]) }
      try context.expectEqual(try store.history(after: after).count, 1)
    },
    ConformanceCase("closures change rows of many batches, each as it likes", "10.7") { context in
      func schema(_ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Note",
              attributes: [
                AttributeDescription("id", .int64), AttributeDescription("count", .int64),
                AttributeDescription("mark", .string, isOptional: true),
                AttributeDescription("text", .string),
              ], key: ["id"])
          ], version: version)
      }
      func plan(_ body: @escaping @Sendable (inout DynamicRow) -> Void) -> MigrationPlan {
        MigrationPlan([.version(2, [.rows(of: "Note", named: "change", revision: 1, body)])])
      }
      var store = try context.open(try schema(1))
      let long = String(repeating: "x", count: 3_000_000)
      try store.write { tx in
        try tx.insert(
          (1...9_000).map { (id: Int64) in
            DynamicRow(
              "Note",
              ["id": .int(id), "count": .int(id), "text": .string(id == 7 || id == 8 ? long : "t")])
          })
      }
      try context.expectError(.invalidPlan, entity: "Note", attributes: ["id"]) {
        try context.reopen(
          store, try schema(2), options: .migrating(plan { $0["id"] = .int(0) }))
      }
      try context.expectError(.migrationFailed, entity: "Note", attributes: ["cuont"]) {
        try context.reopen(
          store, try schema(2), options: .migrating(plan { $0["cuont"] = .int(0) }))
      }
      let change = plan { row in
        guard case .int(let id) = row["id"] else { return }
        // A third of the rows by each form; an attribute that is removed keeps its value.
        if id % 3 == 0 { row["count"] = .int(id + 1) }
        if id % 3 == 1 {
          row.values["count"] = nil
          row.values["mark"] = .string("m")
        }
      }
      store = try context.reopen(store, try schema(2), options: .migrating(change))
      let rows = try store.read { try $0.fetch(DynamicQuery("Note")) }
      try context.expectEqual(rows.count, 9_000)
      for (row, id) in zip(rows, Int64(1)...) {
        let count: StoredValue = .int(id % 3 == 0 ? id + 1 : id)
        let mark: StoredValue = id % 3 == 1 ? .string("m") : .null
        let text: StoredValue = .string(id == 7 || id == 8 ? long : "t")
        if row.values != ["id": .int(id), "count": count, "mark": mark, "text": text] {
          try context.expect(false, "row \(id): \(row["count"]), \(row["mark"])")
        }
      }
    },
    ConformanceCase("a store that does not fit is made anew where that is asked for", "10.12") {
      context in
      var recreating = StoreOptions()
      recreating.schemaPolicy = .recreate(when: .always)
      var store = try context.open(try garden(version: 3))
      try store.fillGarden()
      store = try context.reopen(store, try garden(version: 3), options: recreating)
      try context.expectEqual(try store.ids("Plant", .constant(true)), [1, 2, 4], "it fits")
      // Another type of height, and a lower version, do not.
      for (schema, count) in [
        (try snacks(cents: true, version: 2), 0), (try garden(version: 4), 0),
      ] {
        store = try context.reopen(store, schema, options: recreating)
        let entity = schema["Snack"] == nil ? "Plant" : "Snack"
        try context.expectEqual(try store.ids(entity, .constant(true)).count, count)
        try store.write { try $0.insert([Self.row(of: entity)]) }
        try context.expectEqual(try store.ids(entity, .constant(true)), [1])
        store = try context.reopen(store, schema)
        try context.expectEqual(try store.ids(entity, .constant(true)), [1], "as any other store")
      }
      let other = try Schema(
        entities: [
          EntityDescription(
            name: "Plant", attributes: [AttributeDescription("id", .string)], key: ["id"])
        ], version: 5)
      try context.expectError(.schemaMismatch) { try context.reopen(store, other) }
      store = try context.reopen(store, other, options: recreating)
      try context.expectEqual(try store.read { try $0.fetch(DynamicQuery("Plant")) }.count, 0)
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("an older program does not open a migrated store", "10.10") { context in
      let store = try context.open(try snacks(price: true, version: 1))
      let plan = MigrationPlan([.version(2, [.dropAttributes(["price"], in: "Snack")])])
      let migrated = try context.reopen(store, try snacks(version: 2), options: .migrating(plan))
      for options in [StoreOptions(), .migrating(plan)] {
        try context.expectError(.schemaTooNew) {
          try context.reopen(migrated, try snacks(price: true, version: 1), options: options)
        }
      }
      _ = try context.reopen(migrated, try snacks(version: 2))
    },
  ]
}

extension ConformanceCase {
  fileprivate static func row(of entity: String) -> DynamicRow {
    entity == "Plant"
      ? DynamicRow("Plant", ["name": .string("fern"), "height": .null, "bed_id": .null])
      : DynamicRow("Snack", ["id": .int(1), "cents": .int(5)])
  }
}

/// A schema of plants and beds, under names that may be others.
private func garden(
  plant: String = "Plant", height: String = "height", bed: String = "bed",
  plants: String = "plants", version: Int
) throws -> Schema {
  try Schema(
    entities: [
      EntityDescription(
        name: plant,
        attributes: [
          AttributeDescription("id", .int64), AttributeDescription("name", .string),
          AttributeDescription(height, .int64, isOptional: true),
          AttributeDescription("\(bed)_id", .int64, isOptional: true),
        ], key: ["id"], keySource: .generated,
        indexes: [
          IndexDescription(["name"], isUnique: true), IndexDescription([.init(height)]),
          IndexDescription([.init("\(bed)_id")]),
        ],
        relationships: [
          RelationshipDescription(
            bed, target: "Bed", isToMany: false, inverse: plants,
            storage: .own(["\(bed)_id"], position: nil))
        ]),
      EntityDescription(
        name: "Bed",
        attributes: [AttributeDescription("id", .int64), AttributeDescription("name", .string)],
        key: ["id"],
        relationships: [
          RelationshipDescription(
            plants, target: plant, isToMany: true, inverse: bed,
            storage: .target(["\(bed)_id"], position: nil))
        ]),
    ], version: version)
}

/// A schema of snacks at a version.
private func snacks(
  price: Bool = false, cents: Bool = false, version: Int? = nil
) throws -> Schema {
  var attributes = [
    AttributeDescription("id", .int64), AttributeDescription("note", .string, isOptional: true),
    AttributeDescription("tag", .string, isOptional: true),
  ]
  if price { attributes.append(AttributeDescription("price", .double)) }
  if cents { attributes.append(AttributeDescription("cents", .int64)) }
  return try Schema(
    entities: [EntityDescription(name: "Snack", attributes: attributes, key: ["id"])],
    version: version)
}

extension StoreOptions {
  /// Options that migrate by a plan.
  static func migrating(_ plan: MigrationPlan) -> StoreOptions {
    var options = StoreOptions()
    options.schemaPolicy = .migrate(plan)
    return options
  }
}

extension Store {
  /// Two beds; plants 1 and 2 in bed 7, 4 in none; 3 and 5 were given and are deleted.
  fileprivate func fillGarden() throws {
    try write { tx in
      try tx.insert([
        DynamicRow("Bed", ["id": .int(7), "name": .string("north")]),
        DynamicRow("Bed", ["id": .int(8), "name": .string("south")]),
      ])
      try tx.insert([
        DynamicRow(
          "Plant", ["name": .string("mint"), "height": .int(30), "bed_id": .int(7)]),
        DynamicRow(
          "Plant", ["name": .string("dill"), "height": .int(20), "bed_id": .int(7)]),
        DynamicRow("Plant", ["name": .string("weed"), "height": .null, "bed_id": .null]),
        DynamicRow("Plant", ["name": .string("sage"), "height": .null, "bed_id": .null]),
        DynamicRow("Plant", ["name": .string("moss"), "height": .null, "bed_id": .null]),
      ])
      for id in [3, 5] as [Int64] {
        try tx.delete(DynamicQuery("Plant", where: attribute("id").compare(.equal, int(id))))
      }
    }
  }

  fileprivate func sizes() throws -> [StoredValue] {
    try read { try $0.fetch(DynamicQuery("Box")) }.map { $0["size"] }
  }
}
