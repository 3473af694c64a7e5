internal import ORM
internal import ORMCoordinator
internal import ORMCore
internal import ORMMigrations
internal import ORMObservation

extension ConformanceCase {
  /// Clause 10.9: migrations of many transactions.
  static let migrationParts: [ConformanceCase] = [
    ConformanceCase("an interrupted migration goes on", "10.2", "10.9", "10.13") { context in
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      try fill(store)
      let calls = Lock<[StoredValue: Int]>([:])
      let plan = pricing { row in
        let count = calls.withLock { calls in
          calls[row["id"], default: 0] += 1
          return calls[row["id"]]
        }
        if StoredValue.equals(row["id"], .int(7)), count == 1 {
          throw StoreError(.full, "the test says so")
        }
        row["cents"] = .int(100)
      }
      let events = Shared<[String]>([])
      let options = inParts(plan, events)
      let target = try MigrationSchemas.snacks(price: true, cents: true, version: 2)
      try context.expectError(.migrationFailed) {
        try context.reopen(store, target, options: options)
      }
      // A program of before sees nothing of it.
      store = try context.reopen(store, try MigrationSchemas.snacks(price: true, version: 1))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] },
        (1...9).map { .double(Double($0)) })
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
      store = try context.reopen(store, target, options: options)
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["cents"] },
        (1...9).map { .int(100 + $0) })
      let counts = calls.withLock { $0 }
      try context.expectEqual(counts.count, 9)
      try context.expect(counts.values.allSatisfy { $0 <= 2 }, "\(counts)")
      let reported = events.value
      try context.expectEqual(reported.first, "willMigrate")
      try context.expectEqual(reported.last, "didMigrate")
      try context.expectEqual(reported.count { $0 == "couldNotMigrate" }, 1)
      try context.expectEqual(reported.count { $0 == "a lower number" }, 0)
      try context.expect(reported.count { $0 == "progress" } > 9, "\(reported)")
    },
    ConformanceCase(
      "links keep their values where a name alone changes beside rows that are written", "10.5",
      "10.9"
    ) { context in
      var store = try context.open(try MigrationSchemas.garden(version: 1))
      try store.fillGarden()
      let plan = MigrationPlan([
        .version(
          2,
          [
            .set("name", in: "Bed", to: "name"),
            .renameRelationship("bed", to: "plot", in: "Plant"),
          ])
      ])
      // The end looks through the links of beds, and pauses, with the names that are declared.
      store = try context.reopen(
        store, try MigrationSchemas.garden(bed: "plot", version: 2), options: inParts(plan))
      let inBed = try DynamicQuery("Plant", in: store.schema, where: "plot.name == 'north'")
      try context.expectSame(
        try store.read { try $0.fetch(inBed) }.map { $0["id"] }, [.int(1), .int(2)])
      let report = try store.check()
      try context.expect(report.isSound, "\(report)")
    },
    ConformanceCase("a migration that fails leaves nothing of its parts", "10.2", "10.9") {
      context in
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      try fill(store)
      struct Stop: Error {}
      let failing = pricing { row in if StoredValue.equals(row["id"], .int(7)) { throw Stop() } }
      let target = try MigrationSchemas.snacks(price: true, cents: true, version: 2)
      try context.expectError(.migrationFailed) {
        try context.reopen(store, target, options: inParts(failing))
      }
      store = try context.reopen(store, try MigrationSchemas.snacks(price: true, version: 1))
      try store.write {
        try $0.insert([DynamicRow("Snack", ["id": .int(10), "price": .double(10)])])
      }
      store = try context.reopen(store, target, options: inParts(pricing { $0["cents"] = .int(1) }))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["cents"] },
        (1...10).map { .int(1 + $0) })
    },
    ConformanceCase("another plan begins anew", "10.9") { context in
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      try fill(store)
      let full = pricing { row in
        row["cents"] = .int(-1)
        if StoredValue.equals(row["id"], .int(9)) { throw StoreError(.full, "the test says so") }
      }
      let target = try MigrationSchemas.snacks(price: true, cents: true, version: 2)
      try context.expectError(.migrationFailed) {
        try context.reopen(store, target, options: inParts(full))
      }
      var other = MigrationPlan([
        .version(2, [.addAttribute("cents", .int64, in: "Snack", default: .int(5))])
      ])
      store = try context.reopen(store, target, options: inParts(other))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["cents"] },
        Array(repeating: .int(5), count: 9))
      other.versions.append(.version(3, [.set("cents", in: "Snack", to: "cents + id")]))
      store = try context.reopen(
        store, try MigrationSchemas.snacks(price: true, cents: true, version: 3),
        options: inParts(other))
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["cents"] },
        (1...9).map { .int(5 + $0) })
    },
    ConformanceCase("the number of rows chooses the way", "10.9", "10.13") { context in
      // 9 rows are copied and written.
      for (limit, hasParts) in [(18, true), (19, false)] {
        let store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
        try fill(store)
        let events = Shared<[String]>([])
        var options = inParts(
          MigrationPlan([
            .version(2, [.set("price", in: "Snack", to: "price + 1")])
          ]), events)
        options.migration.mode = .automatic
        options.migration.atomicRows = limit
        let migrated = try context.reopen(
          store, try MigrationSchemas.snacks(price: true, version: 2), options: options)
        try context.expectEqual(events.value.contains("progress"), hasParts)
        try context.expectSame(
          try migrated.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] },
          (1...9).map { .double(Double($0 + 1)) })
      }
    },
    ConformanceCase("a plan of steps row by row may run beside writers", "10.19", "10.9") {
      context in
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      try fill(store)
      let events = Shared<[String]>([])
      var options = inParts(pricing { $0["cents"] = .int(100) }, events)
      options.migration.access = .online
      store = try context.reopen(
        store, try MigrationSchemas.snacks(price: true, cents: true, version: 2), options: options)
      let rows = try store.read { try $0.fetch(DynamicQuery("Snack")) }
      try context.expectSame(rows.map { $0["cents"] }, (1...9).map { .int(100 + $0) })
      try context.expectSame(rows.map { $0["price"] }, (1...9).map { .double(Double($0)) })
      try context.expectEqual(events.value.last, "didMigrate")
      // A coordinator migrates in one transaction.
      let parts = events.value.count { $0 == "progress" }
      try context.expect(store is StoreCoordinator ? parts == 0 : parts > 9, "\(events.value)")
      try context.expectEqual(store.schema.entities.map(\.name), ["Snack"])
      let faults = try store.check().faults
      try context.expect(faults.isEmpty, "\(faults)")
    },
    ConformanceCase("a step that needs other rows does not run beside writers", "10.19", "10.3") {
      context in
      let steps: [MigrationStep] = [
        .addAttribute("cents", .int64, in: "Snack", default: .int(0)),
        .set("cents", in: "Snack", to: "id + 1"),
        .removeDuplicates(of: ["tag"], in: "Snack"),
        .run(named: "more", revision: 1) { _ in },
      ]
      var store = try context.open(try MigrationSchemas.snacks(price: true, version: 1))
      try fill(store)
      let target = try MigrationSchemas.snacks(price: true, cents: true, version: 2)
      let events = Shared<[String]>([])
      var options = inParts(MigrationPlan([.version(2, steps)]), events)
      options.migration.access = .online
      for mode in [MigrationOptions.Mode.resumable, .automatic] {
        options.migration.mode = mode
        let error = try context.expectError(.invalidPlan) {
          try context.reopen(store, target, options: options)
        }
        try context.expect(error.message.contains("version 2, step 3"), error.message)
      }
      try context.expectEqual(events.value, [])
      store = try context.reopen(store, try MigrationSchemas.snacks(price: true, version: 1))
      try context.expectEqual(try store.read { try $0.count(DynamicQuery("Snack")) }, 9)
      options.migration.mode = .atomic
      store = try context.reopen(store, target, options: options)
      try context.expectSame(
        try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["cents"] },
        (1...9).map { .int($0 + 1) })
    },
    ConformanceCase("an expression along a relationship does not run beside writers", "10.19") {
      context in
      let plan = MigrationPlan([
        .version(2, [.set("height", in: "Plant", to: "bed.id", where: "height != nil")])
      ])
      let store = try context.open(try MigrationSchemas.garden(version: 1))
      try store.fillGarden()
      var options = inParts(plan)
      options.migration.access = .online
      let target = try MigrationSchemas.garden(version: 2)
      let error = try context.expectError(.invalidPlan) {
        try context.reopen(store, target, options: options)
      }
      try context.expect(error.message.contains("version 2, step 1"), error.message)
    },
  ]
}

