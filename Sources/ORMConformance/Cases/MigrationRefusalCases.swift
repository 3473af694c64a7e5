internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.2, 10.3 and 10.12: plans that are refused or fail, and recreation.
  static let refusedMigrations: [ConformanceCase] = [
    ConformanceCase("a plan that leads elsewhere is refused before anything is written", "10.3") {
      context in
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      try store.write {
        try $0.insert([DynamicRow("Snack", ["id": .int(1), "price": .double(2)])])
      }
      let target = try MigrationSchemas.snacks(cents: true, version: 2)
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
        try context.reopen(
          store, try MigrationSchemas.snacks(cents: true), options: .migrating(versionless))
      }
      store = try context.reopen(store, try MigrationSchemas.snacks(price: true, version: 1))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] }, [.double(2)])
    },
    ConformanceCase("a step that throws leaves the store as it was", "10.2") { context in
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
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
          store, try MigrationSchemas.snacks(price: true, version: 2), options: .migrating(plan))
      }
      try context.expect(error.message.contains("version 2, step 4"), error.message)
      store = try context.reopen(store, try MigrationSchemas.snacks(price: true, version: 1))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] },
        [.double(2), .double(2), .double(2)])
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("a store that does not fit is made anew where that is asked for", "10.12") {
      context in
      var recreating = StoreOptions()
      recreating.schemaPolicy = .recreate(when: .always)
      var store = try context.open(try MigrationSchemas.garden(version: 3))
      try store.fillGarden()
      store = try context.reopen(
        store, try MigrationSchemas.garden(version: 3), options: recreating)
      try context.expectEqual(try store.ids("Plant", .constant(true)), [1, 2, 4], "it fits")
      // Another type of height, and a lower version, do not.
      for (schema, count) in [
        (try MigrationSchemas.snacks(cents: true, version: 2), 0),
        (try MigrationSchemas.garden(version: 4), 0),
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
  ]
}
