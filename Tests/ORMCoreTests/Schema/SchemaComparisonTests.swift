import ORMCore
import Testing

/// Clause 7.5.
@Suite struct SchemaComparisonTests {
  private let snack = StoredEntity(
    name: "snack", modelName: "Snack",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("price", .double, isOptional: true),
    ],
    key: [0], indexes: [StoredIndex("snack_name", [.init(1)])])

  private func compare(
    _ stored: StoredEntity..., declared: StoredEntity...,
    policy: StoreOptions.SchemaPolicy = .additive
  ) throws -> SchemaChanges {
    try SchemaComparison.compare(
      stored: StoredSchema(entities: stored), declared: StoredSchema(entities: declared),
      policy: policy)
  }

  private func failures(
    _ stored: StoredEntity, _ declared: StoredEntity,
    policy: StoreOptions.SchemaPolicy = .additive
  ) -> [String] {
    do {
      _ = try compare(stored, declared: declared, policy: policy)
      return []
    } catch let error as StoreError {
      guard error.code == .schemaMismatch else { return ["\(error.code)"] }
      return error.failures.map { "\($0.attributes.joined(separator: ",")): \($0.message)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func theSameSchemaChangesNothing() throws {
    for policy in [StoreOptions.SchemaPolicy.additive, .strict] {
      let changes = try compare(snack, declared: snack, policy: policy)
      #expect(changes.isEmpty)
      #expect(changes.union.entities == [snack])
    }
  }

  @Test func orderAndModelNamesAreNoDifference() throws {
    var other = snack
    other.modelName = "Nibble"
    other.columns = [snack.columns[1], snack.columns[0], snack.columns[2]]
    other.columns[0].attribute = "title"
    other.key = [1]
    other.indexes = [StoredIndex("snack_name", [.init(0)])]
    let changes = try compare(snack, declared: other, policy: .strict)
    #expect(changes.isEmpty)
    #expect(changes.union.entities[0].columns.map(\.name) == ["id", "name", "price"])
    #expect(changes.union.entities[0].columns[1].attribute == "title")
    #expect(changes.union.entities[0].modelName == "Nibble")
    #expect(changes.union.entities[0].indexes == snack.indexes)
  }

  @Test func newEntitiesColumnsAndIndexesAreAdditions() throws {
    var wider = snack
    wider.columns.insert(StoredColumn("taste", .string, isOptional: true), at: 1)
    wider.columns.append(StoredColumn("stock", .int32, defaultValue: .int(7)))
    wider.indexes = [
      StoredIndex("snack_name", [.init(2)]), StoredIndex("snack_stock", [.init(4)]),
    ]
    let team = StoredEntity(name: "team", columns: [StoredColumn("id", .uuid)], key: [0])
    let changes = try compare(snack, declared: wider, team)
    #expect(changes.addedEntities == ["team"])
    #expect(changes.addedColumns == [.init("snack", "taste"), .init("snack", "stock")])
    #expect(changes.addedIndexes == [.init("snack", "snack_stock")])
    #expect(changes.droppedIndexes == [])
    let union = changes.union.entities[0]
    #expect(union.columns.map(\.name) == ["id", "name", "price", "taste", "stock"])
    #expect(union.indexes.map { $0.terms[0].column } == [1, 4])
    #expect(changes.union.entities.map(\.name) == ["snack", "team"])
  }

  @Test func whatTheProgramDoesNotDeclareStays() throws {
    var narrower = snack
    narrower.columns.removeLast()
    var stored = snack
    stored.indexes.append(StoredIndex("snack_price", [.init(1), .init(2)], isUnique: true))
    let team = StoredEntity(name: "team", columns: [StoredColumn("id", .uuid)], key: [0])
    let changes = try compare(stored, team, declared: narrower)
    #expect(changes.isEmpty)
    #expect(changes.union.entities == [stored, team])
  }

  @Test func anIndexNoLongerDeclaredIsDroppedAndAChangedOneBuiltAnew() throws {
    var other = snack
    other.indexes = []
    var changes = try compare(snack, declared: other)
    #expect(changes.droppedIndexes == [.init("snack", "snack_name")])
    #expect(changes.union.entities[0].indexes == [])
    other.indexes = [StoredIndex("snack_name", [.init(1)], isUnique: true)]
    changes = try compare(snack, declared: other)
    #expect(changes.droppedIndexes == [.init("snack", "snack_name")])
    #expect(changes.addedIndexes == [.init("snack", "snack_name")])
    #expect(changes.union.entities[0].indexes == other.indexes)
  }

  @Test func everyOtherDifferenceIsNamed() {
    var other = snack
    other.columns[1].type = .int64
    other.columns[1].isNormalized = true
    other.columns[2].isOptional = false
    other.columns.append(StoredColumn("stock", .int32))
    other.key = [1]
    other.keySource = .program
    #expect(
      failures(snack, other) == [
        "name: the type is string in the store, int64 in the program",
        "name: not normalized in the store, but not in the program",
        "price: optional in the store, but not in the program",
        "stock: the store lacks a required attribute that has no default",
        "id,name: the store and the program declare different primary keys",
      ])
    other = snack
    other.keySource = .generated
    #expect(
      failures(snack, other) == [
        "id: the store and the program generate primary keys differently"
      ])
    other.keySource = .uuidV7
    #expect(failures(snack, other) == [])
  }

  @Test func anUndeclaredRequiredColumnWithoutDefaultMakesInsertsImpossible() {
    var narrower = snack
    narrower.columns.remove(at: 1)
    narrower.indexes = []
    #expect(
      failures(snack, narrower) == [
        "name: the store has a required attribute without a default that the program does not "
          + "declare"
      ])
    var stored = snack
    stored.columns[1].defaultValue = .string("")
    #expect(failures(stored, narrower) == [])
  }

  @Test func strictRefusesAdditionsToo() {
    var wider = snack
    wider.columns.append(StoredColumn("taste", .string, isOptional: true))
    wider.indexes = [StoredIndex("snack_taste", [.init(3)])]
    #expect(
      failures(snack, wider, policy: .strict) == [
        "taste: the store lacks an attribute that the program declares",
        "name: the program does not declare the index snack_name as the store has it",
        "taste: the store lacks the index snack_taste",
      ])
    #expect(
      failures(wider, snack, policy: .strict).first
        == "taste: the store has an attribute that the program does not declare")
    var other = snack
    other.columns[2].defaultValue = .double(1)
    #expect(failures(snack, other, policy: .strict) == ["price: the defaults differ"])
    #expect(failures(snack, other) == [])
  }

  @Test func anAttributeThatMovesIsNotAnAddition() {
    var other = snack
    other.columns[2].name = "cost"
    other.columns[2].attribute = "price"
    #expect(
      failures(snack, other) == [
        "price: the store names this attribute price, the program cost"
      ])
    var entity = snack
    entity.name = "snacks"
    entity.indexes = []
    #expect(
      failures(snack, entity) == [
        ": the store names this entity snack, the program snacks"
      ])
  }

  @Test func aLowerVersionIsRefusedBeforeAnythingElse() throws {
    func compare(_ stored: Int?, _ declared: Int?) throws -> Int? {
      try SchemaComparison.compare(
        stored: StoredSchema(entities: [snack], version: stored),
        declared: StoredSchema(entities: [snack], version: declared)
      ).union.version
    }
    #expect(try compare(nil, nil) == nil)
    #expect(try compare(nil, 1) == 1)
    #expect(try compare(2, 3) == 3)
    for declared in [1, nil] {
      let error = #expect(throws: StoreError.self) { try compare(2, declared) }
      #expect(error?.code == .schemaTooNew)
    }
  }

  @Test func aNewIndexMayNotTakeTheNameOfAnother() {
    let team = StoredEntity(
      name: "team", columns: [StoredColumn("id", .uuid)], key: [0],
      indexes: [StoredIndex("snack_name", [.init(0)])])
    #expect(throws: StoreError.self) { try compare(snack, declared: team) }
  }
}
