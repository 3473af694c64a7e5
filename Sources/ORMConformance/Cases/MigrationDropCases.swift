internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.1 and 10.7: attributes and entities that are dropped, and that no program sees again.
  static let droppedParts: [ConformanceCase] = [
    ConformanceCase("an entity that is dropped and added again begins anew", "10.1", "10.7") {
      context in
      let names = ["name", "price"]
      var store = try context.open(try cups(names, generates: true, version: 1))
      let row = DynamicRow("Cup", ["name": .string("Blue"), "price": .int(5)])
      var versions: [MigrationVersion] = []
      for version in [1, 3, 5] as [Int] {
        try store.write { tx in try tx.insert([row, row]) }
        // Its keys begin anew too.
        try context.expectEqual(try store.ids("Cup", .constant(true)), [1, 2])
        versions.append(.version(version + 1, [.dropEntity("Cup")]))
        let options = StoreOptions.migrating(MigrationPlan(versions))
        let without = try Schema(entities: [other], version: version + 1)
        store = try context.reopen(store, without, options: options)
        try context.expectEqual(store.schema.entities.map(\.modelName), ["Other"])
        try context.expectEqual(try store.check().faults.count, 0)
        let digests = try StoreCopy(from: store, to: try context.open(without)).run()
        try context.expectEqual(digests.count, 1)
        versions.append(.version(version + 2, []))
        store = try context.reopen(
          store, try cups(names, generates: true, version: version + 2),
          options: .migrating(MigrationPlan(versions)))
        try context.expectEqual(try store.ids("Cup", .constant(true)), [])
      }
      try context.expectEqual(try store.check().faults.count, 0)
    },
    ConformanceCase("an attribute that is dropped and added again begins anew", "10.1", "10.7") {
      context in
      var store = try context.open(
        try cups(["name", "isOld", "price", "note", "size"], version: 1))
      try store.write { tx in
        try tx.insert([
          DynamicRow(
            "Cup",
            [
              "id": .int(1), "name": .string("Blue"), "isOld": .bool(true), "price": .int(5),
              "note": .string("n"), "size": .int(4),
            ]),
          DynamicRow(
            "Cup",
            [
              "id": .int(2), "name": .string("red"), "isOld": .bool(false), "price": .int(6),
              "note": .null, "size": .int(5),
            ]),
        ])
      }
      let first = MigrationPlan([.version(2, [.dropAttributes(["name", "isOld"], in: "Cup")])])
      store = try context.reopen(
        store, try cups(["price", "note", "size"], version: 2), options: .migrating(first))
      // New rows need no value for the dropped attribute, which was required.
      try store.write { tx in
        try tx.insert([DynamicRow("Cup", ["id": .int(3), "price": .int(7), "note": .string("c")])])
        try tx.update([DynamicRow("Cup", ["id": .int(2), "price": .int(60)])])
      }
      try context.expectEqual(
        try store.update(DynamicQuery("Cup", where: sized(4)), ["size": .value(.int(40))]), 1)
      let second = MigrationPlan(
        first.versions + [.version(3, [.dropAttributes(["note"], in: "Cup")])])
      let schema = try cups(["price", "size", "name", "note"], version: 3)
      store = try context.reopen(store, schema, options: .migrating(second))
      func rows(_ name: String) throws -> [StoredValue] {
        try store.read { try $0.fetch(DynamicQuery("Cup")) }.map { $0[name] }
      }
      try context.expectSame(try rows("price"), [.int(5), .int(60), .int(7)])
      try context.expectSame(try rows("size"), [.int(40), .int(5), .int(3)])
      try context.expectSame(try rows("name"), Array(repeating: .string("none"), count: 3))
      try context.expectSame(try rows("note"), [.null, .null, .null])
      try store.write { tx in
        try tx.update([
          DynamicRow("Cup", ["id": .int(1), "name": .string("GREEN"), "note": .string("g")])
        ])
        _ = try tx.delete(DynamicQuery("Cup", where: sized(5)))
      }
      let green = try DynamicQuery("Cup", in: store.schema, where: "name ==[c] 'green'")
      try context.expectSame(
        try store.read { try $0.fetch(green) }.map { $0["id"] }, [.int(1)], "by the new index")
      try context.expectEqual(try store.check().faults.count, 0)
      // A store that never had the dropped parts.
      let made = try context.open(schema)
      try made.write { tx in
        for row in try store.read({ try $0.fetch(DynamicQuery("Cup")) }) { try tx.insert([row]) }
      }
      let digests = try [store, made].map { source in
        try StoreCopy(from: source, to: try context.open(schema)).run().map(\.text)
      }
      try context.expectEqual(digests[0], digests[1])
    },
  ]

  private static func sized(_ size: Int64) -> Condition {
    .compare(.attribute("size"), .equal, .value(.int(size)), [])
  }

  private static let other = EntityDescription(
    name: "Other", attributes: [AttributeDescription("id", .int64)], key: ["id"])

  private static func cups(
    _ names: [String], generates: Bool = false, version: Int
  ) throws -> Schema {
    let all = [
      AttributeDescription("id", .int64),
      AttributeDescription("name", .string, defaultValue: .value(.string("none"))),
      AttributeDescription("isOld", .bool), AttributeDescription("price", .int64),
      AttributeDescription("note", .string, isOptional: true),
      AttributeDescription("size", .int64, defaultValue: .value(.int(3))),
    ]
    return try Schema(
      entities: [
        EntityDescription(
          name: "Cup",
          attributes: (["id"] + names).compactMap { name in all.first { $0.name == name } },
          key: ["id"], keySource: generates ? .generated : .program,
          indexes: names.contains("name")
            ? [IndexDescription([.init("name", form: .caseFolded)])] : [])
      ] + (generates ? [other] : []), version: version)
  }
}
