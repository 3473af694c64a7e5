import ORMCore
import Testing

@testable import MemoryBackend
@testable import OrderedEngine

/// Rows and index entries are held against each other, both ways.
struct VerificationTests {
  private static let schema = StoredSchema(entities: [
    StoredEntity(
      name: "Word",
      columns: [
        StoredColumn("id", .int64), StoredColumn("text", .string),
        StoredColumn("tags", .array(.string), isOptional: true),
      ], key: [0],
      indexes: [
        StoredIndex("Word.text", [.init(1, isDescending: true)]),
        StoredIndex("Word.tags", [.init(2, form: .elements)]),
      ])
  ])

  private func withWords(_ body: (LimitedMap, any Store, StoreLayout) throws -> Void) throws {
    let map = LimitedMap()
    let store = try OrderedStoreEngine(map, schema: Self.schema, runtime: StoreRuntime())
    try store.put(
      [
        [.int(1), .string("a"), .array([.string("x"), .string("y"), .string("x")])],
        [.int(2), .string(String(repeating: "long", count: 20)), .null],
        [.int(3), .string(String(repeating: "long", count: 20)), .array([])],
      ], into: "Word")
    let snapshot = try map.snapshot()
    let catalog = try #require(try Catalog.read(from: snapshot))
    snapshot.end()
    let layout = try StoreLayout(
      catalog, declared: Self.schema, overflowKeys: OverflowKeys(limit: map.maximumKeyLength))
    try body(map, store, layout)
  }

  private func faults(_ store: any Store) throws -> [StoreError] {
    try store.inReader { reader in
      var faults: [StoreError] = []
      try reader.verify { faults.append($0) }
      return faults
    }
  }

  private func change(_ map: LimitedMap, _ body: (MemoryBatch) throws -> Void) throws {
    let batch = try map.batch(wait: 1)
    try body(batch)
    try batch.commit()
  }

  @Test("A sound store has no fault")
  func sound() throws {
    try withWords { _, store, _ in
      let found = try faults(store)
      #expect(found.isEmpty)
    }
  }

  @Test("A row whose entry is gone is reported with its key", arguments: [0, 1])
  func lackingEntry(index: Int) throws {
    try withWords { map, store, layout in
      let keyspace = layout.entities[0].indexes[index].keyspace
      try change(map) { batch in
        let cursor = try batch.cursor(in: keyspace)
        let stands = try cursor.seekLast()
        #expect(stands)
        let key = Array(cursor.key)
        _ = try key.withUnsafeBytes { try batch.remove($0, in: keyspace) }
      }
      let found = try faults(store)
      #expect(found.map(\.code) == [.corrupt])
      // The last of the descending texts is "a"; the last element is "y": both are of row 1.
      #expect(found.map(\.key) == [[.int(1)]])
      #expect(found.map(\.entity) == ["Word"])
    }
  }

  @Test("Rows that a damaged map gives twice, instead of others, are reported")
  func rowsTwice() throws {
    let map = SortedArrayMap()
    let store = try OrderedStoreEngine(map, schema: Self.schema, runtime: StoreRuntime())
    try store.put(
      (1...4).map { [.int($0), .string("text \($0)"), .null] }, into: "Word")
    let snapshot = map.snapshot()
    let catalog = try #require(try Catalog.read(from: snapshot))
    let layout = try StoreLayout(
      catalog, declared: Self.schema, overflowKeys: OverflowKeys(limit: map.maximumKeyLength))
    let keyspace = try #require(layout.entities[0].keyspace)
    // As many rows as before, and every index has as many entries as they make.
    var keyspaces = snapshot.keyspaces
    keyspaces[keyspace] = keyspaces[keyspace].map { [$0[0], $0[1], $0[0], $0[1]] }
    map.publish(keyspaces)
    let found = try faults(store)
    #expect(found.map(\.code) == [.corrupt])
    #expect(found.map(\.key) == [[.int(1)]])
  }

  @Test("Entries whose row is gone are reported, one for each")
  func lackingRow() throws {
    try withWords { map, store, layout in
      let keyspace = try #require(layout.entities[0].keyspace)
      try change(map) { batch in
        let cursor = try batch.cursor(in: keyspace)
        let stands = try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(stands)
        let key = Array(cursor.key)
        _ = try key.withUnsafeBytes { try batch.remove($0, in: keyspace) }
      }
      // Of row 1: its text, and x and y.
      let found = try faults(store)
      #expect(found.map(\.code) == [.corrupt, .corrupt, .corrupt])
    }
  }

  @Test("A row stored under another key is reported")
  func misplaced() throws {
    try withWords { map, store, layout in
      let keyspace = try #require(layout.entities[0].keyspace)
      try change(map) { batch in
        let cursor = try batch.cursor(in: keyspace)
        let stands = try cursor.seekLast()
        #expect(stands)
        let value = Array(cursor.value)
        var key = Array(cursor.key)
        key[key.count - 1] = 9
        try key.withUnsafeBytes { key in
          try value.withUnsafeBytes { try batch.put(key, $0, in: keyspace) }
        }
      }
      let found = try faults(store)
      #expect(found.allSatisfy { $0.code == .corrupt })
      #expect(!found.isEmpty)
    }
  }
}
