import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// Stores that are open while another migrates what they hold: clauses 10.2 and 10.10.
@Suite struct OpenStoreTests {
  private static let cup = StoredEntity(
    name: "cup",
    columns: [
      StoredColumn("id", .int64), StoredColumn("a", .int64, isOptional: true),
      StoredColumn("b", .int64, isOptional: true),
    ], key: [0], indexes: [StoredIndex("byA", [.init(1)])])

  private static let swap: SchemaChanges = {
    var union = StoredSchema(entities: [cup])
    union.entities[0].columns[1].name = "b"
    union.entities[0].columns[1].attribute = "b"
    union.entities[0].columns[2].name = "a"
    union.entities[0].columns[2].attribute = "a"
    union.entities[0].indexes[0].name = "byB"
    var changes = SchemaChanges(union: union)
    changes.renamedColumns = [.init("cup", "a"): "b", .init("cup", "b"): "a"]
    changes.renamedIndexes[.init("cup", "byB")] = "byA"
    return changes
  }()

  /// The requests that a store answers in ways of their own: by key, by an index, by a scan.
  private func answers(_ store: any Store) throws -> [[[StoredValue]]] {
    var found: [[StoredValue]] = []
    let shape = FetchRequest(
      entity: "cup", condition: .compare(.attribute("id"), .equal, .parameter(0, .int), [])
    ).shape
    let byKey = try store.inReader { reader in
      var log = RowLog()
      try reader.visit(shape, binding: 1, &log)
      return log.rows
    }
    found += byKey
    return [
      found,
      try store.rows(FetchRequest(entity: "cup", condition: attribute("a", .equal, .int(10)))),
      try store.rows(of: "cup"),
    ]
  }

  @Test("An older program is refused from its next transaction on", arguments: MigratedMap.allCases)
  func olderPrograms(_ kind: MigratedMap) throws {
    try kind.run { map in
      let old = try map.open(StoredSchema(entities: [Self.cup], version: 1))
      let row: [StoredValue] = [.int(1), .int(10), .int(20)]
      try old.put([row], into: "cup")
      #expect(try answers(old) == [[row], [row], [row]])
      let reader = try old.reader(ReadTurn())
      var changes = Self.swap
      changes.union.version = 2
      let swap = changes
      let new = try map.open(swap.union) { try $0.change(swap) }
      #expect(try new.rows(of: "cup") == [row], "id, b, a")
      #expect(try reader.rows(FetchRequest(entity: "cup")) == [row], "a snapshot from before")
      reader.end()
      for _ in 0..<2 {
        #expect(code { _ = try answers(old) } == .schemaTooNew)
        #expect(code { _ = try old.rows(of: "cup") } == .schemaTooNew)
        #expect(code { try old.put([row], into: "cup") } == .schemaTooNew)
      }
      // A refused writer leaves the way free.
      try new.put([[.int(2), .int(30), .int(40)]], into: "cup")
    }
  }

  @Test("10.10: an older program goes on beside additions", arguments: MigratedMap.allCases)
  func olderProgramsBesideAdditions(_ kind: MigratedMap) throws {
    try kind.run { map in
      let schema = StoredSchema(entities: [Self.cup], version: 1)
      let old = try map.open(schema)
      try old.put([[.int(1), .int(10), .int(20)]], into: "cup")
      var wide = schema.version(2)
      wide.entities[0].columns.append(StoredColumn("c", .int64, defaultValue: .int(7)))
      wide.entities[0].indexes.append(StoredIndex("byB", [.init(2)], isUnique: true))
      let new = try map.open(wide)
      for store in [old, try map.open(schema)] {
        try store.put([[.int(2), .int(30), .int(40)]], into: "cup")
        #expect(code { try store.put([[.int(3), .int(0), .int(40)]], into: "cup") } == .duplicate)
        #expect(
          try store.rows(of: "cup") == [
            [.int(1), .int(10), .int(20)], [.int(2), .int(30), .int(40)],
          ])
      }
      #expect(
        try new.rows(of: "cup") == [
          [.int(1), .int(10), .int(20), .int(7)], [.int(2), .int(30), .int(40), .int(7)],
        ])
      let kept = try map.catalog().schema
      #expect([kept.version, kept.minimumReader, kept.minimumWriter] == [2, 1, 1])
      wide.version = 3
      wide.entities[0].rules = [
        ValidationRule("small", attributes: ["a"], format: "a < 99", message: "must be small")
      ]
      let newest = try map.open(wide)
      for _ in 0..<2 {
        #expect(code { _ = try old.rows(of: "cup") } == .schemaTooNew)
        #expect(code { try old.put([[.int(4), .int(5), .int(6)]], into: "cup") } == .schemaTooNew)
      }
      #expect(try map.open(schema, readOnly: true).rows(of: "cup").count == 2)
      #expect(try newest.faults() == [])
    }
  }

  @Test("A program without versions reads by the new names", arguments: MigratedMap.allCases)
  func withoutVersions(_ kind: MigratedMap) throws {
    try kind.run { map in
      let old = try map.open(StoredSchema(entities: [Self.cup]))
      try old.put([[.int(1), .int(10), .int(20)]], into: "cup")
      _ = try answers(old)
      // The engine's part alone: core gives every migrated schema a version.
      let batch = try map.batch(wait: 1)
      let catalog = try #require(try Catalog.read(from: batch))
      let transaction = try OrderedSchemaTransaction(
        catalog, in: batch, catalog.overflowKeys(limit: map.maximumKeyLength), StoreOptions())
      try transaction.change(Self.swap)
      var commit = try StoreCounters.commit(in: batch)
      commit.stamp += 1
      commit.catalog = transaction.catalog.generation
      try StoreCounters.set(commit, in: batch)
      try batch.commit()
      let row: [StoredValue] = [.int(1), .int(20), .int(10)]
      #expect(try answers(old) == [[row], [], [row]], "id, a, b")
      try old.put([row], into: "cup")
      #expect(try old.rows(of: "cup") == [row])
      #expect(try old.faults() == [])
    }
  }
}
