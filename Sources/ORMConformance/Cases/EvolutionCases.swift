internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 7.5 and 8.1: other schemas, closed and read-only stores.
  static let evolution: [ConformanceCase] = [
    ConformanceCase("optional attributes and those with a default are added to old rows", "7.5") {
      context in
      var store = try context.open(try plant())
      try store.savePlants([1, 2], ["height": .int(3)])
      store = try context.reopen(
        store,
        try plant(
          AttributeDescription("colour", .string, isOptional: true),
          AttributeDescription("weight", .double, defaultValue: .value(.double(-0.0))),
          AttributeDescription(
            "state", .string, isOptional: true, defaultValue: .value(.string("x"))),
          AttributeDescription("tags", .array(.string), defaultValue: .value(.array([])))))
      try store.savePlants([3], ["height": .int(4), "colour": .string("red"), "state": .null])
      let rows = try store.plants()
      try context.expectEqual(rows.count, 3)
      for row in rows.prefix(2) {
        try context.expectSame(
          ["height", "colour", "weight", "state", "tags"].map { row[$0] },
          [.int(3), .null, .double(-0.0), .string("x"), .array([])])
      }
      try context.expectSame(
        ["height", "colour", "weight", "state"].map { rows[2][$0] },
        [.int(4), .string("red"), .double(-0.0), .null])
      try context.expectEqual(
        try store.ids("Plant", attribute("weight").compare(.equal, real(0))), [1, 2, 3])
      try context.expectEqual(
        try store.ids("Plant", attribute("state").compare(.equal, text("x"))), [1, 2])
      _ = try store.write {
        try $0.update(DynamicQuery("Plant"), ["weight": attribute("weight") + int(1)])
      }
      store = try context.reopen(
        store, try plant(AttributeDescription("weight", .double, defaultValue: .value(.double(0)))))
      try context.expectSame(
        try store.plants().map { $0["weight"] }, [.double(1), .double(1), .double(1)])
    },
    ConformanceCase("entities are added; those not declared are left as they are", "7.5") {
      context in
      var store = try context.open(Snack.self)
      try store.save(Snack(1, "a"))
      store = try context.reopen(store, Ticket.self)
      try context.expectEqual(try store.save(Ticket("t")).id, 1)
      try context.expectError(.unknownEntity, entity: "Snack") { try store.fetch(Snack.all) }
      store = try context.reopen(store, Ticket.self, Snack.self, Note.self)
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a")])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.name == "a" }).count, 1, "by its index")
      try context.expectEqual(try store.save(Ticket("u")).id, 2)
      try store.insert(Note(text: "n"))
      store = try context.reopen(store, Note.self)
      try context.expectEqual(try store.fetch(Note.all).map(\.text), ["n"])
    },
    ConformanceCase("attributes that are not declared survive updates", "7.5") { context in
      let full = try plant(
        AttributeDescription("colour", .string, isOptional: true),
        AttributeDescription("weight", .double, defaultValue: .value(.double(2))))
      var store = try context.open(full)
      try store.savePlants(
        [1, 2], ["height": .int(3), "colour": .string("red"), "weight": .double(7)])
      store = try context.reopen(store, try plant())
      try store.savePlants([1], ["height": .int(9)])
      _ = try store.write {
        try $0.update(
          DynamicQuery("Plant", where: attribute("id").compare(.equal, int(2))), ["height": int(8)])
      }
      try store.savePlants([3], ["height": .int(5)])
      try context.expectError(.unknownAttribute, entity: "Plant") {
        try store.ids("Plant", attribute("colour").compare(.equal, text("red")))
      }
      store = try context.reopen(store, full)
      let rows = try store.plants()
      try context.expectSame(rows.map { $0["height"] }, [.int(9), .int(8), .int(5)])
      try context.expectSame(rows.map { $0["colour"] }, [.string("red"), .string("red"), .null])
      try context.expectSame(rows.map { $0["weight"] }, [.double(7), .double(7), .double(2)])
    },
    ConformanceCase("attributes may change their order in the declaration", "7.5") { context in
      let first = AttributeDescription("colour", .string, isOptional: true)
      let second = AttributeDescription("weight", .double, isOptional: true)
      var store = try context.open(try plant(first, second))
      try store.savePlants(
        [1], ["height": .int(3), "colour": .string("red"), "weight": .double(7)])
      store = try context.reopen(store, try plant(second, first))
      let row = try context.unwrap(try store.plants().first, "the row")
      try context.expectSame(
        [row["height"], row["colour"], row["weight"]], [.int(3), .string("red"), .double(7)])
      try store.savePlants([1], ["height": .int(4), "colour": .string("blue")])
      store = try context.reopen(store, try plant(first, second))
      let new = try context.unwrap(try store.plants().first, "the row")
      try context.expectSame(
        [new["height"], new["colour"], new["weight"]], [.int(4), .string("blue"), .double(7)])
    },
    ConformanceCase("indexes and unique rules are added and dropped", "7.5", "5.1") { context in
      let height = IndexDescription(["height"])
      let unique = IndexDescription(["colour"], isUnique: true)
      let colour = AttributeDescription("colour", .string, isOptional: true)
      var store = try context.open(try plant(colour))
      try store.savePlants([1], ["height": .int(5), "colour": .string("red")])
      try store.savePlants([2, 3], ["height": .int(4), "colour": .null])
      store = try context.reopen(store, try plant(colour, indexes: [height, unique]))
      try context.expectEqual(
        try store.ids("Plant", attribute("height").compare(.less, int(5))), [2, 3])
      try context.expectEqual(
        try store.ids("Plant", attribute("colour").compare(.equal, text("red"))), [1])
      try context.expectError(.duplicate, entity: "Plant", attributes: ["colour"]) {
        try store.savePlants([4], ["height": .int(1), "colour": .string("red")])
      }
      store = try context.reopen(store, try plant(colour, indexes: [height]))
      try store.savePlants([4], ["height": .int(1), "colour": .string("red")])
      try context.expectEqual(
        try store.ids("Plant", .constant(true), order: [SortTerm(attribute("height"))]),
        [4, 2, 3, 1])
    },
    ConformanceCase("an index over many rows is as one over few", "10.18", "7.5", "5.1") {
      context in
      var options = StoreOptions()
      options.migration.onlineIndexRows = 20
      options.migration.indexRunSize = 200
      options.migration.indexMergeSize = 100
      let height = IndexDescription(["height"])
      let unique = IndexDescription(["colour"], isUnique: true)
      let colour = AttributeDescription("colour", .string, isOptional: true)
      let leaves = AttributeDescription("leaves", .int64, defaultValue: .value(.int(4)))
      var store = try context.open(try plant(colour))
      for id in Int64(1)...60 {
        let name = id % 5 == 0 ? StoredValue.null : .string("c\(id)")
        try store.savePlants([id], ["height": .int(id % 7), "colour": name])
      }
      store = try context.reopen(
        store, try plant(colour, leaves, indexes: [height, unique, IndexDescription(["leaves"])]),
        options: options)
      try context.expectEqual(
        try store.ids("Plant", attribute("height").compare(.equal, int(3))),
        [3, 10, 17, 24, 31, 38, 45, 52, 59])
      try context.expectEqual(
        try store.ids("Plant", attribute("colour").compare(.equal, text("c42"))), [42])
      try context.expectEqual(
        try store.ids("Plant", attribute("leaves").compare(.equal, int(4))).count, 60)
      try context.expectError(.duplicate, entity: "Plant", attributes: ["colour"]) {
        try store.savePlants([61], ["height": .int(1), "colour": .string("c42")])
      }
      var faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
      // Without the unique rule, two rows become the same, and it cannot be added again.
      store = try context.reopen(
        store, try plant(colour, leaves, indexes: [height]), options: options)
      try store.savePlants([61], ["height": .int(3), "colour": .string("c42")])
      let error = try context.expectError(.schemaMismatch) {
        try context.reopen(
          store, try plant(colour, leaves, indexes: [height, unique]), options: options)
      }
      try context.expectEqual(error.failures.map(\.attributes), [["colour"]])
      store = try context.reopen(
        store, try plant(colour, leaves, indexes: [height]), options: options)
      try context.expectEqual(try store.plants().count, 61)
      try store.savePlants([62], ["height": .int(3), "colour": .string("c42")])
      try context.expectEqual(
        try store.ids("Plant", attribute("height").compare(.equal, int(3))).suffix(3), [59, 61, 62])
      faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("anything else is schemaMismatch naming every difference", "7.5", "8.1") {
      context in
      let colour = AttributeDescription("colour", .string, isOptional: true)
      let weight = AttributeDescription("weight", .double)
      let first = try plant(colour, weight)
      var store = try context.open(first)
      try store.savePlants([1], ["height": .int(3), "weight": .double(1)])
      let others: [(Schema, [String])] = [
        (
          try plant(
            AttributeDescription("colour", .string), AttributeDescription("weight", .float),
            AttributeDescription("leaves", .int64)), ["colour", "leaves", "weight"]
        ),
        (
          try plant(
            AttributeDescription("colour", .string, isOptional: true, isNormalized: true), weight),
          ["colour"]
        ),
        (try plant(colour), ["weight"]),
        (try plant(colour, weight, key: ["id", "height"]), ["height", "id"]),
        (try plant(colour, weight, keySource: .generated), ["id"]),
      ]
      for (other, attributes) in others {
        let error = try context.expectError(.schemaMismatch) { try context.reopen(store, other) }
        try context.expectEqual(
          Set(error.failures.flatMap(\.attributes)).sorted(), attributes, "the differences")
        try context.expectEqual(Set(error.failures.map(\.entity)), ["Plant"])
      }
      store = try context.reopen(store, first)
      try context.expectEqual(try store.plants().count, 1, "what was held is as it was")
      try context.expectSame(try store.plants().map { $0["weight"] }, [.double(1)])
    },
    ConformanceCase("the strict policy refuses any difference", "7.5") { context in
      let colour = AttributeDescription("colour", .string, isOptional: true)
      var strict = StoreOptions()
      strict.schemaPolicy = .strict
      var store = try context.open(try plant(colour))
      try store.savePlants([1], ["height": .int(3)])
      let extra = AttributeDescription("leaves", .int64, isOptional: true)
      for other in [try plant(colour, extra), try plant()] {
        try context.expectError(.schemaMismatch) {
          try context.reopen(store, other, options: strict)
        }
      }
      store = try context.reopen(store, try plant(colour), options: strict)
      try context.expectEqual(try store.plants().count, 1)
    },
    ConformanceCase("a closed store throws closed on every operation", "8.1") { context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1))
      try store.close()
      try store.close()
      for operation: () throws -> Void in [
        { try store.save(Snack(2)) }, { _ = try store.find(Snack.self, 1) },
        { _ = try store.fetch(Snack.all) }, { _ = try store.count(Snack.self) },
        { try store.deleteAll(Snack.self) }, { try store.read { _ in } },
        { try store.write { _ in } }, { try store.update(Snack.all) { $0.name = "" } },
      ] {
        try context.expectError(.closed) { try operation() }
      }
    },
    ConformanceCase("a read-only store reads, and throws readOnly for writes", "8.1") { context in
      var store = try context.open(Snack.self, Ticket.self)
      try store.save([Snack(1, "a"), Snack(2, "b")])
      var options = StoreOptions()
      options.isReadOnly = true
      store = try context.reopen(store, Snack.self, Ticket.self, options: options)
      for operation: () throws -> Void in [
        { try store.save(Snack(3)) }, { try store.deleteAll(Snack.self) },
        { try store.write { _ in } }, { try store.save(Ticket("a")) },
        { try store.update(Snack.all) { $0.name = "" } },
      ] {
        try context.expectError(.readOnly) { try operation() }
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.name), ["a", "b"])
      try context.expectEqual(try store.count(Snack.all.where { $0.name == "b" }), 1)
      store = try context.reopen(store, Snack.self, Ticket.self)
      try store.save(Snack(3))
      try context.expectEqual(try store.count(Snack.self), 3)
    },
    ConformanceCase("several stores are open at once and share nothing", "8.1", "6.1") { context in
      let first = try context.open(Snack.self)
      let second = try context.open(Snack.self)
      try first.write { tx in
        try tx.save(Snack(1, "first"))
        try second.save(Snack(1, "second"))
      }
      try context.expectEqual(try first.fetch(Snack.all), [Snack(1, "first")])
      try context.expectEqual(try second.fetch(Snack.all), [Snack(1, "second")])
    },
    ConformanceCase("errors describe themselves without stored values", "8.1") { context in
      let store = try context.open(Account.self)
      try store.save(Account(1, 10, email: "secret@x"))
      let error = try context.expectError(.duplicate) {
        try store.save(Account(2, 11, email: "secret@x"))
      }
      let text = "\(error)"
      try context.expect(text.contains("Account"), "the entity is named")
      try context.expect(text.contains("email"), "the attribute is named")
      try context.expect(!text.contains("secret"), "the value is left out")
      try context.expectEqual(error.values, [.string("secret@x")])
    },
  ]
}

/// Returns a schema of one entity, with a key, a height and the given parts.
private func plant(
  _ attributes: AttributeDescription..., key: [String] = ["id"],
  keySource: StoredEntity.KeySource = .program, indexes: [IndexDescription] = []
) throws -> Schema {
  let height = AttributeDescription("height", .int64)
  return try Schema(entities: [
    EntityDescription(
      name: "Plant", attributes: [AttributeDescription("id", .int64), height] + attributes,
      key: key, keySource: keySource, indexes: indexes)
  ])
}

extension Store {
  fileprivate func savePlants(_ ids: [Int64], _ values: [String: StoredValue]) throws {
    _ = try write { tx in
      try tx.save(
        ids.map { id in
          DynamicRow("Plant", values.merging(["id": .int(id)]) { first, _ in first })
        })
    }
  }

  fileprivate func plants() throws -> [DynamicRow] {
    try read { try $0.fetch(DynamicQuery("Plant")) }
  }
}
