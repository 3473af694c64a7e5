internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 10.10 and 10.13: programs of several versions, and the events of openings.
  static let olderPrograms: [ConformanceCase] = [
    ConformanceCase("an older program writes beside what the store keeps by itself", "10.10") {
      context in
      var store = try context.open(try shelf(version: 1))
      try store.addCup(1, ["size": .int(5)])
      let newer = try shelf(
        AttributeDescription("note", .string, isOptional: true),
        AttributeDescription("count", .int64, defaultValue: .value(.int(7))),
        indexes: [
          IndexDescription(["count"]), IndexDescription(["size"], isUnique: true),
          IndexDescription([.caseInsensitive("label")]),
        ], others: true, version: 2)
      store = try context.reopen(store, newer)
      try store.addCup(2, ["size": .int(6), "note": .string("n"), "count": .int(8)])
      for version in 1...2 {
        // Twice: the older program leaves nothing behind that keeps it or others out.
        store = try context.reopen(store, try shelf(version: 1))
        try context.expectEqual(store.schema.version, 1)
        try store.addCup(Int64(2 + version), ["size": .int(Int64(10 * version))])
        try context.expectError(.duplicate) { try store.addCup(9, ["size": .int(6)]) }
        _ = try store.write {
          try $0.update(
            DynamicQuery("Cup", where: attribute("id").compare(.equal, int(2))),
            ["label": text("Two")])
        }
        try context.expectEqual(
          try store.ids("Cup", attribute("size").compare(.greaterOrEqual, int(6))),
          Array([2, 3, 4].prefix(1 + version)))
      }
      store = try context.reopen(store, newer)
      let rows = try store.cups()
      try context.expectSame(rows.map { $0["id"] }, [1, 2, 3, 4].map { .int($0) })
      try context.expectSame(rows.map { $0["size"] }, [5, 6, 10, 20].map { .int($0) })
      try context.expectSame(rows.map { $0["count"] }, [7, 8, 7, 7].map { .int($0) })
      try context.expectSame(rows.map { $0["note"] }, [.null, .string("n"), .null, .null])
      try context.expectEqual(
        try store.ids("Cup", attribute("count").compare(.equal, int(7))), [1, 3, 4], "its index")
      try context.expectEqual(
        try store.ids("Cup", attribute("label").compare(.equal, text("TWO"), .caseInsensitive)), [2]
      )
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("an older program adds nothing and drops nothing", "10.10") { context in
      let note = AttributeDescription("note", .string, isOptional: true)
      var store = try context.open(
        try shelf(note, indexes: [IndexDescription(["label"])], version: 1))
      try store.addCup(1, ["size": .int(5), "note": .string("n")])
      let newer = try shelf(note, indexes: [IndexDescription(["note"])], version: 2)
      store = try context.reopen(store, newer)
      // It has no index on notes, and one on labels.
      store = try context.reopen(
        store, try shelf(note, indexes: [IndexDescription(["label"])], version: 1))
      try store.addCup(2, ["size": .int(6), "label": .string("b")])
      try context.expectEqual(
        try store.ids("Cup", attribute("label").compare(.equal, text("b"))), [2])
      let wider = AttributeDescription("extra", .int64, isOptional: true)
      let error = try context.expectError(.schemaMismatch) {
        try context.reopen(store, try shelf(note, wider, version: 1))
      }
      try context.expectEqual(error.failures.map(\.attributes), [["extra"]])
      try context.expectError(.schemaMismatch) {
        try context.reopen(store, try shelf(note, others: true, version: 1))
      }
      var strict = StoreOptions()
      strict.schemaPolicy = .strict
      store = try context.reopen(store, newer, options: strict)
      try context.expectEqual(store.schema.version, 2, "the stored schema is the newer one's")
      try context.expectEqual(
        try store.ids("Cup", attribute("note").compare(.equal, text("n"))), [1])
    },
    ConformanceCase("a program that only reads adds nothing", "7.5", "8.1") { context in
      var reading = StoreOptions()
      reading.isReadOnly = true
      var store = try context.open(try shelf(version: 1))
      try store.addCup(1, ["size": .int(5)])
      try store.addCup(2, ["size": .int(6)])
      let extra = AttributeDescription("extra", .int64, defaultValue: .value(.int(7)))
      let found = AttributeDescription("found", .date, defaultValue: .now)
      for (schema, attributes) in [
        (try shelf(extra, version: 1), ["extra"]), (try shelf(found, version: 1), ["found"]),
        (try shelf(others: true, version: 1), []),
        (try shelf(indexes: [IndexDescription(["size"], isUnique: true)], version: 1), ["size"]),
      ] {
        let error = try context.expectError(.schemaMismatch) {
          try context.reopen(store, schema, options: reading)
        }
        try context.expectEqual(error.failures.map(\.attributes), [attributes])
        let message = error.failures.first?.message ?? ""
        try context.expect(message.contains("open it once for writing"), message)
      }
      // An index costs time alone.
      let indexed = try shelf(indexes: [IndexDescription(["size"])], version: 1)
      store = try context.reopen(store, indexed, options: reading)
      let isSix = attribute("size").compare(.equal, int(6))
      try context.expectEqual(try store.ids("Cup", isSix), [2])
      try context.expectError(.readOnly) { try store.addCup(3, ["size": .int(7)]) }
      store = try context.reopen(store, try shelf(extra, version: 1))
      try context.expectSame(try store.cups().map { $0["extra"] }, [.int(7), .int(7)])
    },
    ConformanceCase("an older program may only read what it would not keep", "10.10") { context in
      let rule = ValidationRule(
        "small", attributes: ["size"], format: "size <= 9", message: "the size is at most 9")
      let stamp = AttributeDescription("changed", .date, isOptional: true, role: .updatedAt)
      var reading = StoreOptions()
      reading.isReadOnly = true
      for isRule in [true, false] {
        func later(_ version: Int) throws -> Schema {
          isRule ? try shelf(rules: [rule], version: version) : try shelf(stamp, version: version)
        }
        let newer = try later(2)
        var store = try context.open(try shelf(version: 1))
        try store.addCup(1, ["size": .int(5)])
        store = try context.reopen(store, newer)
        let error = try context.expectError(.schemaTooNew) {
          try context.reopen(store, try shelf(version: 1))
        }
        try context.expect(error.message.contains("version 2 and later may write"), "\(error)")
        store = try context.reopen(store, try shelf(version: 1), options: reading)
        try context.expectSame(try store.cups().map { $0["size"] }, [.int(5)])
        try context.expectError(.readOnly) { try store.addCup(2, ["size": .int(6)]) }
        // Version 3 changes nothing: those of version 2 maintain the same parts.
        store = try context.reopen(store, try later(3))
        store = try context.reopen(store, newer)
        try store.addCup(2, ["size": .int(6)])
        try context.expectError(.schemaTooNew) {
          try context.reopen(store, try shelf(version: 1))
        }
        store = try context.reopen(store, newer)
        try context.expectEqual(try store.ids("Cup", .constant(true)), [1, 2])
      }
    },
    ConformanceCase("a plan admits no more than its steps, and less where it says so", "10.10") {
      context in
      var reading = StoreOptions()
      reading.isReadOnly = true
      let extra = AttributeDescription("extra", .int64, defaultValue: .value(.int(0)))
      let steps: [MigrationStep] = [
        .addAttribute("extra", .int64, in: "Cup", default: .int(0)),
        .set("extra", in: "Cup", to: "size * 2"),
      ]
      let cases: [(MigrationVersion, SchemaAccess)] = [
        (.version(2, steps), .writing),
        (.version(2, compatible: .writing(since: 1), steps), .writing),
        (.version(2, compatible: .reading(since: 1), steps), .reading),
        (.version(2, compatible: .writing(since: 2), steps), .none),
        (
          .version(
            2, compatible: .writing(since: 1),
            steps + [
              .renameAttribute("size", to: "width", in: "Cup"),
              .renameAttribute("depth", to: "size", in: "Cup"),
              .renameAttribute("width", to: "depth", in: "Cup"),
            ]), .none
        ),
      ]
      for (version, access) in cases {
        var store = try context.open(try shelf(version: 1))
        try store.addCup(1, ["size": .int(5)])
        store = try context.reopen(
          store, try shelf(extra, version: 2), options: .migrating(MigrationPlan([version])))
        try context.expectSame(try store.cups().map { $0["extra"] }, [.int(10)])
        for (options, needed) in [(StoreOptions(), SchemaAccess.writing), (reading, .reading)] {
          if access >= needed {
            store = try context.reopen(store, try shelf(version: 1), options: options)
            try context.expectSame(try store.cups().map { $0["size"] }, [.int(5)])
          } else {
            try context.expectError(.schemaTooNew) {
              try context.reopen(store, try shelf(version: 1), options: options)
            }
          }
        }
      }
    },
    ConformanceCase("events tell what an opening changes once it is committed", "10.13") {
      context in
      let events = Shared<[String]>([])
      func options(_ policy: StoreOptions.SchemaPolicy) -> StoreOptions {
        var options = StoreOptions()
        options.schemaPolicy = policy
        // Only a store in a file is copied.
        options.migration.backup = .none
        options.onSchemaEvent = { event in events.change { $0.append(event.text) } }
        return options
      }
      let failing = MigrationPlan([.version(2, [.check("size > 9", in: "Cup")])])
      let plan = MigrationPlan([
        .version(2, [.set("size", in: "Cup", to: "size + 1")]),
        .version(3, [.dropAttributes(["label"], in: "Cup")]),
      ])
      var store = try context.open(try shelf(version: 1), options: options(.migrate(plan)))
      try store.addCup(1, ["size": .int(5)])
      try context.expectEqual(events.value, [], "a new store")
      store = try context.reopen(store, try shelf(version: 1), options: options(.migrate(plan)))
      try context.expectError(.migrationFailed) {
        try context.reopen(store, try shelf(version: 2), options: options(.migrate(failing)))
      }
      try context.expectEqual(
        events.value, ["willMigrate 1 2", "couldNotMigrate migrationFailed"])
      // Refused before anything begins.
      try context.expectError(.invalidPlan) {
        try context.reopen(
          store, try shelf(hasTextSize: true, version: 2),
          options: options(.migrate(MigrationPlan([.version(2, [.dropEntity("Cat")])]))))
      }
      try context.expectEqual(events.value.count, 2)
      store = try context.reopen(store, try shelf(version: 2), options: options(.migrate(plan)))
      try context.expectEqual(Array(events.value[2...]), ["willMigrate 1 2", "didMigrate"])
      // Additions alone are no migration.
      let note = AttributeDescription("note", .string, isOptional: true)
      store = try context.reopen(store, try shelf(note, version: 2), options: options(.additive))
      try context.expectEqual(events.value.count, 4)
      try context.expectSame(try store.cups().map { $0["size"] }, [.int(6)])
      let recreating = options(.recreate(when: .always))
      store = try context.reopen(
        store, try shelf(hasTextSize: true, version: 3), options: recreating)
      try context.expectEqual(Array(events.value[4...]), ["willRecreate", "didRecreate"])
      store = try context.reopen(
        store, try shelf(hasTextSize: true, version: 3), options: recreating)
      try context.expectEqual(events.value.count, 6, "it fits")
    },
  ]
}

