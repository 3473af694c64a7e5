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
