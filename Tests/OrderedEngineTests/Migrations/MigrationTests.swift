import MemoryBackend
import ORMConformance
import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// The changes that a migration makes to a store of keys and values: clauses 10.5, 10.7 and 10.8.
@Suite struct MigrationTests {
  @Test("A rename touches no row and no entry", arguments: MigratedMap.allCases)
  func renames(_ kind: MigratedMap) throws {
    try kind.run { map in
      try SnackSchema.fill(map.open(SnackSchema.first))
      let before = try map.catalog()
      let keyspaces = Array(1..<before.nextKeyspace)
      let bytes = try keyspaces.map { try map.entries(of: $0) }
      var union = SnackSchema.first.version(2)
      union.entities[0].name = "food"
      union.entities[0].modelName = "Food"
      union.entities[0].columns[3].name = "cents"
      union.entities[0].columns[3].attribute = "cents"
      union.entities[0].indexes[3].name = "byCents"
      var changes = SchemaChanges(union: union)
      changes.renamedEntities["food"] = "snack"
      changes.renamedColumns[.init("food", "cents")] = "price"
      changes.renamedIndexes[.init("food", "byCents")] = "byPrice"
      let renames = changes
      let store = try map.open(union) { try $0.change(renames) }
      let after = try map.catalog()
      #expect(after.keyspaces == before.keyspaces)
      #expect(after.schema == union)
      #expect(after.generation == before.generation + 1)
      #expect(try keyspaces.map { try map.entries(of: $0) } == bytes)
      #expect(try store.rows(of: "food") == SnackSchema.rows)
      let cheap = try store.keys("food", attribute("cents", .equal, .int(80)))
      #expect(cheap.keys == [.int(3)])
      #expect(cheap.index == "byCents")
      let chips = try store.keys("food", SnackSchema.named("Chips"))
      #expect(chips.keys == [.int(2)])
      #expect(chips.index == "byName")
      #expect(code { _ = try store.rows(of: "snack") } == .unknownEntity)
      let new: [StoredValue] = [.int(0), .string("y"), .null, .int(1), .null]
      #expect(try store.put([new], into: "food").keys == [11])
      #expect(try store.faults() == [])
    }
  }

  @Test("Two entities swap their names, and two attributes", arguments: MigratedMap.allCases)
  func swaps(_ kind: MigratedMap) throws {
    try kind.run { map in
      func entity(_ name: String, _ model: String) -> StoredEntity {
        StoredEntity(
          name: name, modelName: model,
          columns: [
            StoredColumn("id", .int64), StoredColumn("a", .int64), StoredColumn("b", .int64),
          ],
          key: [0], keySource: .generated, indexes: [StoredIndex("\(name)A", [.init(1)])])
      }
      let old = StoredSchema(
        entities: [entity("cup", "Cup"), entity("mug", "Mug")], version: 1)
      let first = try map.open(old)
      try first.put([[.int(1), .int(10), .int(20)]], into: "cup")
      try first.put([[.int(7), .int(300), .int(400)]], into: "mug")
      // What was the cup is the mug, whose first value is now b.
      var union = old.version(2)
      (union.entities[0].name, union.entities[0].modelName) = ("mug", "Mug")
      (union.entities[1].name, union.entities[1].modelName) = ("cup", "Cup")
      union.entities[0].columns[1] = StoredColumn("b", .int64)
      union.entities[0].columns[2] = StoredColumn("a", .int64)
      union.entities[0].indexes[0].name = "mugB"
      union.entities[1].indexes[0].name = "cupA"
      var changes = SchemaChanges(union: union)
      changes.renamedEntities = ["mug": "cup", "cup": "mug"]
      changes.renamedColumns = [.init("mug", "a"): "b", .init("mug", "b"): "a"]
      changes.renamedIndexes = [.init("mug", "mugB"): "cupA", .init("cup", "cupA"): "mugA"]
      let renames = changes
      let store = try map.open(union) { try $0.change(renames) }
      #expect(try store.rows(of: "mug") == [[.int(1), .int(10), .int(20)]], "id, b, a")
      #expect(try store.keys("mug", attribute("a", .equal, .int(20))).keys == [.int(1)])
      let found = try store.keys("mug", attribute("b", .equal, .int(10)))
      #expect(found.keys == [.int(1)])
      #expect(found.index == "mugB")
      #expect(try store.rows(of: "cup") == [[.int(7), .int(300), .int(400)]])
      #expect(try store.put([[.int(0), .int(1), .int(2)]], into: "cup").keys == [8])
      #expect(try store.put([[.int(0), .int(1), .int(2)]], into: "mug").keys == [2])
      #expect(try store.faults() == [])
      // A program that declares them in another order finds the same values.
      var other = union
      other.entities[0].columns.swapAt(1, 2)
      other.entities[0].indexes[0].terms[0].column = 2
      let again = try map.open(other)
      #expect(try again.rows(of: "mug").first == [.int(1), .int(20), .int(10)], "id, a, b")
    }
  }

