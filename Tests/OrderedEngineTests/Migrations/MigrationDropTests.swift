import ORMConformance
import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// Attributes that are dropped, and stay in records until these are rewritten.
@Suite struct MigrationDropTests {
  /// An entity of columns `c1` to `c20` behind which stands the key, with an index of `c20`.
  private func schema(_ columns: [StoredColumn], _ version: Int) -> StoredSchema {
    let last = columns.firstIndex { $0.name == "c20" }
    return StoredSchema(
      entities: [
        StoredEntity(
          name: "wide", columns: columns, key: [columns.firstIndex { $0.name == "id" } ?? 0],
          indexes: last.map { [StoredIndex("last", [.init($0, isDescending: true)])] } ?? [])
      ], version: version)
  }

  private func column(_ number: Int) -> StoredColumn {
    StoredColumn("c\(number)", number % 2 == 0 ? .int64 : .string)
  }

  private func value(_ number: Int, _ row: Int64) -> StoredValue {
    number % 2 == 0 ? .int(Int64(number) * row) : .string("t\(number)/\(row)")
  }

  private func row(_ numbers: ClosedRange<Int>, _ row: Int64) -> [StoredValue] {
    numbers.map { value($0, row) } + [.int(row)]
  }

  private func changes(_ old: StoredSchema, _ new: StoredSchema) -> SchemaChanges {
    var changes = SchemaChanges(union: new)
    let (before, after) = (old.entities[0], new.entities[0])
    changes.droppedColumns = before.columns.filter { after.column(named: $0.name) == nil }
      .map { .init("wide", $0.name) }
    changes.addedColumns = after.columns.filter { before.column(named: $0.name) == nil }
      .map { .init("wide", $0.name) }
    return changes
  }

  @Test(
    "10.7: no record is touched, a new attribute of the name is another, too many go",
    arguments: MigratedMap.allCases)
  func drops(_ kind: MigratedMap) throws {
    try kind.run { map in
      let id = StoredColumn("id", .int64)
      let first = schema((1...20).map(column) + [id], 1)
      try map.open(first).put([row(1...20, 1), row(1...20, 2)], into: "wide")
      let rows = try map.catalog().keyspaces[0].rows
      let records = try map.entries(of: rows)
      // The first sixteen but one: the key and the index stand behind them.
      let second = schema((16...20).map(column) + [id], 2)
      let drop = changes(first, second)
      var store = try map.open(second) { try $0.change(drop) }
      #expect(try map.catalog().keyspaces[0].rows == rows)
      #expect(try map.entries(of: rows) == records)
      #expect(try map.catalog().keyspaces[0].dropped?.map(\.position) == Array(0..<15))
      #expect(try store.rows(of: "wide") == [row(16...20, 1), row(16...20, 2)])
      // A row that is the same is left alone, another keeps what was dropped, and a new one has nil.
      try store.put([row(16...20, 1)], into: "wide", .upsert)
      #expect(try map.entries(of: rows) == records)
      var changed = row(16...20, 2)
      changed[4] = .int(7)
      try store.put([changed, row(16...20, 3)], into: "wide", .upsert)
      #expect(try store.rows(of: "wide") == [row(16...20, 1), changed, row(16...20, 3)])
      let found = try store.keys("wide", attribute("c20", .less, .int(50)))
      #expect(found.keys == [.int(16), .int(32)])
      #expect(found.index == "last")
      #expect(try store.faults() == [])
      // One of the name of a dropped one.
      var again = column(1)
      again.defaultValue = .string("new")
      let third = schema((16...20).map(column) + [id, again], 3)
      let add = changes(second, third)
      store = try map.open(third) { try $0.change(add) }
      #expect(try map.catalog().keyspaces[0].rows == rows)
      #expect(try store.rows(of: "wide")[0] == row(16...20, 1) + [.string("new")])
      try store.put([row(16...20, 4) + [.string("4")]], into: "wide", .insert)
      #expect(
        try store.rows(of: "wide").map { $0[6] } == [
          .string("new"), .string("new"), .string("new"), .string("4"),
        ])
      // Two more, and the records are written anew.
      let last = schema((18...20).map(column) + [id, again], 4)
      let two = changes(third, last)
      store = try map.open(last) { try $0.change(two) }
      #expect(try map.catalog().keyspaces[0].dropped == nil)
      #expect(try map.catalog().keyspaces[0].rows != rows)
      #expect(try map.entries(of: rows).isEmpty)
      #expect(
        try store.rows(of: "wide") == [
          row(18...20, 1) + [.string("new")],
          Array(changed[2...]) + [.string("new")], row(18...20, 3) + [.string("new")],
          row(18...20, 4) + [.string("4")],
        ])
      #expect(
        try store.keys("wide", attribute("c20", .less, .int(50))).keys == [.int(18), .int(36)])
      #expect(try store.faults() == [])
    }
  }

  @Test("7.3: a catalog with a dropped attribute beyond its records is damaged")
  func damaged() throws {
    try MigratedMap.memory.run { map in
      var catalog = Catalog(of: SnackSchema.first, hasChecksums: true)
      catalog.keyspaces[0].dropped = [.init(position: 6, type: .int64)]
      let damaged = catalog
      try map.write { try damaged.write(to: $0) }
      #expect(code { _ = try map.open(SnackSchema.first) } == .corrupt)
    }
  }
}
