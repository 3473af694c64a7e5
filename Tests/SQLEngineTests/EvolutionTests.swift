import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite struct EvolutionTests {
  let fixture: SQLiteFixture

  init() throws { fixture = SQLiteFixture() }

  static func schema(
    _ more: [StoredColumn] = [], _ indexes: [StoredIndex] = [], _ entities: [StoredEntity] = []
  ) -> StoredSchema {
    StoredSchema(
      entities: [
        StoredEntity(
          name: "Item",
          columns: [
            StoredColumn("id", .int64), StoredColumn("name", .string),
            StoredColumn("tags", .array(.string)),
          ] + more, key: [0], indexes: indexes)
      ] + entities)
  }

  static let rows: [[StoredValue]] = [
    [.int(1), .string("Ann"), .array([.string("x"), .string("y"), .string("x")])],
    [.int(2), .string("Bob"), .array([])],
  ]

  func filled(_ fixture: SQLiteFixture) throws {
    let store = try fixture.store(Self.schema())
    try store.put(Self.schema().entities[0], .insert, Self.rows)
    try store.close(CloseTurn())
  }

  @Test func `7.5 columns, indexes and entities are added, old rows filled`() throws {
    try filled(fixture)
    let other = StoredEntity(
      name: "Other", columns: [StoredColumn("key", .string)], key: [0])
    let schema = Self.schema(
      [
        StoredColumn("price", .double, defaultValue: .double(0.1)),
        StoredColumn("note", .string, isOptional: true),
        StoredColumn("zero", .double, defaultValue: .double(-0.0)),
        StoredColumn("nul", .string, defaultValue: .string("a\0'b")),
        StoredColumn("five", .double, isOptional: true, defaultValue: .double(-5)),
      ],
      [
        StoredIndex("Item_name_folded", [.init(1, form: .caseFolded)]),
        StoredIndex("Item_tags", [.init(2, form: .elements)]),
      ], [other])
    let store = try fixture.store(schema)
    let found = try store.all("Item")
    let added: [StoredValue] = [.double(0.1), .null, .double(-0.0), .string("a\0'b"), .double(-5)]
    #expect(RandomRequestTests.areIdentical(found, Self.rows.map { $0 + added }))
    let folded = FetchRequest(
      entity: "Item",
      condition: .compare(.attribute("name"), .equal, .value(.string("ANN")), .caseInsensitive))
    #expect(try store.rows(folded).map { $0[0] } == [.int(1)])
    let tagged = FetchRequest(
      entity: "Item", condition: .isIn(.value(.string("x")), list: .attribute("tags"), []))
    #expect(try store.rows(tagged).map { $0[0] } == [.int(1)])
    try store.put(other, .insert, [[.string("k")]])
    #expect(
      try fixture.command("SELECT element, owner FROM \"Item$tags\" ORDER BY 1") == "x|1\ny|1")
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
  }

  @Test func `7.5 what is not declared survives updates`() throws {
    let wide = Self.schema([StoredColumn("extra", .int64, isOptional: true)])
    var store = try fixture.store(wide)
    try store.put(wide.entities[0], .insert, [Self.rows[0] + [.int(42)]])
    try store.close(CloseTurn())
    store = try fixture.store(Self.schema())
    var changed = Self.rows[0]
    changed[1] = .string("New")
    try store.put(Self.schema().entities[0], .upsert, [changed])
    try store.put(Self.schema().entities[0], .upsert, [changed], reports: [.outcomes, .oldRows])
    #expect(try store.all("Item") == [changed])
    try store.close(CloseTurn())
    store = try fixture.store(wide)
    #expect(try store.all("Item") == [changed + [.int(42)]])
  }

  @Test func `7.5 anything else is schemaMismatch, naming all, with the file as it was`() throws {
    try filled(fixture)
    let before = try fixture.command(".dump")
    var schema = Self.schema([StoredColumn("must", .int64)])
    schema.entities[0].columns[1].type = .int64
    let error = try thrownError { _ = try fixture.store(schema) }
    #expect(error.code == .schemaMismatch)
    #expect(Set(error.failures.flatMap(\.attributes)) == ["name", "must"])
    #expect(try fixture.command(".dump") == before)
    let strict = try thrownError {
      _ = try fixture.store(Self.schema([StoredColumn("o", .int64, isOptional: true)])) {
        $0.schemaPolicy = .strict
      }
    }
    #expect(strict.code == .schemaMismatch)
  }

  @Test func `the stored schema is read without the program`() throws {
    try filled(fixture)
    let store = try fixture.store(nil)
    #expect(store.schema == Self.schema())
    #expect(try store.all("Item") == Self.rows)
    let empty = SQLiteFixture()
    #expect(try thrownError { _ = try empty.store(nil) }.code == .cannotOpen)
  }

  @Test func `an index that is no longer declared goes, with what only it needed`() throws {
    let indexed = Self.schema(
      [],
      [
        StoredIndex("Item_f", [.init(1, form: .caseFolded)]),
        StoredIndex("Item_t", [.init(2, form: .elements)]),
      ])
    let store = try fixture.store(indexed)
    try store.put(indexed.entities[0], .insert, Self.rows)
    try store.close(CloseTurn())
    let plain = try fixture.store(Self.schema())
    #expect(try plain.all("Item") == Self.rows)
    let names = try fixture.command(
      "SELECT name FROM sqlite_schema UNION SELECT name FROM pragma_table_info('Item') ORDER BY 1")
    #expect(!names.contains("$"))
  }

  @Test func `a table that is written anew keeps indexes, elements and undeclared columns`() throws
  {
    let indexes = [
      StoredIndex("Item_f", [.init(1, form: .caseFolded)], isUnique: true),
      StoredIndex("Item_t", [.init(2, form: .elements)]),
    ]
    let before = Self.schema([StoredColumn("extra", .int64, isOptional: true)], indexes)
    var store = try fixture.store(before)
    try store.put(before.entities[0], .insert, Self.rows.map { $0 + [.int(7)] })
    try store.close(CloseTurn())
    let after = Self.schema([StoredColumn("five", .double, defaultValue: .double(5))], indexes)
    store = try fixture.store(after)
    let found = try store.all("Item")
    #expect(RandomRequestTests.areIdentical(found, Self.rows.map { $0 + [.double(5)] }))
    let error = try thrownError {
      let clash: [StoredValue] = [.int(3), .string("ANN"), .array([]), .double(1)]
      try store.put(after.entities[0], .insert, [clash])
    }
    #expect(error.code == .duplicate)
    let tagged = FetchRequest(
      entity: "Item", condition: .isIn(.value(.string("x")), list: .attribute("tags"), []))
    #expect(try store.rows(tagged).count == 1)
    #expect(try store.written { try $0.apply(.delete(tagged)) } == 1)
    #expect(try fixture.command("SELECT count(*) FROM \"Item$tags\"") == "0")
    #expect(try fixture.command("SELECT extra FROM Item") == "7")
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
  }

  @Test func `a store that is missing cannot be opened where none can be made`() throws {
    let options = StoreOptions()
    _ = try SQLiteFile(path: fixture.path, options: options, settings: SQLiteSettings(options))
    let reading = try thrownError { _ = try fixture.store(Self.schema()) { $0.isReadOnly = true } }
    #expect(reading.code == .cannotOpen)
    #expect(try thrownError { _ = try fixture.store(nil) }.code == .cannotOpen)
    #expect(try fixture.command("SELECT count(*) FROM sqlite_schema") == "0")
  }

  @Test func `7.3 only a database with tables of another program is not a database`() throws {
    let options = StoreOptions()
    _ = try SQLiteFile(path: fixture.path, options: options, settings: SQLiteSettings(options))
    try fixture.command("CREATE TABLE other (a)")
    let before = try fixture.command("SELECT * FROM sqlite_schema")
    #expect(try thrownError { _ = try fixture.store(Self.schema()) }.code == .notADatabase)
    #expect(try fixture.command("SELECT * FROM sqlite_schema") == before)
    try fixture.command("DROP TABLE other")
    // The engine's refusal of a table too wide for it says nothing about the file.
    let wide = StoredEntity(
      name: "Wide", columns: (0..<2100).map { StoredColumn("c\($0)", .int64) }, key: [0])
    let error = try thrownError { _ = try fixture.store(StoredSchema(entities: [wide])) }
    #expect(error.code == .engine)
    #expect(error.message.contains("too many columns"))
  }

  @Test func `7.3 a table that the stored schema does not list is corrupt`() throws {
    try filled(fixture)
    try fixture.command("CREATE TABLE Other (a)")
    let other = StoredEntity(name: "Other", columns: [StoredColumn("key", .string)], key: [0])
    let error = try thrownError { _ = try fixture.store(Self.schema([], [], [other])) }
    #expect(error.code == .corrupt)
    #expect(error.store == fixture.path)
    #expect(try fixture.store(Self.schema()).all("Item") == Self.rows)
  }

  @Test func `names that databases fold or reserve stay distinct`() throws {
    let key = StoredColumn("id", .int64)
    let schema = StoredSchema(
      entities: [
        StoredEntity(
          name: "Item", columns: [key, StoredColumn("a", .int64), StoredColumn("A", .int64)],
          key: [0], indexes: [StoredIndex("Item", [.init(1)])]),
        StoredEntity(name: "item", columns: [key, StoredColumn("a\"b", .int64)], key: [0]),
        StoredEntity(name: "sqlite_x", columns: [key], key: [0]),
        StoredEntity(name: "strata_meta", columns: [key], key: [0]),
        StoredEntity(name: "select $1", columns: [key, StoredColumn("rowid", .string)], key: [0]),
      ])
    let store = try fixture.store(schema)
    try store.put(schema.entities[0], .insert, [[.int(1), .int(2), .int(3)]])
    try store.put(schema.entities[1], .insert, [[.int(9), .int(8)]])
    try store.put(schema.entities[4], .insert, [[.int(5), .string("r")]])
    #expect(try store.all("Item") == [[.int(1), .int(2), .int(3)]])
    #expect(try store.all("item") == [[.int(9), .int(8)]])
    #expect(try store.all("sqlite_x").isEmpty && store.all("strata_meta").isEmpty)
    #expect(try store.all("select $1") == [[.int(5), .string("r")]])
  }
}
