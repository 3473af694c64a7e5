import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// Migrations of tables in the one transaction of an opening, and what other connections see of them.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct SchemaTransactionTests {
  let fixture = SQLiteFixture()

  static let id = StoredColumn("id", .int64)
  static let item = StoredEntity(
    name: "Item",
    columns: [
      id, StoredColumn("name", .string), StoredColumn("price", .double, isOptional: true),
      StoredColumn("note", .string, isOptional: true), StoredColumn("tags", .array(.string)),
      StoredColumn("size", .decimal, isOptional: true),
    ], key: [0], keySource: .generated,
    indexes: [
      StoredIndex("Item_name", [.init(1, form: .caseFolded)]),
      StoredIndex("Item_note", [.init(3)]),
      StoredIndex("Item_price", [.init(2)]),
      StoredIndex("Item_tags", [.init(4, form: .elements)], isUnique: true),
    ])
  static let other = StoredEntity(
    name: "Other", columns: [id, StoredColumn("tags", .array(.string))], key: [0],
    keySource: .generated, indexes: [StoredIndex("Other_tags", [.init(1, form: .elements)])])
  static let old = StoredSchema(entities: [item, other], version: 1)
  static let date = StoredValue.date(Date(timeIntervalSinceReferenceDate: 3))
  static let rows: [[StoredValue]] = [
    [
      .int(1), .string("Ann\0'"), .double(-0.0), .string("n"), .array([.string("x")]),
      .decimal(Decimal(string: "0.10")!),
    ],
    [.int(2), .string("ÄNN"), .double(5), .null, .array([.string("y"), .string("z")]), .null],
  ]

  func fill(checksums: Bool = false) throws {
    let store = try fixture.migrated(Self.old, checksums: checksums) { _ in }
    try store.put(Self.item, .insert, Self.rows)
    try store.put(Self.other, .insert, [[.int(1), .array([.string("o")])]])
    try store.close(CloseTurn())
  }

  /// `Item` without its note, its price required, `name` as `title`, and a new date; `Other` dropped.
  static var changed: (schema: StoredSchema, changes: SchemaChanges) {
    var item = item
    item.name = "Thing"
    item.columns[1].name = "title"
    item.columns[2].isOptional = false
    item.columns.remove(at: 3)
    item.columns.append(StoredColumn("made", .date, defaultValue: date))
    item.indexes = [
      StoredIndex("Thing_title", [.init(1, form: .caseFolded)]),
      StoredIndex("Item_price", [.init(2)]),
      StoredIndex("Thing_tags", [.init(3, form: .elements)], isUnique: true),
      StoredIndex("made", [.init(5), .init(1)]),
    ]
    let schema = StoredSchema(entities: [item], version: 2)
    var changes = SchemaChanges(union: schema)
    changes.droppedEntities = ["Other"]
    changes.renamedEntities = ["Thing": "Item"]
    changes.renamedColumns = [.init("Thing", "title"): "name"]
    changes.droppedColumns = [.init("Thing", "note")]
    changes.alteredColumns = [.init("Thing", "price")]
    changes.addedColumns = [.init("Thing", "made")]
    changes.droppedIndexes = [.init("Thing", "Item_note")]
    changes.renamedIndexes = [
      .init("Thing", "Thing_title"): "Item_name", .init("Thing", "Thing_tags"): "Item_tags",
    ]
    changes.addedIndexes = [.init("Thing", "made")]
    return (schema, changes)
  }

  @Test("Drops, alterations, renames and additions in one change", arguments: [false, true])
  func everything(checksums: Bool) throws {
    try fill(checksums: checksums)
    let (schema, changes) = Self.changed
    let store = try fixture.migrated(schema, checksums: checksums) { transaction in
      try transaction.change(changes)
      #expect(transaction.schema == schema)
      // The writer sees rows as they are now.
      let writer = try transaction.writer()
      let rows = try writer.rows(
        FetchRequest(entity: "Thing", sort: schema.keyOrder("Thing")))
      #expect(rows.map(\.count) == [6, 6])
    }
    let expected = Self.rows.map { Array($0[0..<3] + $0[4...]) + [Self.date] }
    let found = try store.all("Thing")
    #expect(RandomRequestTests.areIdentical(found, expected))
    #expect(
      try fixture.names() == [
        "$Item_price", "$Thing$tags$delete", "$Thing$tags$owner", "$Thing_tags", "$Thing_title",
        "$made", "Thing", "Thing$tags",
      ])
    #expect(
      try fixture.columns("Thing") == "id title title$folded price tags size made"
        + (checksums ? " $checksum" : ""))
    #expect(
      try fixture.command("SELECT \"notnull\" FROM pragma_table_info('Thing') WHERE name = 'price'")
        == "1")
    #expect(
      try fixture.command("SELECT quote(\"title$folded\") FROM Thing WHERE id = 2") == "'änn'")
    #expect(
      try fixture.command("SELECT element, owner FROM \"Thing$tags\" ORDER BY 1")
        == "x|1\ny|2\nz|2")
    #expect(try store.faults() == [])
    // The array's elements stay unique, and go with their row.
    let clash = [StoredValue.int(3)] + expected[0].dropFirst()
    #expect(
      try thrownError { try store.put(schema.entities[0], .insert, [clash]) }.code == .duplicate)
    _ = try store.written { try $0.apply(.clear("Thing")) }
    #expect(try fixture.command("SELECT count(*) FROM \"Thing$tags\"") == "0")
    try store.put(schema.entities[0], .insert, [[.int(0)] + expected[0].dropFirst()])
    #expect(try store.all("Thing").map { $0[0] } == [.int(3)])
  }

  @Test("A failure undoes changes and writes", arguments: [false, true])
  func failure(checksums: Bool) throws {
    struct Stop: Error {}
    try fill(checksums: checksums)
    let before = try fixture.command("SELECT * FROM sqlite_schema; SELECT * FROM strata_meta")
    let dump = try fixture.command("SELECT * FROM Item; SELECT * FROM \"Item$tags\"")
    let (schema, changes) = Self.changed
    #expect(throws: Stop.self) {
      _ = try fixture.migrated(schema, checksums: checksums) { transaction in
        try transaction.change(changes)
        let writer = try transaction.writer()
        _ = try writer.apply(.clear("Thing"))
        throw Stop()
      }
    }
    // A new unique rule that rows break.
    var broken = Self.old.versioned(2)
    broken.entities[0].columns.append(StoredColumn("same", .int64, defaultValue: .int(1)))
    broken.entities[0].indexes.append(StoredIndex("Item_same", [.init(6)], isUnique: true))
    var rule = SchemaChanges(union: broken)
    rule.addedColumns = [.init("Item", "same")]
    rule.addedIndexes = [.init("Item", "Item_same")]
    let added = rule
    let union = broken
    let error = try thrownError {
      _ = try fixture.migrated(union, checksums: checksums) { try $0.change(added) }
    }
    #expect(error.code == .duplicate)
    #expect(error.attributes == ["same"])
    // A step that does not lead to what is declared.
    let lacking = try thrownError {
      var other = schema
      other.entities[0].columns[1].type = .int64
      _ = try fixture.migrated(other, checksums: checksums) { try $0.change(changes) }
    }
    #expect(lacking.code == .schemaMismatch)
    #expect(
      try fixture.command("SELECT * FROM sqlite_schema; SELECT * FROM strata_meta") == before)
    #expect(try fixture.command("SELECT * FROM Item; SELECT * FROM \"Item$tags\"") == dump)
    let store = try fixture.migrated(Self.old, checksums: checksums) { _ in }
    #expect(RandomRequestTests.areIdentical(try store.all("Item"), Self.rows))
    #expect(try store.faults() == [])
  }

  @Test("Steps change and write in turn, and additions follow", arguments: [false, true])
  func steps(checksums: Bool) throws {
    try fill(checksums: checksums)
    let (schema, changes) = Self.changed
    var declared = schema
    declared.entities[0].columns.append(StoredColumn("more", .int64, isOptional: true))
    declared.entities.append(
      StoredEntity(
        name: "Other", columns: [Self.id], key: [0], keySource: .generated))
    let program = declared
    let store = try fixture.migrated(program, checksums: checksums) { transaction in
      var writer = try transaction.writer()
      // A column that the program no longer declares.
      try writer.put(Self.item, .update, [[.int(2), .string("note 2")]], columns: [0, 3])
      try writer.put(Self.other, .insert, [[.int(7), .array([])]])
      _ = try writer.apply(.clear("Other"))
      #expect(throws: StoreError.self) {
        try writer.savepoint {
          try writer.put(Self.item, .insert, [Self.rows[0]])
        }
      }
      let notes = try writer.rows(
        FetchRequest(entity: "Item", sort: Self.old.keyOrder("Item"))
      ).map { $0[3] }
      #expect(notes == [.string("n"), .string("note 2")])
      let ended = writer
      try transaction.change(changes)
      #expect(throws: StoreError.self) { _ = try ended.greatestKey(of: "Item") }
      writer = try transaction.writer()
      #expect(try writer.greatestKey(of: "Thing") == 2)
      try writer.put(
        schema.entities[0], .update, [[.int(1), .string("new")]], columns: [0, 1])
    }
    #expect(try store.all("Thing").map { $0[1] } == [.string("new"), .string("ÄNN")])
    #expect(try store.all("Thing").map { $0[6] } == [.null, .null])
    #expect(try store.faults() == [])
    // A dropped entity's keys are forgotten with it.
    #expect(try store.put(program.entities[1], .insert, [[.int(0)]]).keys == [1])
  }

  @Test("A store that needs a migration is not opened for reading alone")
  func readOnly() throws {
    try fill()
    let (schema, changes) = Self.changed
    let error = try thrownError {
      _ = try fixture.migrated(schema, isReadOnly: true) { try $0.change(changes) }
    }
    #expect(error.code == .schemaMismatch)
    #expect(error.message.contains("migrated"))
    let store = try fixture.migrated(Self.old, isReadOnly: true) { _ in }
    #expect(try store.all("Item").count == 2)
  }

  // MARK: Other connections

  @Test("A store that is open with the schema of before refuses to go on", arguments: [nil, 1])
  func openStore(version: Int?) throws {
    var old = Self.old
    old.version = version
    let before = try fixture.migrated(old) { _ in }
    try before.put(Self.item, .insert, Self.rows)
    #expect(try before.all("Item").count == 2)
    let reader = try before.reader(ReadTurn())
    // Two columns of one type swap their names: every statement of before still runs.
    var new = old
    new.version = version.map { $0 + 1 }
    new.entities[0].columns.swapAt(1, 3)
    new.entities[0].columns[1].isOptional = false
    new.entities[0].columns[3].isOptional = true
    new.entities[0].indexes = []
    var options = StoreOptions()
    options.durability = .off
    var changes = SchemaChanges(union: new)
    changes.renamedColumns = [.init("Item", "name"): "note", .init("Item", "note"): "name"]
    changes.droppedIndexes = old.entities[0].indexes.map { .init("Item", $0.name) }
    struct Always: SchemaMigration {
      let changes: SchemaChanges
      func isNeeded(from stored: StoredSchema, to declared: StoredSchema) -> Bool { true }
      func migrate(
        _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
      ) throws -> MigrationOutcome {
        let writer = try transaction.writer()
        try writer.put(
          SchemaTransactionTests.item, .update, [[.int(2), .string("no nil")]], columns: [0, 3])
        try transaction.change(changes)
        return .done
      }
    }
    options.schemaPolicy = .migrate(Always(changes: changes))
    let after = try SQLiteStore(path: fixture.path, stored: new, options: options)
    // A snapshot of before is read to its end.
    #expect(
      try reader.rows(FetchRequest(entity: "Item", sort: old.keyOrder("Item"))) == Self.rows)
    reader.end()
    let code = version == nil ? StoreError.Code.schemaMismatch : .schemaTooNew
    for _ in 0..<2 {
      #expect(try thrownError { _ = try before.all("Item") }.code == code)
      #expect(
        try thrownError { try before.put(Self.item, .update, [Self.rows[0]]) }.code == code)
    }
    #expect(try after.all("Item").map { $0[1] } == [.string("Ann\0'"), .string("ÄNN")])
    #expect(try after.all("Item").map { $0[3] } == [.string("n"), .string("no nil")])
    #expect(try after.faults() == [])
  }

  @Test("10.10: an older program that is open goes on beside additions, not beside new rules")
  func olderProgram() throws {
    let plain = StoredSchema(
      entities: [
        StoredEntity(name: "Item", columns: [Self.id, StoredColumn("name", .string)], key: [0])
      ], version: 1)
    let old = try fixture.store(plain)
    try old.put(plain.entities[0], .insert, [[.int(1), .string("Ann")]])
    var wide = plain.versioned(2)
    wide.entities[0].columns.append(StoredColumn("extra", .int64, defaultValue: .int(7)))
    let new = try fixture.store(wide)
    try old.put(plain.entities[0], .insert, [[.int(2), .string("Bob")]])
    #expect(try old.all("Item") == [[.int(1), .string("Ann")], [.int(2), .string("Bob")]])
    #expect(
      try new.all("Item") == [
        [.int(1), .string("Ann"), .int(7)], [.int(2), .string("Bob"), .int(7)],
      ])
    wide.version = 3
    wide.entities[0].rules = [
      ValidationRule("any", attributes: ["id"], format: "id > 0", message: "must be positive")
    ]
    let newest = try fixture.store(wide)
    for _ in 0..<2 {
      #expect(try thrownError { _ = try old.all("Item") }.code == .schemaTooNew)
      #expect(
        try thrownError {
          try old.put(plain.entities[0], .insert, [[.int(3), .string("Cid")]])
        }.code == .schemaTooNew)
    }
    #expect(try newest.faults() == [])
  }

  @Test("A store that is open while another one makes additions keeps to the new tables")
  func additions() throws {
    let plain = StoredSchema(entities: [
      StoredEntity(name: "Item", columns: [Self.id, StoredColumn("name", .string)], key: [0])
    ])
    let first = try fixture.store(plain)
    try first.put(plain.entities[0], .insert, [[.int(1), .string("Ann")]])
    #expect(try first.all("Item").count == 1)
    var wide = plain
    wide.entities[0].columns.append(StoredColumn("extra", .int64, defaultValue: .int(7)))
    wide.entities[0].indexes = [StoredIndex("Item_name", [.init(1, form: .caseFolded)])]
    let second = try fixture.store(wide)
    // The folded text of the index is written by the first store too.
    try first.put(plain.entities[0], .insert, [[.int(2), .string("BOB")]])
    try first.put(plain.entities[0], .upsert, [[.int(1), .string("ANNE")]])
    #expect(try first.all("Item") == [[.int(1), .string("ANNE")], [.int(2), .string("BOB")]])
    #expect(
      try second.all("Item") == [
        [.int(1), .string("ANNE"), .int(7)], [.int(2), .string("BOB"), .int(7)],
      ])
    #expect(try second.faults() == [])
    #expect(
      try fixture.command("SELECT \"name$folded\" FROM Item ORDER BY id") == "anne\nbob")
  }
}
