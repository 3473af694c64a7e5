import ORMCore
import Testing

/// The access of older programs by both schemas: clause 10.10.
@Suite struct SchemaAccessTests {
  private static let team = StoredEntity(
    name: "team", modelName: "Team", columns: [StoredColumn("id", .int64)], key: [0])
  private static let snack = StoredEntity(
    name: "snack", modelName: "Snack",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("price", .double, isOptional: true),
    ],
    key: [0], indexes: [StoredIndex("snack_name", [.init(1)], isUnique: true)],
    rules: [rule("price >= 0")])
  private static let old = StoredSchema(entities: [snack, team])

  private static func rule(_ format: String) -> ValidationRule {
    ValidationRule("rule", attributes: ["price"], format: format, message: "must fit")
  }

  private func access(_ change: (inout StoredSchema) -> Void) -> SchemaAccess {
    var newer = Self.old
    change(&newer)
    return Self.old.access(to: newer)
  }

  /// The access beside a new column.
  private func access(adding column: StoredColumn) -> SchemaAccess {
    access { $0.entities[0].columns.append(column) }
  }

  @Test("10.10: the store keeps these by itself")
  func writing() {
    #expect(access { _ in } == .writing)
    #expect(access(adding: StoredColumn("a", .int64, isOptional: true)) == .writing)
    #expect(access(adding: StoredColumn("a", .int64, defaultValue: .int(0))) == .writing)
    #expect(
      access {
        $0.entities.append(
          StoredEntity(
            name: "new", columns: [StoredColumn("id", .int64), StoredColumn("a", .int64)],
            key: [0], rules: [Self.rule("a > 0")]))
      } == .writing)
    #expect(access { $0.entities[0].indexes.append(StoredIndex("b", [.init(2)])) } == .writing)
    #expect(
      access { $0.entities[0].indexes.append(StoredIndex("b", [.init(2)], isUnique: true)) }
        == .writing)
    #expect(access { $0.entities[0].rules = [] } == .writing)
    #expect(access { $0.entities[0].columns[2].defaultValue = .double(1) } == .writing)
    #expect(
      access {
        $0.entities[0].columns.swapAt(1, 2)
        $0.entities[0].indexes[0].terms[0].column = 2
        $0.entities[0].indexes[0].name = "other"
        $0.entities.swapAt(0, 1)
      } == .writing, "order and names of indexes")
  }

  @Test("10.10: an older program would not keep these, and may read")
  func reading() {
    #expect(access { $0.entities[0].columns[2].isOptional = false } == .reading)
    #expect(access { $0.entities[0].rules.append(Self.rule("price < 9")) } == .reading)
    #expect(access { $0.entities[0].rules = [Self.rule("price > 0")] } == .reading)
    #expect(access(adding: StoredColumn("a", .int64)) == .reading)
    #expect(access(adding: StoredColumn("a", .date, computedDefault: .now)) == .reading)
    #expect(
      access(adding: StoredColumn("a", .date, isOptional: true, role: .deletedAt)) == .reading)
    #expect(
      access(adding: StoredColumn("a", .date, isOptional: true, role: .updatedAt)) == .reading)
    #expect(
      access(adding: StoredColumn("a", .data, isOptional: true, externalThreshold: 9)) == .reading)
    let derived = DerivedValue(.count, of: "players")
    #expect(
      access(adding: StoredColumn("a", .int64, isOptional: true, derived: derived)) == .reading)
  }

  @Test("10.10: an older program would read other values, or lacks what it knows")
  func none() {
    #expect(access { $0.entities[0].columns[2].type = .int64 } == .none)
    #expect(access { $0.entities[0].columns[1].isOptional = true } == .none)
    #expect(access { $0.entities[0].columns[1].isNormalized = true } == .none)
    #expect(access { $0.entities[0].columns[2].name = "cost" } == .none)
    #expect(access { $0.entities[0].columns.removeLast() } == .none)
    #expect(access { $0.entities.removeLast() } == .none)
    #expect(access { $0.entities[0].name = "snacks" } == .none)
    #expect(access { $0.entities[0].key = [1] } == .none)
    #expect(access { $0.entities[0].keySource = .generated } == .none)
    #expect(access { $0.entities[0].indexes = [] } == .none)
    #expect(access { $0.entities[0].indexes[0].isUnique = false } == .none)
  }

  /// A link from an entity to one that older programs delete rows of.
  @Test(
    "10.10: delete rules of new relationships are not followed",
    arguments: [
      (DeleteRule.nullify, true, SchemaAccess.reading), (.cascade, true, .reading),
      (.noAction, true, .writing), (.cascade, false, .writing),
    ])
  func relationships(_ rule: DeleteRule, _ isKnown: Bool, _ expected: SchemaAccess) {
    let result = access { schema in
      if !isKnown {
        schema.entities.append(
          StoredEntity(name: "league", columns: [StoredColumn("id", .int64)], key: [0]))
      }
      schema.entities.append(
        StoredEntity(
          name: "note",
          columns: [
            StoredColumn("id", .int64), StoredColumn("to", .int64, isOptional: true),
          ], key: [0],
          relationships: [
            RelationshipDescription(
              "target", target: isKnown ? "Team" : "league", isToMany: false,
              targetDeleteRule: rule, storage: .own(["to"], position: nil))
          ]))
    }
    #expect(result == expected)
  }

  /// The least versions after a chain of openings, worked out by hand.
  @Test("10.10: a store keeps the least versions that may read and write")
  func leastVersions() throws {
    var kept = StoredSchema(entities: [Self.snack], version: 1)
    func open(_ version: Int, _ change: (inout StoredEntity) -> Void = { _ in }) throws -> [Int?] {
      var declared = StoredSchema(entities: kept.entities, version: version)
      change(&declared.entities[0])
      kept = try SchemaComparison.compare(stored: kept, declared: declared).union
      return [kept.minimumReader, kept.minimumWriter]
    }
    #expect(try open(1) == [nil, nil])
    #expect(try open(2) == [1, 1])
    #expect(try open(3) { $0.rules.append(Self.rule("price < 9")) } == [1, nil])
    #expect(try open(5) == [1, 3])
    // Another program of version 5 has a rule of which those of version 3 do not know.
    #expect(try open(5) { $0.rules.append(Self.rule("price < 5")) } == [1, nil])
    #expect(try open(6) { $0.indexes = [] } == [nil, nil])
    #expect(try open(7) == [6, 6])
    let access = [nil, 5, 6, 7, 8].map { kept.access(ofVersion: $0) }
    #expect(access == [.none, .none, .writing, .writing, .writing])
    var unversioned = StoredSchema(entities: [Self.snack])
    unversioned = try SchemaComparison.compare(
      stored: unversioned, declared: StoredSchema(entities: [Self.snack], version: 1)
    ).union
    #expect([unversioned.minimumReader, unversioned.minimumWriter] == [nil, nil])
    #expect(unversioned.access(ofVersion: nil) == .none)
  }

  @Test("10.10: an admitted program gets the store's schema as it is")
  func admitted() throws {
    var kept = StoredSchema(entities: [Self.snack, Self.team], version: 3)
    kept.minimumWriter = 2
    kept.minimumReader = 1
    kept.entities[0].columns[2].isOptional = false
    kept.entities[0].columns.append(StoredColumn("stock", .int64))
    var declared = StoredSchema(entities: [Self.snack], version: 1)
    func compare(_ isReadOnly: Bool) throws -> SchemaChanges {
      try SchemaComparison.compare(stored: kept, declared: declared, isReadOnly: isReadOnly)
    }
    #expect(try compare(true) == SchemaChanges(union: kept))
    #expect(#expect(throws: StoreError.self) { try compare(false) }?.code == .schemaTooNew)
    declared.version = 2
    let error = #expect(throws: StoreError.self) { try compare(false) }
    #expect(error?.code == .schemaMismatch, "the schemas are compared all the same")
    #expect(Set(error?.failures.flatMap(\.attributes) ?? []) == ["stock", "price"])
    kept.entities = [Self.snack]
    #expect(try compare(false) == SchemaChanges(union: kept))
    declared.entities[0].indexes = []
    #expect(try compare(false) == SchemaChanges(union: kept), "it drops no index")
    declared.entities.append(Self.team)
    declared.entities[0].columns.append(StoredColumn("extra", .int64, isOptional: true))
    let lacks = #expect(throws: StoreError.self) { try compare(false) }
    #expect(lacks?.failures.map(\.entity) == ["Team", "Snack"], "it adds nothing")
  }
}
