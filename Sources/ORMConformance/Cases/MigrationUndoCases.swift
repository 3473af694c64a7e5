internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clause 10.11: versions that are undone.
  static let undoneMigrations: [ConformanceCase] = [
    ConformanceCase("versions are undone by the inverse of each step", "10.11", "10.4") { context in
      let plan = MigrationPlan([
        .version(
          2,
          [
            .renameEntity("Player", to: "Athlete"),
            .renameAttribute("name", to: "title", in: "Athlete"),
            .makeOptional("rank", in: "Athlete"),
            .split("Athlete", into: "Address", moving: ["street", "city"], link: "address"),
            .changeType(of: "score", to: .string, in: "Athlete", by: .text)
              .undone(by: [.changeType(of: "score", to: .int64, in: "Athlete")]),
          ]),
        .version(
          4,
          [
            .addAttribute("cents", .int64, in: "Athlete"),
            .set("cents", in: "Athlete", to: "rank * 100"),
            .renameAttribute("cents", to: "cost", in: "Athlete"),
            .fill("cost", in: "Athlete", named: "cost", revision: 1) { $0.map { _ in .int(1) } },
            .renameCase("gold", to: "top", of: "tier", in: "Athlete"),
            .check("cost == 1", in: "Athlete"),
          ]),
      ])
      let first = try UndoSchemas.players(version: 1)
      var store = try context.open(first)
      try store.write { tx in
        try tx.insert(UndoSchemas.players.map { DynamicRow("Player", $0) })
      }
      let before = try store.read { try $0.fetch(DynamicQuery("Player")) }
      let digest = try StoreCopy(from: store, to: try context.open(first)).run().map(\.text)
      for _ in 0..<2 {
        store = try context.reopen(
          store, try UndoSchemas.athletes(version: 4), options: .migrating(plan))
        let rows = try store.read { try $0.fetch(DynamicQuery("Athlete")) }
        try context.expectSame(
          rows.map { $0["title"] }, [.string("Ann"), .string("Bob"), .string("Cid")])
        try context.expectSame(rows.map { $0["score"] }, [.string("7"), .null, .string("-2")])
        try context.expectSame(
          rows.map { $0["tier"] }, [.string("top"), .string("tin"), .string("top")])
        try context.expectSame(
          try store.read { try $0.fetch(DynamicQuery("Address")) }.map { $0["street"] },
          [.string("High Street"), .string("Low Road"), .string("High Street")])
        let back = try plan.inverse(from: 4, to: 1)
        try context.expectEqual(back.versions.map(\.number), [3, 1])
        for _ in 0..<2 {
          store = try context.reopen(store, first, options: .migrating(back))
          let after = try store.read { try $0.fetch(DynamicQuery("Player")) }
          try context.expectEqual(after.map(\.values), before.map(\.values))
          try context.expectEqual(store.schema.version, 1)
        }
        try context.expectEqual(
          try StoreCopy(from: store, to: try context.open(first)).run().map(\.text), digest)
        let faults = try store.check().faults
        try context.expect(faults.isEmpty, "\(faults)")
      }
      // Key 3 was the last.
      try store.write { tx in
        var row = DynamicRow("Player", UndoSchemas.players[0])
        row["name"] = .string("Dot")
        try tx.insert([row])
      }
      try context.expectEqual(try store.ids("Player", .constant(true)), [1, 2, 3, 4])
    },
    ConformanceCase("a key is changed and changed back, and links follow", "10.11", "10.8") {
      context in
      func schema(_ key: String, _ version: Int) throws -> Schema {
        try UndoSchemas.airports(key: key, version: version)
      }
      let plan = MigrationPlan([
        .version(
          2,
          [
            .changeKey(of: "Airport", to: ["code"])
              .undone(by: [.changeKey(of: "Airport", to: ["id"], isGenerated: true)])
          ])
      ])
      var store = try context.open(try schema("id", 1))
      try store.write { tx in
        try tx.insert([
          DynamicRow("Airport", ["code": .string("OSL")]),
          DynamicRow("Airport", ["code": .string("BGO")]),
        ])
        try tx.insert([
          DynamicRow("Route", ["id": .int(1), "start_id": .int(2)]),
          DynamicRow("Route", ["id": .int(2), "start_id": .null]),
          DynamicRow("Route", ["id": .int(3), "start_id": .int(1)]),
        ])
      }
      store = try context.reopen(store, try schema("code", 2), options: .migrating(plan))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Route")) }.map { $0["start_code"] },
        [.string("BGO"), .null, .string("OSL")])
      // A row of the newer program, whose former key is not one that a store makes.
      let back = StoreOptions.migrating(try plan.inverse(from: 2, to: 1))
      try store.write { tx in
        try tx.insert([DynamicRow("Airport", ["code": .string("TRD"), "id": .int(0)])])
      }
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(store, try schema("id", 1), options: back)
      }
      try context.expectEqual(error.failures.map(\.code), [.invalidValue])
      store = try context.reopen(store, try schema("code", 2), options: .migrating(plan))
      try store.write { tx in
        _ = try tx.update(
          DynamicQuery("Airport", where: attribute("id").compare(.equal, int(0))),
          ["id": .value(.int(9))])
      }
      store = try context.reopen(store, try schema("id", 1), options: back)
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Route")) }.map { $0["start_id"] },
        [.int(2), .null, .int(1)])
      try store.write { try $0.insert([DynamicRow("Airport", ["code": .string("BOO")])]) }
      try context.expectEqual(try store.ids("Airport", .constant(true)), [1, 2, 9, 10])
    },
    ConformanceCase("nothing is written where nothing leads back", "10.11", "10.10") { context in
      let first = try MigrationSchemas.snacks(price: true, version: 1)
      let drop = MigrationPlan([
        .version(2, [.makeOptional("price", in: "Snack"), .dropAttributes(["price"], in: "Snack")])
      ])
      let error = try context.expectError(.irreversible) { try drop.inverse(from: 2, to: 1) }
      try context.expect(
        error.message.contains("version 2, step 2 (drop price of Snack)"), error.message)
      try context.expect(error.message.contains("backup"), error.message)
      for (from, to) in [(1, 1), (1, 2), (1, 0), (1, -1)] {
        try context.expectError(.invalidPlan) { try drop.inverse(from: from, to: to) }
      }
      // A store that admits the older program as it is, is led back all the same.
      let plan = MigrationPlan([
        .version(
          2,
          [
            .set("price", in: "Snack", to: "price * 100")
              .undone(by: [.set("price", in: "Snack", to: "price / 100")])
          ])
      ])
      var store = try context.open(first)
      try store.write {
        try $0.insert([DynamicRow("Snack", ["id": .int(1), "price": .double(2)])])
      }
      let second = try MigrationSchemas.snacks(price: true, version: 2)
      store = try context.reopen(store, second, options: .migrating(plan))
      let back = try plan.inverse(from: 2, to: 1)
      func price() throws -> StoredValue? {
        let rows = try store.read { try $0.fetch(DynamicQuery("Snack")) }
        return rows.first?["price"]
      }
      try context.expectEqual(try price(), .double(200))
      try context.expectError(.invalidPlan, "it leads to 1") {
        try context.reopen(
          store, try MigrationSchemas.snacks(price: true), options: .migrating(back))
      }
      try context.expectError(.invalidPlan, "another schema") {
        try context.reopen(
          store, try MigrationSchemas.snacks(cents: true, version: 1),
          options: .migrating(try MigrationPlan([.version(2, [])]).inverse(from: 2, to: 1)))
      }
      store = try context.reopen(store, second, options: .migrating(plan))
      try context.expectEqual(try price(), .double(200), "as it was")
      store = try context.reopen(store, first, options: .migrating(back))
      try context.expectEqual(try price(), .double(2))
      // As text, it does the same.
      store = try context.reopen(store, second, options: .migrating(plan))
      let read = try JSONCoding.decode(MigrationPlan.self, from: JSONCoding.encode(plan))
      store = try context.reopen(
        store, first, options: .migrating(try read.inverse(from: 2, to: 1)))
      try context.expectEqual(try price(), .double(2))
      let written = try JSONCoding.decode(MigrationPlan.self, from: JSONCoding.encode(back))
      try context.expect(written.leadsBack, "a plan that leads back, as text")
      store = try context.reopen(store, try MigrationSchemas.snacks(price: true, version: 3))
      try context.expectError(.schemaTooNew) {
        try context.reopen(store, first, options: .migrating(written))
      }
    },
  ]
}

