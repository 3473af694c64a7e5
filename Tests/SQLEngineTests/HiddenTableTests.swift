import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// Tables of dropped entities, which stay in the file until the next change of the schema.
@Suite(.enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
struct HiddenTableTests {
  let fixture = SQLiteFixture()

  static let item = StoredEntity(
    name: "Item",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("tags", .array(.string)),
    ], key: [0], keySource: .generated,
    indexes: [
      StoredIndex("n", [.init(1, form: .caseFolded)], isUnique: true),
      StoredIndex("t", [.init(2, form: .elements)], isUnique: true),
    ])
  static let other = StoredEntity(name: "Other", columns: [StoredColumn("id", .int64)], key: [0])

  static func schema(_ hasItem: Bool, _ version: Int) -> StoredSchema {
    StoredSchema(entities: (hasItem ? [item] : []) + [other], version: version)
  }

  private func migrated(
    to version: Int, checksums: Bool, _ entities: [Bool]
  ) throws -> SQLiteStore {
    let last = Self.schema(entities.last ?? true, version)
    return try fixture.migrated(last, checksums: checksums) { transaction in
      if entities.isEmpty { try transaction.change(SchemaChanges(union: last)) }
      for hasItem in entities {
        var changes = SchemaChanges(union: Self.schema(hasItem, version))
        if hasItem { changes.addedEntities = ["Item"] } else { changes.droppedEntities = ["Item"] }
        try transaction.change(changes)
      }
    }
  }

  @Test(
    "10.7: the pages of a dropped entity are left until the next change", arguments: [false, true])
  func drops(checksums: Bool) throws {
    var store = try fixture.migrated(Self.schema(true, 1), checksums: checksums) { _ in }
    try store.put(Self.item, .insert, [[.int(0), .string("Ann"), .array([.string("x")])]])
    try store.put(Self.other, .insert, [[.int(7)]])
    try store.close(CloseTurn())
    let roots = try ["Item", "Item$tags"].map { try fixture.root($0) }
    let all = try fixture.names()
    store = try migrated(to: 2, checksums: checksums, [false])
    #expect(store.schema == Self.schema(false, 2))
    #expect(try fixture.names() == ["Other"])
    #expect(
      try ["$dropped$1$Item", "$dropped$1$Item$tags"].map { try fixture.root($0) } == roots)
    // The owners' index and the unique ones have other names too, and the trigger is gone.
    #expect(
      try fixture.names(dropped: true) == [
        "$$dropped$1$Item$0", "$$dropped$1$Item$tags$0", "$$dropped$1$Item$tags$1",
        "$dropped$1$Item", "$dropped$1$Item$tags",
      ])
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
    #expect(try store.faults() == [])
    #expect(try store.all("Other") == [[.int(7)]])
    try store.close(CloseTurn())
    // A change that makes it again, drops it and makes it once more.
    store = try migrated(to: 3, checksums: checksums, [true, false, true])
    #expect(try fixture.names() == all)
    #expect(try fixture.names(dropped: true).contains("$dropped$1$Item"))
    #expect(try store.all("Item") == [])
    try store.put(Self.item, .insert, [[.int(0), .string("Ann"), .array([.string("x")])]])
    #expect(try store.all("Item").map { $0[0] } == [.int(1)])
    try store.close(CloseTurn())
    store = try migrated(to: 4, checksums: checksums, [])
    #expect(try fixture.names() == all)
    #expect(try fixture.names(dropped: true) == [])
    #expect(try !fixture.command("SELECT name FROM strata_meta").contains("dropped"))
    #expect(try store.all("Item").count == 1)
    #expect(try store.faults() == [])
  }
}
