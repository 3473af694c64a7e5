internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.11 and 10.16: rules and links at the end of a plan, and inverses by the former schema.
  static let migrationEnds: [ConformanceCase] = [
    ConformanceCase("rows that break rules are reported at the end", "10.13", "10.16") { context in
      let plan = MigrationPlan([
        .version(2, [.set("price", in: "Snack", to: "price - 5")])
      ])
      func store() throws -> any Store {
        let store = try context.open(try EndSchemas.snacks(version: 1))
        try store.write { tx in
          try tx.insert(
            (1...9).map { DynamicRow("Snack", ["id": .int($0), "price": .double(Double($0))]) })
        }
        return store
      }
      let second = try EndSchemas.snacks(isRuled: true, version: 2)
      let found = Lock<[[StoreError]]>([])
      var options = StoreOptions.migrating(plan)
      options.onSchemaEvent = { event in
        if case .didFind(let errors) = event { found.withLock { $0.append(errors) } }
      }
      let migrated = try context.reopen(try store(), second, options: options)
      let errors = found.withLock { $0 }
      try context.expectEqual(errors.count, 1)
      try context.expectEqual(
        errors.first?.map(\.key), [[.int(1)], [.int(2)], [.int(3)], [.int(4)]])
      try context.expectEqual(errors.first?.first?.code, .validationFailed)
      try context.expectEqual(errors.first?.first?.rule, "range")
      try context.expectEqual(errors.first?.first?.attributes, ["price"])
      try context.expectSame(
        try migrated.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] },
        (1...9).map { .double(Double($0 - 5)) })
      options.migration.validation = .throw
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(try store(), second, options: options)
      }
      try context.expectEqual(
        error.failures.map(\.code), Array(repeating: .validationFailed, count: 4))
      options.migration.validation = .off
      _ = try context.reopen(try store(), second, options: options)
      try context.expectEqual(found.withLock { $0.count }, 1)
      // No step has written a row.
      options = StoreOptions.migrating(MigrationPlan([.version(2, [])]))
      options.migration.validation = .throw
      _ = try context.reopen(try store(), second, options: options)
    },
    ConformanceCase("links that lead nowhere stop a plan or are removed", "10.16") { context in
      let set = MigrationStep.rows(of: "Plant", named: "beds", revision: 1) { row in
        if !row["bed_id"].isNull { row["bed_id"] = .int(99) }
      }
      let plan = MigrationPlan([.version(2, [set])])
      func store() throws -> any Store {
        let store = try context.open(try MigrationSchemas.garden(version: 1))
        try store.fillGarden()
        return store
      }
      let second = try MigrationSchemas.garden(version: 2)
      var options = StoreOptions.migrating(plan)
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(try store(), second, options: options)
      }
      try context.expectEqual(error.failures.map(\.code), [.missingTarget, .missingTarget])
      try context.expectEqual(error.failures.map(\.key), [[.int(1)], [.int(2)]])
      try context.expectEqual(error.failures.first?.attributes, ["bed"])
      func beds(_ store: any Store) throws -> [StoredValue] {
        try store.read { try $0.fetch(DynamicQuery("Plant")) }.map { $0["bed_id"] }
      }
      options.migration.links = .clear
      var migrated = try context.reopen(try store(), second, options: options)
      try context.expectSame(try beds(migrated), [.null, .null, .null])
      options.migration.links = .off
      migrated = try context.reopen(try store(), second, options: options)
      try context.expectSame(try beds(migrated), [.int(99), .int(99), .null])
    },
    ConformanceCase("types and keys are changed back by the former schema", "10.11") { context in
      let plan = MigrationPlan([
        .version(
          2,
          [
            .changeType(of: "code", to: .string, in: "Part"),
            .changeType(of: "size", to: .double, in: "Part"),
            .changeType(of: "isNew", to: .int64, in: "Part"),
            .changeType(of: "weight", to: .decimal, in: "Part", by: .exact),
            .changeKey(of: "Part", to: ["code"]),
          ])
      ])
      let (first, second) = (try EndSchemas.parts(version: 1), try EndSchemas.parts(version: 2))
      var store = try context.open(first)
      try store.write { tx in
        try tx.insert([
          DynamicRow(
            "Part",
            [
              "code": .int(.max), "size": .int(-7), "isNew": .bool(true), "weight": .int(.min),
            ]),
          DynamicRow(
            "Part",
            ["code": .int(-5), "size": .int(3), "isNew": .bool(false), "weight": .null]),
        ])
      }
      let before = try store.read { try $0.fetch(DynamicQuery("Part")) }.map(\.values)
      store = try context.reopen(store, second, options: .migrating(plan))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Part")) }.map { $0["code"] },
        [.string("-5"), .string("9223372036854775807")])
      try context.expectError(.irreversible) { try plan.inverse(from: 2, to: 1) }
      let back = try plan.inverse(from: 2, to: first.stored)
      store = try context.reopen(store, first, options: .migrating(back))
      try context.expectEqual(
        try store.read { try $0.fetch(DynamicQuery("Part")) }.map(\.values), before)
      // 0.5 has no integer.
      let lossy = MigrationPlan([
        .version(2, [.changeType(of: "price", to: .int64, in: "Snack", by: .rounded)])
      ])
      try context.expectError(.irreversible) {
        try lossy.inverse(from: 2, to: try EndSchemas.snacks(version: 1).stored)
      }
      try context.expectError(.invalidPlan) {
        try plan.inverse(from: 2, to: try MigrationSchemas.snacks().stored)
      }
    },
    ConformanceCase("statements of SQL run in stores of their kind", "10.3", "10.17") { context in
      let statement = MigrationStep.sql(
        "UPDATE \"Snack\" SET \"price\" = \"price\" * 2 WHERE \"id\" > 7", for: .statements)
      for wrong in ["COMMIT", "DROP TABLE \"Snack\"", "-- none", ""] {
        let store = try context.open(try EndSchemas.snacks(version: 1))
        try context.expectError(.invalidPlan, wrong) {
          try context.reopen(
            store, try EndSchemas.snacks(version: 2),
            options: .migrating(MigrationPlan([.version(2, [.sql(wrong, for: .statements)])])))
        }
      }
      let store = try context.open(try EndSchemas.snacks(version: 1))
      try store.write {
        try $0.insert([DynamicRow("Snack", ["id": .int(8), "price": .double(1)])])
      }
      try context.expectError(.invalidPlan) {
        try context.reopen(
          store, try EndSchemas.snacks(version: 2),
          options: .migrating(MigrationPlan([.version(2, [statement])])))
      }
    },
  ]
}

