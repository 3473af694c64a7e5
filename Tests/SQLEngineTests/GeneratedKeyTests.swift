import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite struct GeneratedKeyTests {
  let fixture: SQLiteFixture

  init() throws { fixture = SQLiteFixture() }

  static let item = StoredEntity(
    name: "Item", columns: [StoredColumn("id", .int64), StoredColumn("name", .string)], key: [0],
    keySource: .generated)
  static let hidden = StoredEntity(
    name: "Note", columns: [StoredColumn("text", .string), StoredColumn("_key", .int64)],
    key: [1], keySource: .hidden)
  static let schema = StoredSchema(entities: [item, hidden])

  static func rows(_ keys: Int64...) -> [[StoredValue]] { keys.map { [.int($0), .string("x")] } }

  func delete(_ store: SQLiteStore, _ key: Int64) throws {
    try store.written {
      _ = try $0.apply(
        .delete(
          FetchRequest(
            entity: "Item", condition: .compare(.attribute("id"), .equal, .value(.int(key)), []))))
    }
  }

  @Test func `5.5 a key is one more than the greatest, explicit ones included`() throws {
    let store = try fixture.store(Self.schema)
    #expect(try store.put(Self.item, .insert, Self.rows(0, 0, 10, 0)).keys == [1, 2, 10, 11])
    #expect(try store.put(Self.item, .upsert, Self.rows(0)).keys == [12])
  }

  @Test func `5.5 a key is never given again, after a delete and reopening`() throws {
    var store = try fixture.store(Self.schema)
    try store.put(Self.item, .insert, Self.rows(0, 0, 0))
    try delete(store, 3)
    try store.close(CloseTurn())
    store = try fixture.store(Self.schema)
    #expect(try store.put(Self.item, .insert, Self.rows(0)).keys == [4])
    try store.written { _ = try $0.apply(.clear("Item")) }
    #expect(try store.put(Self.item, .insert, Self.rows(0)).keys == [5])
    #expect(try fixture.command("SELECT value FROM strata_meta WHERE name = 'key:Item'") == "4")
  }

  @Test func `5.5 a key of a savepoint that was rolled back is free again`() throws {
    struct Stop: Error {}
    let store = try fixture.store(Self.schema)
    var keys: [[Int64]] = []
    try store.written { writer in
      keys.append(try writer.put(Self.item, .insert, Self.rows(0)).keys)
      do {
        try writer.savepoint {
          keys.append(try writer.put(Self.item, .insert, Self.rows(0, 100)).keys)
          throw Stop()
        }
      } catch is Stop {}
      keys.append(try writer.put(Self.item, .insert, Self.rows(0)).keys)
    }
    #expect(keys == [[1], [2, 100], [2]])
    #expect(try store.all("Item").map { $0[0] } == [.int(1), .int(2)])
  }

  @Test func `5.5 after the last key comes keysExhausted`() throws {
    let store = try fixture.store(Self.schema)
    try store.put(Self.item, .insert, Self.rows(.max))
    let error = try thrownError { try store.put(Self.item, .insert, Self.rows(0)) }
    #expect(error.code == .keysExhausted)
  }

  @Test func `a hidden key is given and read as the last column`() throws {
    let store = try fixture.store(Self.schema)
    var source = ValueSource(
      [[.string("a")], [.string("b")]], of: Self.hidden, columns: [0])
    var recorder = PutRecorder()
    try store.written {
      try $0.put(
        PutRequest(entity: "Note", mode: .insert, reports: .outcomes), from: &source,
        to: &recorder)
    }
    #expect(recorder.keys == [1, 2])
    #expect(try store.all("Note") == [[.string("a"), .int(1)], [.string("b"), .int(2)]])
  }
}