  @Test("Attributes go, change, get names and come in one change", arguments: MigratedMap.allCases)
  func everythingAtOnce(_ kind: MigratedMap) throws {
    try kind.run { map in
      try SnackSchema.fill(map.open(SnackSchema.first))
      // The rows that are there lack the column; the fourth has it.
      var wider = SnackSchema.first
      wider.entities[0].columns.append(StoredColumn("grams", .int64, defaultValue: .int(5)))
      try map.open(wider).put(
        [[.int(4), .string("nuts"), .string("nutty"), .int(90), .null, .int(250)]],
        into: "snack")
      var union = wider.version(2)
      union.entities[0].columns.remove(at: 2)
      union.entities[0].columns[1].isOptional = true
      union.entities[0].columns[2].name = "cents"
      union.entities[0].columns[2].attribute = "cents"
      union.entities[0].columns[4].defaultValue = .int(1)
      union.entities[0].columns.append(StoredColumn("stock", .int32, defaultValue: .int(7)))
      union.entities[0].indexes = [
        StoredIndex("byName", [.init(1, form: .caseFolded)]),
        StoredIndex("byTags", [.init(3, form: .elements)]),
        StoredIndex("byCents", [.init(2, isDescending: true)]),
        StoredIndex("byGrams", [.init(4), .init(5)]),
      ]
      var changes = SchemaChanges(union: union)
      changes.droppedIndexes = [.init("snack", "byTaste")]
      changes.droppedColumns = [.init("snack", "taste")]
      changes.renamedColumns[.init("snack", "cents")] = "price"
      changes.renamedIndexes[.init("snack", "byCents")] = "byPrice"
      changes.alteredColumns = [.init("snack", "name"), .init("snack", "grams")]
      changes.addedColumns = [.init("snack", "stock")]
      changes.addedIndexes = [.init("snack", "byGrams")]
      let all = changes
      let before = try map.catalog()
      let records = try map.entries(of: before.keyspaces[0].rows)
      let store = try map.open(union) { try $0.change(all) }
      #expect(try map.entries(of: before.keyspaces[0].rows) == records, "no row is touched")
      #expect(
        try store.rows(of: "snack") == [
          [
            .int(1), .string("Äpfel und anderes Obst"), .int(125),
            .array([.string("fruit"), .string("red")]), .int(5), .int(7),
          ],
          [.int(2), .string("chips"), .int(350), .null, .int(5), .int(7)],
          [
            .int(3), .string("CHIPS, sehr lange gebraten"), .int(80), .array([.string("crisp")]),
            .int(5), .int(7),
          ],
          [.int(4), .string("nuts"), .int(90), .null, .int(250), .int(7)],
        ])
      #expect(try store.rows(of: "shop") == SnackSchema.shops)
      let keyspaces = try map.catalog().keyspaces
      // Entries hold no positions: those over what stays are not touched, nor are other entities.
      #expect(keyspaces[0].indexes[1] == before.keyspaces[0].indexes[2])
      #expect(keyspaces[0].indexes[2] == before.keyspaces[0].indexes[3])
      #expect(keyspaces[1] == before.keyspaces[1])
      #expect(keyspaces[0].rows == before.keyspaces[0].rows)
      #expect(keyspaces[0].dropped == [.init(position: 2, type: .string)])
      for keyspace in before.keyspaces[0].indexes[...1] {
        #expect(try map.entries(of: keyspace).isEmpty, "\(keyspace)")
      }
      try store.put([[.int(0), .null, .int(1), .null, .int(2), .int(3)]], into: "snack")
      for (condition, keys, index) in [
        (SnackSchema.named("Chips"), [2], "byName"),
        (attribute("cents", .greater, .int(100)), [1, 2], "byCents"),
        (attribute("grams", .equal, .int(5)), [1, 2, 3], "byGrams"),
        (attribute("name", .equal, .null), [11], nil),
      ] {
        let found = try store.keys("snack", condition)
        #expect(found.keys == keys.map { .int(Int64($0)) }, "\(condition)")
        if let index { #expect(found.index == index) }
      }
      #expect(try store.faults() == [])
    }
  }

