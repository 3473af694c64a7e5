import ORMCore
import TestSupport
import Testing

@testable import MemoryBackend
@testable import OrderedEngine

/// The transaction of a migration: what its writers see, what it undoes, and when it runs.
@Suite struct MigrationWriterTests {
  /// The first schema with an attribute that no program declares and one that core keeps.
  private static let kept: StoredSchema = {
    var schema = SnackSchema.first
    schema.entities[1].columns.append(StoredColumn("floor", .int64, defaultValue: .int(0)))
    schema.entities[1].columns.append(
      StoredColumn("$owner", .int64, isOptional: true, isInternal: true))
    return schema
  }()

  @Test("A writer sees and writes everything that is stored", arguments: MigratedMap.allCases)
  func writer(_ kind: MigratedMap) throws {
    try kind.run { map in
      let first = try map.open(Self.kept)
      try SnackSchema.fill(map.open(SnackSchema.first))
      try first.put([[.string("c"), .string("Cork"), .null, .int(3), .int(9)]], into: "shop")
      let store = try map.open(SnackSchema.first.version(2)) { transaction in
        let writer = try transaction.writer()
        let shop = try #require(transaction.schema["shop"])
        #expect(
          try writer.rows(FetchRequest(entity: "shop", condition: .constant(true))) == [
            SnackSchema.shops[0] + [.int(0), .null], SnackSchema.shops[1] + [.int(0), .null],
            [.string("c"), .string("Cork"), .null, .int(3), .int(9)],
          ])
        try writer.put([[.string("a"), .string("Aa"), .null, .int(1), .int(7)]], into: shop)
        let count = try writer.apply(
          .update(
            FetchRequest(entity: "shop", condition: attribute("floor", .equal, .int(0))),
            [.init(column: 4, value: .value(.int(8)))]))
        #expect(count == 2)
        #expect(
          try writer.apply(
            .delete(FetchRequest(entity: "shop", condition: attribute("$owner", .equal, .int(9)))))
            == 1)
        do {
          try writer.savepoint {
            _ = try writer.apply(.clear("shop"))
            throw TestFailure("undone")
          }
        } catch is TestFailure {}
        let snack = transaction.schema["snack"]
        let row: [StoredValue] = [.int(0), .string("y"), .null, .int(1), .null]
        #expect(try writer.put([row], into: snack).keys == [11])
        #expect(try transaction.writer().put([row], into: snack).keys == [12])
        #expect(try writer.put([row], into: snack).keys == [13])
        #expect(try writer.explain(FetchRequest(entity: "snack")).access == .scan)
        // A change ends the writers of before; the next counts on.
        var union = transaction.schema
        union.version = 2
        try transaction.change(SchemaChanges(union: union))
        #expect(code { _ = try writer.put([row], into: snack) } == .transactionEnded)
        #expect(try transaction.writer().put([row], into: snack).keys == [14])
        let repeated: [StoredValue] = [.int(0), .string("z"), .string("salty"), .int(1), .null]
        #expect(
          code { _ = try transaction.writer().put([repeated], into: snack) } == .duplicate)
      }
      let all = try map.open(nil)
      #expect(
        try all.rows(of: "shop") == [
          [.string("a"), .string("Aa"), .null, .int(1), .int(7)],
          SnackSchema.shops[0] + [.int(0), .int(8)], SnackSchema.shops[1] + [.int(0), .int(8)],
        ])
      #expect(
        try store.rows(of: "snack").map { $0[0] } == [1, 2, 3, 11, 12, 13, 14].map { .int($0) })
      #expect(try store.faults() == [])
    }
  }

  @Test("What throws leaves the store as it was", arguments: MigratedMap.allCases)
  func rollsBack(_ kind: MigratedMap) throws {
    try kind.run { map in
      try SnackSchema.fill(map.open(SnackSchema.first))
      let catalog = try map.catalog()
      let bytes = try (0..<catalog.nextKeyspace).map { try map.entries(of: $0) }
      var union = SnackSchema.first.version(2)
      union.entities[0].columns.remove(at: 2)
      union.entities[0].indexes = [StoredIndex("unique", [.init(1)], isUnique: true)]
      var changes = SchemaChanges(union: union)
      changes.droppedColumns = [.init("snack", "taste")]
      changes.droppedIndexes = ["byName", "byTaste", "byTags", "byPrice"].map {
        .init("snack", $0)
      }
      changes.addedIndexes = [.init("snack", "unique")]
      let drop = changes
      let steps: [(StoreError.Code?, @Sendable (any SchemaTransaction) throws -> Void)] = [
        (
          .migrationFailed,
          {
            try $0.change(drop)
            _ = try $0.writer().apply(.clear("shop"))
            throw StoreError(.migrationFailed, "a step failed")
          }
        ),
        (
          .duplicate,
          {
            let row: [StoredValue] = [.int(0), .string("chips"), .null, .int(1), .null]
            _ = try $0.writer().put([row], into: $0.schema["snack"])
            try $0.change(drop)
          }
        ),
        // It does not lead to what the program declares.
        (
          .schemaMismatch,
          {
            var other = SnackSchema.first
            other.entities[1].columns[1].name = "town"
            var changes = SchemaChanges(union: other)
            changes.renamedColumns[.init("shop", "town")] = "city"
            try $0.change(changes)
          }
        ),
      ]
      for (expected, steps) in steps {
        #expect(code { _ = try map.open(SnackSchema.first.version(2), steps) } == expected)
        #expect(try map.catalog() == catalog)
        #expect(try (0..<catalog.nextKeyspace).map { try map.entries(of: $0) } == bytes)
      }
      let error = try thrownError {
        _ = try map.open(SnackSchema.first.version(2), steps[1].1)
      }
      #expect(error.message.contains("unique"))
      #expect((error.entity, error.attributes) == ("Snack", ["name"]))
      let store = try map.open(SnackSchema.first)
      #expect(try store.rows(of: "snack") == SnackSchema.rows)
      #expect(try store.faults() == [])
    }
  }

  @Test("Additions come after a migration, in its transaction")
  func additionsAfterwards() throws {
    let map = LimitedMap()
    try SnackSchema.fill(map.open(SnackSchema.first))
    var declared = SnackSchema.first.version(2)
    declared.entities[0].columns[3].name = "cents"
    declared.entities[0].columns[3].attribute = "cents"
    var renamed = declared
    declared.entities[1].columns.append(StoredColumn("floor", .int64, defaultValue: .int(4)))
    renamed.version = 2
    var changes = SchemaChanges(union: renamed)
    changes.renamedColumns[.init("snack", "cents")] = "price"
    let rename = changes
    let before = try StoreCounters.commit(in: map.snapshot()).stamp
    let store = try map.open(declared) { try $0.change(rename) }
    #expect(try StoreCounters.commit(in: map.snapshot()).stamp == before + 1)
    #expect(try store.rows(of: "shop").map { $0[3] } == [.int(4), .int(4)])
    #expect(try store.keys("snack", attribute("cents", .equal, .int(350))).keys == [.int(2)])
    // What is done is not done again, and nothing is asked of a store without a declared schema.
    _ = try map.open(declared) { _ in Issue.record("needed twice") }
    _ = try map.open(nil) { _ in Issue.record("needed without a schema") }
    #expect(try StoreCounters.commit(in: map.snapshot()).stamp == before + 1)
  }

  @Test("A store that is read alone is not migrated")
  func readOnly() throws {
    let map = LimitedMap()
    try SnackSchema.fill(map.open(SnackSchema.first))
    let error = try thrownError {
      _ = try map.open(SnackSchema.first.version(2), readOnly: true) { _ in }
    }
    #expect(error.code == .schemaMismatch)
    #expect(error.message.contains("read-only"))
    _ = try map.open(SnackSchema.first, readOnly: true) { _ in }
  }

  @Test("The image of a memory store is migrated in memory")
  func image() throws {
    let folder = TestFolder()
    let path = folder.file("snacks.image")
    let store = MemoryStore(stored: SnackSchema.first)
    try SnackSchema.fill(store)
    try store.write(to: path)
    let image = try bytes(path)
    var union = SnackSchema.first.version(2)
    union.entities[1].name = "stall"
    union.entities[1].modelName = "Stall"
    var changes = SchemaChanges(union: union)
    changes.renamedEntities["stall"] = "shop"
    let rename = changes
    var options = StoreOptions()
    options.schemaPolicy = .migrate(StepMigration { try $0.change(rename) })
    let again = try MemoryStore(stored: union, contentsOf: path, options: options)
    #expect(try again.rows(of: "stall") == SnackSchema.shops)
    #expect(try again.faults() == [])
    #expect(try bytes(path) == image)
    // A new store has nothing to migrate.
    let new = MemoryStore(stored: union, options: options)
    #expect(try new.rows(of: "stall") == [])
  }
}