/// The schemas of the cases about versions that are undone.
private enum UndoSchemas {
  static let players: [[String: StoredValue]] = [
    [
      "name": .string("Ann"), "street": .string("High Street"), "city": .string("York"),
      "rank": .int(3), "score": .int(7), "tier": .string("gold"),
    ],
    [
      "name": .string("Bob"), "street": .string("Low Road"), "city": .null, "rank": .int(1),
      "score": .null, "tier": .string("tin"),
    ],
    [
      "name": .string("Cid"), "street": .string("High Street"), "city": .string("Leeds"),
      "rank": .int(2), "score": .int(-2), "tier": .string("gold"),
    ],
  ]

  static func players(version: Int) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Player",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("name", .string),
            AttributeDescription("street", .string),
            AttributeDescription("city", .string, isOptional: true),
            AttributeDescription("rank", .int64),
            AttributeDescription("score", .int64, isOptional: true),
            AttributeDescription("tier", .string),
          ], key: ["id"], keySource: .generated,
          indexes: [IndexDescription(["name"], isUnique: true), IndexDescription(["street"])])
      ], version: version)
  }

  static func athletes(version: Int) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Athlete",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("title", .string),
            AttributeDescription("rank", .int64, isOptional: true),
            AttributeDescription("score", .string, isOptional: true),
            AttributeDescription("tier", .string),
            AttributeDescription("cost", .int64, isOptional: true),
            AttributeDescription("address_id", .int64, isOptional: true),
          ], key: ["id"], keySource: .generated,
          indexes: [
            IndexDescription(["title"], isUnique: true), IndexDescription(["address_id"]),
          ],
          relationships: [
            RelationshipDescription(
              "address", target: "Address", isToMany: false,
              storage: .own(["address_id"], position: nil))
          ]),
        EntityDescription(
          name: "Address",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("street", .string),
            AttributeDescription("city", .string, isOptional: true),
          ], key: ["id"], keySource: .generated),
      ], version: version)
  }

  static func airports(key: String, version: Int) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Airport",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("code", .string),
          ], key: [key], keySource: key == "id" ? .generated : .program),
        EntityDescription(
          name: "Route",
          attributes: [
            AttributeDescription("id", .int64),
            AttributeDescription(
              "start_\(key)", key == "id" ? .int64 : .string, isOptional: true),
          ], key: ["id"], indexes: [IndexDescription([.init("start_\(key)")])],
          relationships: [
            RelationshipDescription(
              "start", target: "Airport", isToMany: false,
              storage: .own(["start_\(key)"], position: nil))
          ]),
      ], version: version)
  }
}