  @Test("An entity goes with its rows, entries and keys", arguments: MigratedMap.allCases)
  func dropsEntities(_ kind: MigratedMap) throws {
    try kind.run { map in
      try SnackSchema.fill(map.open(SnackSchema.first))
      let keyspaces = try map.catalog().keyspaces[0]
      var changes = SchemaChanges(
        union: StoredSchema(entities: [SnackSchema.shop], version: 2))
      changes.droppedEntities = ["snack"]
      let drop = changes
      // The program declares an entity of the same name, which is a new one.
      let store = try map.open(SnackSchema.first.version(2)) { try $0.change(drop) }
      #expect(try store.rows(of: "snack") == [])
      #expect(try store.rows(of: "shop").count == 2)
      for keyspace in [keyspaces.rows] + keyspaces.indexes {
        #expect(try map.entries(of: keyspace).isEmpty)
      }
      let new: [StoredValue] = [.int(0), .string("y"), .null, .int(1), .null]
      #expect(try store.put([new], into: "snack").keys == [1])
      #expect(try store.faults() == [])
      #expect(
        try map.entries(of: 0).map { $0[0] } == [Array("catalog".utf8), Array("commit".utf8)])
    }
  }

  @Test("Of seventy attributes three go")
  func manyColumns() throws {
    try MigratedMap.lmdb.run { map in
      func schema(_ columns: [Int], _ version: Int) -> StoredSchema {
        StoredSchema(
          entities: [
            StoredEntity(
              name: "wide",
              columns: [StoredColumn("id", .int64)]
                + columns.map {
                  StoredColumn("c\($0)", $0 % 2 == 0 ? .int64 : .string, isOptional: true)
                }, key: [0])
          ], version: version)
      }
      func row(_ columns: [Int]) -> [StoredValue] {
        [.int(1)]
          + columns.map { $0 % 5 == 0 ? .null : $0 % 2 == 0 ? .int(Int64($0)) : .string("t\($0)") }
      }
      let all = Array(0..<70)
      try map.open(schema(all, 1)).put([row(all)], into: "wide")
      let left = all.filter { ![3, 62, 64].contains($0) }
      var changes = SchemaChanges(union: schema(left, 2))
      changes.droppedColumns = [3, 62, 64].map { .init("wide", "c\($0)") }
      let drop = changes
      let store = try map.open(schema(left, 2)) { try $0.change(drop) }
      #expect(try store.rows(of: "wide") == [row(left)])
      #expect(try store.faults() == [])
    }
  }
}
