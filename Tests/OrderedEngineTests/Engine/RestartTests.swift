import ORMCore
import Testing

@testable import ORMStorage
@testable import OrderedEngine

/// Readers that begin anew after their end.
@Suite struct RestartTests {
  private static let item = StoredEntity(
    name: "Item", columns: [StoredColumn("id", .int64), StoredColumn("name", .string)], key: [0])
  private static let schema = StoredSchema(entities: [item])
  private static let all = FetchRequest(entity: "Item", condition: .constant(true))

  private func keys(_ reader: any StoreReader) throws -> [StoredValue] {
    try reader.rows(Self.all).map { $0[0] }
  }

  private func put(_ key: Int64, in store: any Store) throws {
    try store.put([[.int(key), .string("n")]], into: "Item")
  }

  @Test(
    "a reader begins anew on the newest commit, once it has ended", arguments: TestedMap.allCases)
  func beginsAnew(_ map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      let reader = try #require(try store.reader(ReadTurn()) as? any RestartableReader)
      #expect(try keys(reader) == [])
      #expect(try !reader.restart(ReadTurn()), "it has not ended")
      try put(1, in: store)
      #expect(try keys(reader) == [])
      reader.end()
      #expect(throws: StoreError.self) { try keys(reader) }
      guard try reader.restart(ReadTurn()) else {
        #expect(map == .lmdbLibrary, "its snapshots are made anew")
        return
      }
      defer { reader.end() }
      #expect(try keys(reader) == [.int(1)])
      reader.end()
      try put(2, in: store)
      #expect(try reader.restart(ReadTurn()))
      #expect(try keys(reader) == [.int(1), .int(2)])
    }
  }

  @Test(
    "a cursor that is kept past the end keeps its reader from it", arguments: TestedMap.allCases)
  func keptCursor(_ map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try put(1, in: store)
      let reader = try #require(try store.reader(ReadTurn()) as? any RestartableReader)
      var cursor: (any StoreCursor)? = try reader.cursor(Self.all)
      reader.end()
      #expect(try !reader.restart(ReadTurn()))
      var log = RowLog()
      #expect(throws: StoreError.self) { _ = try cursor?.visit(&log) }
      #expect(log.rows == [])
      cursor = nil
      if map != .lmdbLibrary {
        #expect(try reader.restart(ReadTurn()))
        #expect(try keys(reader) == [.int(1)])
        reader.end()
      }
    }
  }

  @Test("a store closes beside a reader that has ended, which then cannot begin")
  func closed() throws {
    for map in [TestedMap.memory, .lmdb] {
      try map.withStore(Self.schema) { store in
        let reader = try #require(try store.reader(ReadTurn()) as? any RestartableReader)
        reader.end()
        try store.close(CloseTurn())
        let error = #expect(throws: StoreError.self) { _ = try reader.restart(ReadTurn()) }
        #expect(error?.code == .closed)
        #expect(throws: StoreError.self) { try keys(reader) }
      }
    }
  }
}
