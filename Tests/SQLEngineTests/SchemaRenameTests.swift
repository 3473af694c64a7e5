import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// Renames of everything that has a name, as a migration asks for them.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct SchemaRenameTests {
  let fixture = SQLiteFixture()

  /// An entity with every sort of index, and one with a key of two columns and a dot in a name.
  static func schema(
    item: String = "Item", id: String = "id", name: String = "name", tags: String = "tags",
    crate: String = "Crate", land: String = "land", version: Int = 1
  ) -> StoredSchema {
    StoredSchema(
      entities: [
        StoredEntity(
          name: item,
          columns: [
            StoredColumn(id, .int64), StoredColumn(name, .string),
            StoredColumn(tags, .array(.string)), StoredColumn("price", .double, isOptional: true),
          ], key: [0], keySource: .generated,
          indexes: [
            StoredIndex("\(item)_\(name)", [.init(1, form: .caseFolded)], isUnique: true),
            StoredIndex("\(item)_\(tags)", [.init(2, form: .elements)]),
            StoredIndex("\(item)_price", [.init(3, isDescending: true), .init(1)]),
          ]),
        StoredEntity(
          name: crate,
          columns: [
            StoredColumn(land, .string), StoredColumn("number", .int64),
            StoredColumn("\(crate).doors", .array(.int64), isOptional: true),
          ], key: [0, 1],
          indexes: [
            StoredIndex("\(crate)_doors", [.init(2, form: .elements)], isUnique: true),
            StoredIndex("\(crate)_number", [.init(1)]),
          ]),
      ], version: version)
  }

  static let items: [[StoredValue]] = [
    [
      .int(1), .string("Äpfel"), .array([.string("x"), .string("y"), .string("x")]), .double(-0.0),
    ],
    [.int(2), .string("Bob"), .array([]), .null],
    [.int(3), .string("c\0'\""), .array([.string("y")]), .double(5)],
  ]
  static let crates: [[StoredValue]] = [
    [.string("IS"), .int(7), .array([.int(4), .int(2)])], [.string("NO"), .int(7), .null],
  ]

  func fill(checksums: Bool) throws {
    let schema = Self.schema()
    let store = try fixture.migrated(schema, checksums: checksums) { _ in }
    try store.put(schema.entities[0], .insert, Self.items)
    try store.put(schema.entities[1], .insert, Self.crates)
    try store.close(CloseTurn())
  }

  /// The changes from `schema()` to the schema with other names.
  static func changes(to union: StoredSchema) -> SchemaChanges {
    var changes = SchemaChanges(union: union)
    for (old, new) in zip(schema().entities, union.entities) {
      if old.name != new.name { changes.renamedEntities[new.name] = old.name }
      for (before, after) in zip(old.columns, new.columns) where before.name != after.name {
        changes.renamedColumns[.init(new.name, after.name)] = before.name
      }
      for (before, after) in zip(old.indexes, new.indexes) where before.name != after.name {
        changes.renamedIndexes[.init(new.name, after.name)] = before.name
      }
    }
    return changes
  }

  @Test("Every name changes, and no table or index is written anew", arguments: [false, true])
  func everything(checksums: Bool) throws {
    try fill(checksums: checksums)
    let before = [
      "Item", "Item$tags", "$Item$tags$owner", "$Item_name", "$Item_price", "Crate",
      "Crate$Crate.doors", "$Crate$Crate.doors$owner", "$Crate_doors", "$Crate_number",
    ]
    let after = [
      "Thing", "Thing$labels", "$Thing$labels$owner", "$Thing_title", "$Thing_price", "Box",
      "Box$Box.doors", "$Box$Box.doors$owner", "$Box_doors", "$Box_number",
    ]
    let roots = try before.map { try fixture.root($0) }
    let schema = Self.schema(
      item: "Thing", id: "number", name: "title", tags: "labels", crate: "Box", land: "country",
      version: 2)
    let store = try fixture.migrated(schema, checksums: checksums) {
      try $0.change(Self.changes(to: schema))
      #expect($0.schema == schema)
    }
    #expect(try after.map { try fixture.root($0) } == roots)
    #expect(
      try fixture.names()
        == (after + ["$Thing$labels$delete", "$Box$Box.doors$delete"]).sorted())
    let checksum = checksums ? " $checksum" : ""
    #expect(
      try fixture.columns("Thing") == "number title title$folded labels price" + checksum)
    #expect(try fixture.columns("Box") == "country number Box.doors" + checksum)
    let found = try store.all("Thing")
    #expect(RandomRequestTests.areIdentical(found, Self.items))
    #expect(try store.all("Box") == Self.crates)
    #expect(try store.faults() == [])
    // Folded texts and elements are found by their indexes.
    let folded = Condition.compare(
      .attribute("title"), .equal, .value(.string("äPFEL")), .caseInsensitive)
    #expect(try store.explanation("Thing", folded).index == "Thing_title")
    let tagged = Condition.isIn(.value(.string("y")), list: .attribute("labels"), [])
    #expect(try store.explanation("Thing", tagged).index == "Thing_labels")
    let request = FetchRequest(
      entity: "Thing", condition: tagged, sort: store.schema.keyOrder("Thing"))
    #expect(try store.rows(request).map { $0[0] } == [.int(1), .int(3)])
    // Rules and triggers go on.
    let clash: [StoredValue] = [.int(0), .string("BOB"), .array([]), .null]
    let thing = schema.entities[0]
    #expect(try thrownError { try store.put(thing, .insert, [clash]) }.code == .duplicate)
    _ = try store.written { try $0.apply(.delete(request)) }
    #expect(try fixture.command("SELECT count(*) FROM \"Thing$labels\"") == "0")
    #expect(try store.faults() == [])
    try store.close(CloseTurn())
    // The stored schema is the declared one.
    let again = try fixture.migrated(schema, checksums: checksums) { _ in }
    #expect(try again.all("Thing") == [Self.items[1]])
    #expect(try again.faults() == [])
  }

  @Test("Renames write a few pages, however many rows there are", arguments: [false, true])
  func cost(checksums: Bool) throws {
    try fill(checksums: checksums)
    var store = try fixture.migrated(Self.schema(), checksums: checksums) { _ in }
    let rows: [[StoredValue]] = (4..<10_000).map {
      [.int($0), .string("a name of some length \($0)"), .array([.string("tag \($0)")]), .null]
    }
    try store.put(Self.schema().entities[0], .insert, rows)
    try store.close(CloseTurn())
    let schema = Self.schema(item: "Thing", id: "k", name: "title", tags: "labels", version: 2)
    store = try fixture.migrated(schema, checksums: checksums) {
      try $0.change(Self.changes(to: schema))
    }
    // The smallest index alone has some 250,000 bytes.
    let log = try fixture.bytes()["store.sqlite-wal"]?.count ?? 0
    #expect(log < 200_000)
    #expect(try store.faults() == [])
  }

  @Test("Entities, columns and indexes swap names in one change", arguments: [false, true])
  func swaps(checksums: Bool) throws {
    func entity(_ name: String, _ first: String, _ second: String, _ tags: String)
      -> StoredEntity
    {
      StoredEntity(
        name: name,
        columns: [
          StoredColumn("id", .int64), StoredColumn(first, .string),
          StoredColumn(second, .string), StoredColumn(tags, .array(.int64)),
        ], key: [0], keySource: .generated,
        indexes: [
          StoredIndex("\(name)_\(first)", [.init(1, form: .caseFolded)]),
          StoredIndex("\(name)_\(second)", [.init(2)]),
          StoredIndex("\(name)_\(tags)", [.init(3, form: .elements)]),
        ])
    }
    let old = StoredSchema(
      entities: [entity("A", "x", "y", "t"), entity("B", "x", "y", "t")], version: 1)
    let new = StoredSchema(
      entities: [entity("B", "y", "x", "t"), entity("A", "x", "y", "T")], version: 2)
    let rows: [[StoredValue]] = [
      [.int(1), .string("ax"), .string("ay"), .array([.int(1)])],
      [.int(5), .string("bx"), .string("by"), .array([.int(2)])],
    ]
    var store = try fixture.migrated(old, checksums: checksums) { _ in }
    for (entity, row) in zip(old.entities, rows) { try store.put(entity, .insert, [row]) }
    // The greatest keys are recorded: 1 of A, 5 of B.
    for name in ["A", "B"] { try store.written { _ = try $0.apply(.clear(name)) } }
    for (entity, row) in zip(old.entities, rows) {
      try store.put(entity, .insert, [[.int(1)] + row.dropFirst()])
    }
    try store.close(CloseTurn())
    var changes = SchemaChanges(union: new)
    changes.renamedEntities = ["A": "B", "B": "A"]
    changes.renamedColumns = [
      .init("B", "x"): "y", .init("B", "y"): "x", .init("A", "T"): "t",
    ]
    changes.renamedIndexes = [
      .init("B", "B_y"): "A_x", .init("B", "B_x"): "A_y", .init("B", "B_t"): "A_t",
      .init("A", "A_x"): "B_x", .init("A", "A_y"): "B_y", .init("A", "A_T"): "B_t",
    ]
    let made = changes
    store = try fixture.migrated(new, checksums: checksums) { try $0.change(made) }
    // Rows by name of the column, in any position.
    #expect(try fixture.command("SELECT id, x, y, t FROM B") == "1|ay|ax|[1]")
    #expect(try fixture.command("SELECT id, x, y, T FROM A") == "1|bx|by|[2]")
    #expect(try fixture.command("SELECT element FROM \"B$t\"") == "1")
    #expect(try fixture.command("SELECT element FROM \"A$T\"") == "2")
    #expect(
      try fixture.command(
        "SELECT name, tbl_name FROM sqlite_schema WHERE name GLOB '$[AB]_[xy]' ORDER BY 1")
        == "$A_x|A\n$A_y|A\n$B_x|B\n$B_y|B")
    #expect(
      try fixture.command("SELECT name FROM pragma_index_info('$B_y')") == "y$folded")
    #expect(try store.faults() == [])
    #expect(try store.put(new.entities[0], .insert, [[.int(0)] + rows[0].dropFirst()]).keys == [2])
    #expect(try store.put(new.entities[1], .insert, [[.int(0)] + rows[1].dropFirst()]).keys == [6])
    try store.close(CloseTurn())
    // And back, by the same declarations as before.
    changes = SchemaChanges(union: old.versioned(3))
    changes.renamedEntities = ["A": "B", "B": "A"]
    changes.renamedColumns = [
      .init("A", "x"): "y", .init("A", "y"): "x", .init("B", "t"): "T",
    ]
    changes.renamedIndexes = [
      .init("A", "A_x"): "B_y", .init("A", "A_y"): "B_x", .init("A", "A_t"): "B_t",
      .init("B", "B_x"): "A_x", .init("B", "B_y"): "A_y", .init("B", "B_t"): "A_T",
    ]
    let back = changes
    store = try fixture.migrated(old.versioned(3), checksums: checksums) { try $0.change(back) }
    #expect(
      try store.all("A") == [[.int(1)] + rows[0].dropFirst(), [.int(2)] + rows[0].dropFirst()])
    #expect(try store.faults() == [])
    let names = "SELECT count(*) FROM strata_meta WHERE name LIKE 'checksum:%'"
    #expect(try fixture.command(names) == "0", "the names in checksums are the tables' again")
  }

  @Test("Names that differ in case alone are freed, taken and changed")
  func cases() throws {
    let id = StoredColumn("id", .int64)
    let old = StoredSchema(
      entities: [
        StoredEntity(name: "Item", columns: [id, StoredColumn("a", .int64)], key: [0]),
        StoredEntity(
          name: "item", columns: [id, StoredColumn("a", .int64), StoredColumn("A", .int64)],
          key: [0], indexes: [StoredIndex("i", [.init(2)])]),
        StoredEntity(name: "ITEM", columns: [id], key: [0]),
      ], version: 1)
    var store = try fixture.migrated(old) { _ in }
    try store.put(old.entities[0], .insert, [[.int(1), .int(2)]])
    try store.put(old.entities[1], .insert, [[.int(3), .int(4), .int(5)]])
    try store.put(old.entities[2], .insert, [[.int(6)]])
    try store.close(CloseTurn())
    #expect(try fixture.names() == ["$i", "ITEM$3$", "Item", "item$2$"])
    // The first goes, and the last gets the name of the first.
    var new = old.versioned(2)
    new.entities.removeFirst()
    new.entities[1].name = "Item"
    new.entities[0].columns[2].name = "b"
    new.entities[0].columns[1].name = "A"
    var changes = SchemaChanges(union: new)
    changes.droppedEntities = ["Item"]
    changes.renamedEntities = ["Item": "ITEM"]
    changes.renamedColumns = [.init("item", "b"): "A", .init("item", "A"): "a"]
    let made = changes
    let schema = new
    store = try fixture.migrated(schema) { try $0.change(made) }
    #expect(try fixture.names() == ["$i", "Item$2$", "item"])
    #expect(try fixture.command("SELECT id, A, b FROM item") == "3|4|5")
    #expect(try fixture.columns("item") == "id A b")
    #expect(try store.all("item") == [[.int(3), .int(4), .int(5)]])
    #expect(try store.all("Item") == [[.int(6)]])
    #expect(try store.faults() == [])
  }
}