extension StoreKind {
  /// A kind that no store is of.
  fileprivate static let statements = StoreKind(scheme: "statements", fileExtension: "none") {
    _, _, _ in throw StoreError(.cannotOpen, "there is no such store")
  }
}

/// The schemas of the cases about the ends of plans.
private enum EndSchemas {
  static func snacks(isRuled: Bool = false, version: Int) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Snack",
          attributes: [AttributeDescription("id", .int64), AttributeDescription("price", .double)],
          key: ["id"],
          rules: isRuled
            ? [
              ValidationRule(
                "range", attributes: ["price"], format: "price >= 0", message: "must be at least 0")
            ] : [])
      ], version: version)
  }

  static func parts(version: Int) throws -> Schema {
    let isNew = version == 2
    return try Schema(
      entities: [
        EntityDescription(
          name: "Part",
          attributes: [
            AttributeDescription("id", .int64),
            AttributeDescription("code", isNew ? .string : .int64),
            AttributeDescription("size", isNew ? .double : .int32),
            AttributeDescription("isNew", isNew ? .int64 : .bool),
            AttributeDescription("weight", isNew ? .decimal : .int64, isOptional: true),
          ], key: [isNew ? "code" : "id"], keySource: isNew ? .program : .generated)
      ], version: version)
  }
}
