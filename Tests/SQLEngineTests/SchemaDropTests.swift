import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// Columns that are dropped, or that get and lose `NOT NULL`, without a rewritten table.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct SchemaDropTests {
  let fixture = SQLiteFixture()

  static let columns = [
    StoredColumn("id", .int64), StoredColumn("name", .string),
    StoredColumn("isOld", .bool), StoredColumn("price", .double, isOptional: true),
    StoredColumn("tags", .array(.string)), StoredColumn("grams", .int64, defaultValue: .int(5)),
  ]

  /// An entity of some of the columns, each with its indexes.
  static func schema(
    _ names: [String], _ more: [StoredColumn] = [], version: Int
  ) -> StoredSchema {
    let columns = columns.filter { names.contains($0.name) } + more
    var indexes: [StoredIndex] = []
    for (position, column) in columns.enumerated() {
      switch column.name {
      case "name": indexes.append(StoredIndex("n", [.init(position, form: .caseFolded)]))
      case "price": indexes.append(StoredIndex("p", [.init(position)]))
      case "tags": indexes.append(StoredIndex("t", [.init(position, form: .elements)]))
      default: break
      }
    }
    return StoredSchema(
      entities: [
        StoredEntity(
          name: "Item", columns: columns, key: [0], keySource: .generated, indexes: indexes)
      ], version: version)
  }

  static let rows: [[StoredValue]] = [
    [.int(1), .string("Ann"), .bool(true), .double(1.5), .array([.string("x")]), .int(7)],
    [.int(2), .string("Bob"), .bool(false), .null, .array([.string("y")]), .int(8)],
  ]

  private func fill(_ schema: StoredSchema, checksums: Bool) throws {
    let store = try fixture.migrated(schema, checksums: checksums) { _ in }
    try store.put(schema.entities[0], .insert, Self.rows)
    try store.close(CloseTurn())
  }

  /// The changes between two schemas whose columns differ.
  private func changes(_ old: StoredSchema, _ new: StoredSchema) -> SchemaChanges {
    var changes = SchemaChanges(union: new)
    let (before, after) = (old.entities[0], new.entities[0])
    changes.droppedColumns = before.columns.filter { after.column(named: $0.name) == nil }
      .map { .init("Item", $0.name) }
    changes.addedColumns = after.columns.filter { before.column(named: $0.name) == nil }
      .map { .init("Item", $0.name) }
    changes.droppedIndexes = before.indexes.filter { index in
      !after.indexes.contains { $0.name == index.name }
    }.map { .init("Item", $0.name) }
    return changes
  }

  private func migrated(
    _ old: StoredSchema, _ new: StoredSchema, checksums: Bool
  ) throws -> SQLiteStore {
    let changes = changes(old, new)
    return try fixture.migrated(new, checksums: checksums) { try $0.change(changes) }
  }

  @Test(
    "10.7: dropped columns leave the table unread, and new rows have nil there",
    arguments: [false, true])
  func drops(checksums: Bool) throws {
    let old = Self.schema(["id", "name", "isOld", "price", "tags", "grams"], version: 1)
    try fill(old, checksums: checksums)
    let root = try fixture.root("Item")
    let new = Self.schema(["id", "price", "grams"], version: 2)
    var store = try migrated(old, new, checksums: checksums)
    #expect(store.schema == new)
    #expect(try fixture.root("Item") == root)
    let ending = checksums ? " $checksum" : ""
    #expect(
      try fixture.columns("Item")
        == "id $dropped$1$name $dropped$1$name$folded $dropped$2$isOld price $dropped$4$tags grams"
        + ending)
    #expect(try fixture.names() == ["$p", "Item"])
    #expect(
      try store.all("Item") == [
        [.int(1), .double(1.5), .int(7)], [.int(2), .null, .int(8)],
      ])
    try store.put(
      new.entities[0], .upsert, [[.int(2), .double(3), .int(8)], [.int(0), .null, .int(9)]])
    #expect(
      try store.all("Item") == [
        [.int(1), .double(1.5), .int(7)], [.int(2), .double(3), .int(8)],
        [.int(3), .null, .int(9)],
      ])
    #expect(
      try fixture.command("SELECT quote(\"$dropped$1$name\") FROM Item ORDER BY id")
        == "'Ann'\n'Bob'\nNULL")
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
    #expect(try store.faults() == [])
    try store.close(CloseTurn())
    // One of the same name is another one, and a second drop finds its position.
    let name = StoredColumn("name", .string, isOptional: true)
    let again = Self.schema(["id", "grams"], [name], version: 3)
    store = try migrated(new, again, checksums: checksums)
    #expect(
      try store.all("Item") == [
        [.int(1), .int(7), .null], [.int(2), .int(8), .null], [.int(3), .int(9), .null],
      ])
    // A table with checksums is written anew for what is added.
    #expect(
      try fixture.columns("Item")
        == (checksums
          ? "id grams name name$folded $checksum"
          : "id $dropped$1$name $dropped$1$name$folded $dropped$2$isOld $dropped$3$price "
            + "$dropped$4$tags grams name name$folded"))
    try store.put(again.entities[0], .update, [[.int(1), .int(7), .string("new")]])
    #expect(try store.faults() == [])
    try store.close(CloseTurn())
    // Read and checked by another opening, and renamed with the rest.
    var other = again.versioned(4)
    other.entities[0].name = "Thing"
    var rename = SchemaChanges(union: other)
    rename.renamedEntities = ["Thing": "Item"]
    let renames = rename
    store = try fixture.migrated(other, checksums: checksums) { try $0.change(renames) }
    #expect(try store.all("Thing").map { $0[2] } == [.string("new"), .null, .null])
    #expect(try store.faults() == [])
    let last = Self.schema(["id"], [name], version: 5)
    var drop = SchemaChanges(union: last)
    drop.renamedEntities = ["Item": "Thing"]
    drop.droppedColumns = [.init("Item", "grams")]
    let drops = drop
    try store.close(CloseTurn())
    store = try fixture.migrated(last, checksums: checksums) { try $0.change(drops) }
    try store.put(last.entities[0], .insert, [[.int(0), .null]])
    #expect(try store.all("Item").map { $0[0] } == [.int(1), .int(2), .int(3), .int(4)])
    #expect(try store.faults() == [])
  }

  @Test("10.7: a dropped column of any type takes nil, also under a new name")
  func everyType() throws {
    let types: [AttributeType] = [
      .bool, .int8, .int64, .uint32, .uint64, .float, .double, .date, .uuid, .string, .data,
      .decimal, .array(.int64), .json,
    ]
    let all = types.enumerated().map { StoredColumn("c\($0)", $1) }
    let old = Self.schema(["id"], all, version: 1)
    try fixture.migrated(old, checksums: false) { _ in }.close(CloseTurn())
    var renamed = old.versioned(2)
    for column in 1...types.count { renamed.entities[0].columns[column].name += "'\"n" }
    let names = renamed.entities[0].columns.dropFirst().map(\.name)
    var change = SchemaChanges(union: renamed)
    for (name, column) in zip(names, all) {
      change.renamedColumns[.init("Item", name)] = column.name
    }
    let rename = change
    let new = Self.schema(["id"], version: 3)
    var drop = SchemaChanges(union: new)
    drop.droppedColumns = names.map { .init("Item", $0) }
    let drops = drop
    let store = try fixture.migrated(new) { transaction in
      try transaction.change(rename)
      try transaction.change(drops)
    }
    try store.put(new.entities[0], .insert, [[.int(1)]])
    #expect(try store.all("Item") == [[.int(1)]])
    #expect(
      try fixture.columns("Item").split(separator: " ").count(where: { $0.hasPrefix("$dropped") })
        == types.count)
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
    #expect(try store.faults() == [])
  }

  @Test("10.2: a failure after a drop leaves the table as it was", arguments: [false, true])
  func failure(checksums: Bool) throws {
    struct Stop: Error {}
    let old = Self.schema(["id", "name", "isOld", "price", "tags", "grams"], version: 1)
    try fill(old, checksums: checksums)
    let before = try fixture.command("SELECT * FROM sqlite_schema; SELECT * FROM strata_meta")
    let new = Self.schema(["id", "tags"], version: 2)
    let changes = changes(old, new)
    #expect(throws: Stop.self) {
      _ = try fixture.migrated(new, checksums: checksums) { transaction in
        try transaction.change(changes)
        throw Stop()
      }
    }
    #expect(
      try fixture.command("SELECT * FROM sqlite_schema; SELECT * FROM strata_meta") == before)
    let store = try fixture.migrated(old, checksums: checksums) { _ in }
    #expect(try store.all("Item") == Self.rows)
    #expect(try store.faults() == [])
  }

  @Test("A table of too many dropped columns is written anew", arguments: [false, true])
  func manyDrops(checksums: Bool) throws {
    let more = (1...18).map { StoredColumn("c\($0)", .int64, defaultValue: .int(Int64($0))) }
    var old = Self.schema(["id"], more, version: 1)
    let store = try fixture.migrated(old, checksums: checksums) { _ in }
    try store.put(
      old.entities[0], .insert, [[.int(1)] + (1...18).map { .int(Int64($0) * 10) }])
    try store.close(CloseTurn())
    for (version, kept) in [(2, 2...18), (3, 17...18), (4, 18...18)] {
      let new = Self.schema(["id"], Array(more[(kept.lowerBound - 1)...]), version: version)
      let store = try migrated(old, new, checksums: checksums)
      #expect(try store.all("Item") == [[.int(1)] + kept.map { .int(Int64($0) * 10) }])
      #expect(try store.faults() == [])
      #expect(
        try fixture.columns("Item").split(separator: " ").count(where: { $0.hasPrefix("$dropped") })
          == [1, 16, 0][version - 2])
      try store.close(CloseTurn())
      old = new
    }
    #expect(try !fixture.command("SELECT name FROM strata_meta").contains("dropped"))
  }

  @Test("10.7: nil is allowed and forbidden without a rewritten table", arguments: [false, true])
  func nullability(checksums: Bool) throws {
    let old = Self.schema(["id", "name", "isOld", "price", "tags", "grams"], version: 1)
    try fill(old, checksums: checksums)
    let root = try fixture.root("Item")
    var new = old.versioned(2)
    new.entities[0].columns[1].isOptional = true
    new.entities[0].columns[2].isOptional = true
    new.entities[0].columns[3].isOptional = false
    new.entities[0].columns[5].isOptional = true
    var change = SchemaChanges(union: new)
    change.alteredColumns = ["name", "isOld", "price", "grams"].map { .init("Item", $0) }
    let changes = change
    let entity = new.entities[0]
    let store = try fixture.migrated(new, checksums: checksums) { transaction in
      let writer = try transaction.writer()
      _ = try writer.put(
        old.entities[0], .update, [[.int(2), .double(0)]], columns: [0, 3])
      try transaction.change(changes)
    }
    #expect(try fixture.root("Item") == root)
    #expect(
      try fixture.command(
        "SELECT group_concat(name, ' ') FROM pragma_table_info('Item') WHERE \"notnull\"")
        == "id price tags", "the key is declared so too")
    try store.put(
      entity, .insert, [[.int(3), .null, .null, .double(1), .array([]), .null]])
    #expect(
      try thrownError {
        try store.put(entity, .insert, [[.int(4), .null, .null, .null, .array([]), .null]])
      }.code == .missingValue)
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
    #expect(try store.faults() == [])
  }

  @Test("10.7: required numbers are dropped and made optional, whatever defaults say")
  func declarations() throws {
    let columns = [
      StoredColumn("id", .int64),
      StoredColumn("note", .string, defaultValue: .string("\"price\" ANY NOT NULL, it's")),
      StoredColumn("price", .double), StoredColumn("made", .date), StoredColumn("weight", .float),
    ]
    let old = StoredSchema(
      entities: [StoredEntity(name: "Item", columns: columns, key: [0], keySource: .generated)],
      version: 1)
    var store = try fixture.migrated(old, checksums: false) { _ in }
    let made = Date(timeIntervalSinceReferenceDate: 0.5)
    try store.put(
      old.entities[0], .insert,
      [[.int(1), .string("a"), .double(1.5), .date(made), .double(2)]])
    try store.close(CloseTurn())
    var new = old.versioned(2)
    new.entities[0].columns[2].isOptional = true
    new.entities[0].columns.remove(at: 3)
    var change = SchemaChanges(union: new)
    change.alteredColumns = [.init("Item", "price")]
    change.droppedColumns = [.init("Item", "made")]
    let changes = change
    store = try fixture.migrated(new, checksums: false) { try $0.change(changes) }
    try store.put(new.entities[0], .insert, [[.int(2), .string("b"), .null, .double(3)]])
    #expect(
      try store.all("Item") == [
        [.int(1), .string("a"), .double(1.5), .double(2)],
        [.int(2), .string("b"), .null, .double(3)],
      ])
    #expect(
      try fixture.command("SELECT dflt_value FROM pragma_table_info('Item') WHERE name = 'note'")
        == "'\"price\" ANY NOT NULL, it''s'")
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
    #expect(try store.faults() == [])
  }
}
