internal import ORM

extension ConformanceCase {
  /// Clauses 5.1 to 5.5: rows that stay as they are where a rule is broken, or seems to be.
  static let brokenRules: [ConformanceCase] = [
    ConformanceCase(
      "a save that breaks a unique rule leaves the row as it was in the transaction that goes on",
      "5.1", "5.5"
    ) { context in
      let store = try context.open(Account.self)
      let first = Account(1, 1, email: "a", region: "r", local: 1)
      let second = Account(2, 2, email: "b")
      try store.save([first, second])
      try store.write { tx in
        for broken in [
          Account(2, 1), Account(2, 3, email: "a"), Account(2, 3, region: "r", local: 1),
        ] {
          try context.expectError(.duplicate) { try tx.save(broken) }
          try context.expectError(.duplicate) { try tx.update(broken) }
          try context.expectError(.duplicate) { try tx.save([broken]) }
          try context.expectError(.duplicate) { try tx.save(broken, merge: .skippingNil) }
          try context.expectEqual(try tx.fetch(Account.all), [first, second], "\(broken)")
        }
        try tx.save(Account(3, 3))
      }
      try context.expectEqual(try store.fetch(Account.all), [first, second, Account(3, 3)])
    },
    ConformanceCase(
      "a row that is left alone breaks no unique rule by what it would have become", "5.1", "5.4"
    ) { context in
      let store = try context.open(Account.self)
      let rows = [Account(1, 1, email: "a"), Account(2, 2, email: "b")]
      try store.save(rows)
      let other = Account(2, 1, email: "a")
      try context.expectEqual(try store.save(other, merge: .insertOnly), rows[1])
      try context.expectEqual(try store.save([other], merge: .insertOnly).unchanged, 1)
      try context.expectEqual(
        try store.save([Account(3, 3), other], merge: .insertOnly).inserted, 1)
      try context.expectEqual(try store.fetch(Account.all), rows + [Account(3, 3)])
      try context.expectError(.duplicate) { try store.save(Account(4, 1), merge: .insertOnly) }
    },
    ConformanceCase("the default of a normalized attribute is stored in its form", "2.3", "5.4") {
      context in
      let entity = EntityDescription(
        name: "City",
        attributes: [
          AttributeDescription("id", .int64),
          AttributeDescription(
            "name", .string, defaultValue: .value(.string("e\u{301}")), isNormalized: true),
        ], key: ["id"])
      let store = try context.open(Schema(entities: [entity]))
      _ = try store.write { try $0.insert([DynamicRow("City", ["id": .int(1)])]) }
      let rows = try store.read { try $0.fetch(DynamicQuery("City")) }
      try context.expectSame(rows.map { $0["name"] }, [.string("\u{E9}")])
    },
    ConformanceCase(
      "keys that are given do not meet those of the same batch, where rows pass values on", "5.1",
      "5.5"
    ) { context in
      let store = try context.open(named)
      try store.write { tx in
        try tx.save([row(1, "x"), row(2, "y")])
        let counts = try tx.save([row(1, "y"), row(2, "x"), row(10, "z"), row(0, "w")])
        try context.expectEqual(counts, SaveCounts(inserted: 2, updated: 2))
        try context.expectError(.duplicate) { try tx.save([row(20, "v"), row(0, "v")]) }
      }
      try context.expectEqual(
        try store.read { try $0.fetch(DynamicQuery("Named")) },
        [row(1, "y"), row(2, "x"), row(10, "z"), row(11, "w")])
    },
    ConformanceCase(
      "a key given to a row that was refused is the next one given", "5.1", "5.5"
    ) { context in
      let store = try context.open(named)
      try store.write { tx in
        try tx.insert([row(0, "a")])
        try context.expectError(.duplicate) { try tx.insert([row(0, "a")]) }
        try context.expectError(.duplicate) { try tx.insert([row(7, "a")]) }
        try tx.insert([row(0, "b")])
      }
      try context.expectEqual(
        try store.read { try $0.fetch(DynamicQuery("Named")) }, [row(1, "a"), row(2, "b")])
    },
  ]

  /// A key that the store gives beside a unique name.
  private static var named: Schema {
    get throws {
      try Schema(entities: [
        EntityDescription(
          name: "Named",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("name", .string),
          ], key: ["id"], keySource: .generated,
          indexes: [IndexDescription(["name"], isUnique: true)])
      ])
    }
  }

  private static func row(_ id: Int64, _ name: String) -> DynamicRow {
    DynamicRow("Named", ["id": .int(id), "name": .string(name)])
  }
}