private func fill(_ store: any Store) throws {
  try store.write { tx in
    try tx.insert(
      (1...9).map { DynamicRow("Snack", ["id": .int($0), "price": .double(Double($0))]) })
  }
}

/// A plan that adds cents, sets them by a closure, and adds the key to them.
private func pricing(
  _ body: @escaping @Sendable (inout DynamicRow) throws -> Void
) -> MigrationPlan {
  MigrationPlan([
    .version(
      2,
      [
        .addAttribute("cents", .int64, in: "Snack", default: .int(0)),
        .rows(of: "Snack", named: "cents", revision: 1, body),
        .set("cents", in: "Snack", to: "cents + id"),
      ])
  ])
}

/// Options that migrate in transactions of two rows, and list the names of events.
///
/// The list has "a lower number" where progress goes back.
private func inParts(
  _ plan: MigrationPlan, _ events: Shared<[String]> = Shared([])
) -> StoreOptions {
  var options = StoreOptions.$partRows.withValue(2) { StoreOptions.migrating(plan) }
  let last = Lock(0)
  options.onSchemaEvent = { event in
    let text: String
    switch event {
    case .progress(let progress):
      text = last.withLock { last in
        defer { last = progress.rowsDone }
        return progress.rowsDone >= last && progress.rowsDone <= progress.rowsAbout
          ? "progress" : "a lower number"
      }
    case .willMigrate:
      last.withLock { $0 = 0 }
      text = "willMigrate"
    // Only a store in a file is copied.
    case .didBackUp: return
    case .didFind: text = "didFind"
    case .didMigrate: text = "didMigrate"
    case .couldNotMigrate: text = "couldNotMigrate"
    case .willRecreate, .didRecreate, .couldNotRecreate: text = "recreation"
    }
    events.change { $0.append(text) }
  }
  return options
}
