import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite struct PutTests {
  static let item = StoredEntity(
    name: "Item",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("price", .double, isOptional: true),
    ], key: [0])
  static let schema = StoredSchema(entities: [item])

  @Test func `5.1 upsert tells inserted, updated and unchanged apart`() throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    let first = try store.put(
      Self.item, .upsert, [[.int(1), .string("a"), .double(1)], [.int(2), .string("b"), .null]])
    #expect(first.outcomes == [.inserted, .inserted])
    let second = try store.put(
      Self.item, .upsert,
      [
        [.int(1), .string("a"), .double(1)], [.int(2), .string("b"), .double(0)],
        [.int(3), .string("c"), .null],
      ])
    #expect(second.outcomes == [.unchanged, .updated, .inserted])
    #expect(
      try store.all("Item") == [
        [.int(1), .string("a"), .double(1)], [.int(2), .string("b"), .double(0)],
        [.int(3), .string("c"), .null],
      ])
    #expect(
      try fixture.command("SELECT * FROM Item ORDER BY id") == "1|a|1.0\n2|b|0.0\n3|c|")
  }

  @Test func `1.2 and 5.1: a zero of the other sign is a change, and keeps its sign`() throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    try store.put(Self.item, .insert, [[.int(1), .string("a"), .double(0)]])
    let put = try store.put(Self.item, .upsert, [[.int(1), .string("a"), .double(-0.0)]])
    #expect(put.outcomes == [.updated])
    let again = try store.put(Self.item, .update, [[.int(1), .string("a"), .double(-0.0)]])
    #expect(again.outcomes == [.unchanged])
    let row = try #require(try store.all("Item").first)
    #expect(row[2].isIdentical(to: .double(-0.0)))
  }

  @Test func `5.1 insert of an existing key throws duplicate with key and attributes`() throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    try store.put(Self.item, .insert, [[.int(1), .string("a"), .null]])
    let error = try thrownError {
      try store.put(
        Self.item, .insert, [[.int(2), .string("b"), .null], [.int(1), .string("c"), .null]])
    }
    #expect(error.code == .duplicate)
    #expect(error.entity == "Item")
    #expect(error.attributes == ["id"])
    #expect(error.values == [.int(1)])
    #expect(error.key == [.int(1)])
    #expect(try store.all("Item").count == 1)
  }

  @Test func `5.1 update of a missing row throws notFound with its key`() throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    let error = try thrownError {
      try store.put(Self.item, .update, [[.int(7), .string("b"), .null]])
    }
    #expect(error.code == .notFound)
    #expect(error.key == [.int(7)])
    #expect(error.entity == "Item")
  }

  @Test func `5.4 insertMissing leaves what exists alone`() throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    try store.put(Self.item, .insert, [[.int(1), .string("a"), .null]])
    let put = try store.put(
      Self.item, .insertMissing, [[.int(1), .string("z"), .null], [.int(2), .string("b"), .null]])
    #expect(put.outcomes == [.unchanged, .inserted])
    #expect(try store.all("Item").map { $0[1] } == [.string("a"), .string("b")])
  }

  @Test func `a cursor pauses and goes on, and stops`() throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    try store.put(Self.item, .insert, (1...5).map { [.int($0), .string("n\($0)"), .null] })
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    let cursor = try reader.cursor(
      FetchRequest(entity: "Item", sort: Self.schema.keyOrder("Item")))
    var taker = RowTaker(most: 2, last: .pause)
    #expect(try cursor.visit(&taker))
    taker.most = 4
    #expect(try cursor.visit(&taker))
    #expect(taker.rows.map { $0[0] } == [.int(1), .int(2), .int(3), .int(4)])
    taker.most = 5
    taker.last = .stop
    #expect(try !cursor.visit(&taker))
    #expect(try !cursor.visit(&taker))
    #expect(taker.rows.count == 5)
  }
}
