internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.6 and 10.7: values that steps change.
  static let migratedValues: [ConformanceCase] = [
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
    ConformanceCase("doubles become the decimals of their shortest texts", "10.6") { context in
      func schema(_ type: AttributeType, _ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Box",
              attributes: [
                AttributeDescription("id", .int64), AttributeDescription("size", type),
              ], key: ["id"])
          ], version: version)
      }
      let sizes: [(Double, String)] = [
        (2.99, "2.99"), (-0.1, "-0.1"), (3, "3"), (1e-7, "0.0000001"), (1e16, "10000000000000000"),
        (0.1 + 0.2, "0.30000000000000004"), (123_456_789.125, "123456789.125"),
      ]
      var store = try context.open(try schema(.double, 1))
      func insert(_ values: [Double], from first: Int64 = 0) throws {
        try store.write { tx in
          try tx.insert(
            values.enumerated().map {
              DynamicRow(
                "Box", ["id": .int(first + Int64($0.offset)), "size": .double($0.element)])
            })
        }
      }
      try insert(sizes.map(\.0) + [.infinity])
      let plan = MigrationPlan([.version(2, [.changeType(of: "size", to: .decimal, in: "Box")])])
      let error = try context.expectError(.migrationFailed) {
        try context.reopen(store, try schema(.decimal, 2), options: .migrating(plan))
      }
      let last = Int64(sizes.count)
      try context.expectEqual(error.failures.map(\.key), [[.int(last)]], "no decimal is infinite")
      try context.expectEqual(error.key, [.int(last)])
      store = try context.reopen(store, try schema(.double, 1))
      try store.write { tx in
        _ = try tx.delete(
          DynamicQuery("Box", where: attribute("id").compare(.equal, int(last))))
      }
      store = try context.reopen(store, try schema(.decimal, 2), options: .migrating(plan))
      try context.expectSame(
        try store.sizes(),
        try sizes.map { .decimal(try context.unwrap(Decimal(string: $0.1), $0.1)) })
      try context.expectEqual(
        store.schema.migrations?.map(\.version), [2], "the log, while it is open")
      store = try context.reopen(store, try schema(.decimal, 2))
      try context.expectEqual(store.schema.migrations?.map(\.version), [2])
    },
    ConformanceCase("a closure that throws is named with its row", "10.2") { context in
      struct Stop: Error {}
      func run(_ step: MigrationStep) throws -> StoreError {
        let store = try context.open(try MigrationSchemas.snacks(version: 1))
        try store.write { tx in
          try tx.insert([
            DynamicRow("Snack", ["id": .int(1), "note": .string("secret")]),
            DynamicRow("Snack", ["id": .int(2), "note": .string("secret")]),
          ])
        }
        return try context.expectError(.migrationFailed) {
          try context.reopen(
            store, try MigrationSchemas.snacks(version: 2),
            options: .migrating(MigrationPlan([.version(2, [step])])))
        }
      }
      for own in [false, true] {
        @Sendable func fail() throws -> Never {
          if own { throw StoreError(.denied, "no") }
          throw Stop()
        }
        let rows = try run(
          .rows(of: "Snack", named: "a", revision: 1) { if $0["id"] == .int(2) { try fail() } })
        let fill = try run(.fill("note", in: "Snack", named: "b", revision: 1) { _ in try fail() })
        let mapped = try run(
          .set(
            "note", in: "Snack", to: "note",
            by: .custom(named: "c", revision: 1) { _ in try fail() }))
        for error in [rows, fill, mapped] {
          try context.expectEqual(error.entity, "Snack")
          try context.expect(error.message.contains("version 2, step 1"), error.message)
          try context.expect(!"\(error)".contains("secret"), "\(error)")
        }
        try context.expectEqual(rows.key, [.int(2)])
        try context.expectEqual(mapped.key, [.int(1)])
        try context.expect(rows.message.contains(", at row 2;"), rows.message)
        try context.expect(mapped.message.contains(", at row 1;"), mapped.message)
        try context.expect(fill.message.contains(", at the rows from 1 on;"), fill.message)
        try context.expectEqual([fill, mapped].map(\.attributes), [["note"], ["note"]])
      }
    },
    ConformanceCase("the text of a failed migration names rows by numbers alone", "10.6", "8.1") {
      context in
      func message(_ keys: [[StoredValue]], _ types: AttributeType...) throws -> String {
        let names = types.indices.map { "k\($0)" }
        func schema(_ version: Int) throws -> Schema {
          try Schema(
            entities: [
              EntityDescription(
                name: "Box",
                attributes: zip(names, types).map { AttributeDescription($0, $1) }
                  + [AttributeDescription("size", .int64)], key: names)
            ], version: version)
        }
        let store = try context.open(try schema(1))
        try store.write { tx in
          try tx.insert(
            keys.map { key in
              DynamicRow(
                "Box",
                Dictionary(uniqueKeysWithValues: zip(names, key))
                  .merging(["size": .int(0)]) { $1 })
            })
        }
        let plan = MigrationPlan([.version(2, [.check("size > 0", in: "Box")])])
        let error = try context.expectError(.migrationFailed) {
          try context.reopen(store, try schema(2), options: .migrating(plan))
        }
        try context.expectEqual(error.failures.map(\.key), keys)
        try context.expectEqual(error.key, keys[0])
        return error.description
      }
      let numbers = (1...7).map { [StoredValue.int($0)] }
      var text = try message(numbers, .int64)
      try context.expect(text.contains(", at rows 1, 2, 3, 4, 5 and others; "), text)
      text = try message(Array(numbers[..<2]), .int64)
      try context.expect(text.contains(", at rows 1, 2; "), text)
      let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
      text = try message([[.int(-3), .uuid(uuid)]], .int64, .uuid)
      try context.expect(
        text.contains(", at row (-3, 01020304-0506-0708-090A-0B0C0D0E0F10); "), text)
      let hidden: [(StoredValue, AttributeType)] = [
        (.string("ann@secret"), .string), (.double(2.5), .double),
      ]
      for (key, type) in hidden {
        text = try message([[key, .int(7)]], type, .int64)
        try context.expect(!text.contains("secret") && !text.contains(", at row"), text)
      }
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
      for keeping in [MigrationStep.RetainedDuplicate.first, .last] {
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
          store, try schema(2), options: .migrating(plan { $0["id"] = .int(0) }, rows: 9_000))
      }
      try context.expectError(.migrationFailed, entity: "Note", attributes: ["cuont"]) {
        try context.reopen(
          store, try schema(2), options: .migrating(plan { $0["cuont"] = .int(0) }, rows: 9_000))
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
      store = try context.reopen(store, try schema(2), options: .migrating(change, rows: 9_000))
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
  ]
}