extension SchemaEvent {
  /// The name of the event with its versions, or the code of its error.
  fileprivate var text: String {
    func code(_ error: any Error) -> String { (error as? StoreError).map { "\($0.code)" } ?? "?" }
    switch self {
    case .willMigrate(let from, let to): return "willMigrate \(from) \(to)"
    case .progress: return "progress"
    case .didBackUp: return "didBackUp"
    case .didFind(let errors): return "didFind \(errors.count)"
    case .didMigrate: return "didMigrate"
    case .couldNotMigrate(let error): return "couldNotMigrate \(code(error))"
    case .willRecreate: return "willRecreate"
    case .didRecreate: return "didRecreate"
    case .couldNotRecreate(let error): return "couldNotRecreate \(code(error))"
    }
  }
}

/// A schema of cups at a version, with further attributes and another entity.
private func shelf(
  _ more: AttributeDescription..., indexes: [IndexDescription] = [], rules: [ValidationRule] = [],
  others: Bool = false, hasTextSize: Bool = false, version: Int
) throws -> Schema {
  var entities = [
    EntityDescription(
      name: "Cup",
      attributes: [
        AttributeDescription("id", .int64),
        AttributeDescription("size", hasTextSize ? .string : .int64, isOptional: true),
        AttributeDescription("depth", .int64, isOptional: true),
        AttributeDescription("label", .string, isOptional: true),
      ] + more, key: ["id"], indexes: indexes, rules: rules)
  ]
  if others {
    entities.append(
      EntityDescription(
        name: "Plate", attributes: [AttributeDescription("id", .int64)], key: ["id"]))
  }
  return try Schema(entities: entities, version: version)
}

extension Store {
  fileprivate func addCup(_ id: Int64, _ values: [String: StoredValue]) throws {
    try write { tx in
      try tx.insert([DynamicRow("Cup", values.merging(["id": .int(id)]) { $1 })])
    }
  }

  fileprivate func cups() throws -> [DynamicRow] {
    try read { try $0.fetch(DynamicQuery("Cup")) }
  }
}
