internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clause 10.4: `set` steps that one pass over the rows can make.
  static let setsInOnePass: [ConformanceCase] = [
    ConformanceCase("sets of several versions see what those before them set", "10.1", "10.4") {
      context in
      var store = try context.open(try boxes(version: 1))
      try store.write { tx in
        for (id, a, b, c, d) in [(1, 2, 10, 5, 1), (2, -3, 20, nil, 2), (3, 0, 1, 0, 0)]
          as [(Int64, Int64, Int64, Int64?, Int64)]
        {
          try tx.insert([
            DynamicRow(
              "Box",
              [
                "id": .int(id), "a": .int(a), "b": .int(b), "c": c.map { .int($0) } ?? .null,
                "d": .int(d),
              ])
          ])
        }
      }
      func set(_ name: String, _ value: String, where condition: String? = nil) -> MigrationStep {
        .set(name, in: "Box", to: value, where: condition)
      }
      let plan = MigrationPlan([
        .version(2, [set("a", "a + b"), set("b", "a * 2 - id")]),
        .version(3, [set("a", "a - b"), set("c", "c + a"), set("a", "a * a")]),
        .version(
          4,
          [set("d", "d + 1"), set("b", "b + 1", where: "a > 100"), set("b", "b + a")]),
      ])
      store = try context.reopen(store, try boxes(version: 4), options: .migrating(plan))
      let rows = try store.read { try $0.fetch(DynamicQuery("Box")) }
      // a: 12, 17, 1; b: 23, 32, -1; a: -11, -15, 2; c: -6, nil, 2; a: 121, 225, 4; d; b.
      try context.expectSame(rows.map { $0["a"] }, [.int(121), .int(225), .int(4)])
      try context.expectSame(rows.map { $0["b"] }, [.int(145), .int(258), .int(3)])
      try context.expectSame(rows.map { $0["c"] }, [.int(-6), .null, .int(2)])
      try context.expectSame(rows.map { $0["d"] }, [.int(2), .int(3), .int(1)])
      let byIndex = Condition.compare(.attribute("a"), .equal, .value(.int(225)), [])
      try context.expectEqual(try store.ids("Box", byIndex), [2])
      try context.expectEqual(try store.check().faults.count, 0)
    },
    ConformanceCase("a set that overflows on the way throws", "10.2", "10.4", "10.6") { context in
      var store = try context.open(try boxes(version: 1))
      let row = DynamicRow(
        "Box", ["id": .int(1), "a": .int(4_000_000_000), "b": .int(0), "d": .int(100)])
      try store.write { try $0.insert([row]) }
      // Each ends where it would fit again.
      let back = MigrationStep.set("a", in: "Box", to: "a - 9000000000000000000")
      for (steps, code) in [
        ([.set("a", in: "Box", to: "a * a - 9000000000000000000")], .overflow),
        ([.set("a", in: "Box", to: "a * a"), back], .overflow),
        ([.set("b", in: "Box", to: "a * a"), .set("a", in: "Box", to: "b * 0")], .overflow),
        ([.set("a", in: "Box", to: "0 - a * a"), .set("a", in: "Box", to: "a * 0")], .overflow),
        (
          [.set("d", in: "Box", to: "d * 1000"), .set("d", in: "Box", to: "d - 99990")],
          .invalidValue
        ),
        ([.set("d", in: "Box", to: "d * 1000 - 99990")], nil),
      ] as [([MigrationStep], StoreError.Code?)] {
        let plan = MigrationPlan([.version(2, steps)])
        let schema = try boxes(version: 2)
        guard let code else {
          store = try context.reopen(store, schema, options: .migrating(plan))
          continue
        }
        let error = try context.expectError(.migrationFailed) {
          try context.reopen(store, schema, options: .migrating(plan))
        }
        try context.expectEqual(error.failures.first?.code, code, "\(steps)")
        try context.expect(error.message.contains("version 2, step 1"), error.message)
        store = try context.reopen(store, try boxes(version: 1))
        let rows = try store.read { try $0.fetch(DynamicQuery("Box")) }
        try context.expectSame(rows.map { $0["a"] }, [.int(4_000_000_000)])
        try context.expectSame(rows.map { $0["d"] }, [.int(100)])
      }
      let rows = try store.read { try $0.fetch(DynamicQuery("Box")) }
      try context.expectSame(rows.map { $0["d"] }, [.int(10)])
    },
  ]

  private static func boxes(version: Int) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Box",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("a", .int64),
            AttributeDescription("b", .int64),
            AttributeDescription("c", .int64, isOptional: true), AttributeDescription("d", .int16),
          ], key: ["id"], indexes: [IndexDescription([.init("a")])])
      ], version: version)
  }
}
