import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// Clause 5.
@Suite struct PutTests {
  private static let snack = StoredEntity(
    name: "snack", modelName: "Snack",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("taste", .string, isOptional: true),
      StoredColumn("price", .double, defaultValue: .double(1.5)),
      StoredColumn("code", .int32, isOptional: true),
    ],
    key: [0],
    indexes: [
      StoredIndex("snack_name", [.init(1)]),
      StoredIndex("snack_code", [.init(4)], isUnique: true),
    ])
  private static let schema = StoredSchema(entities: [snack])

  private func snack(
    _ id: Int64, _ name: String, taste: StoredValue = .null, price: Double = 2,
    code: StoredValue = .null
  ) -> [StoredValue] {
    [.int(id), .string(name), taste, .double(price), code]
  }

  // 5.1
  @Test(arguments: TestedMap.allCases)
  func savingInsertsUpdatesOrLeavesAlone(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      #expect(
        try store.put([snack(2, "b"), snack(1, "a")], into: "snack").outcomes == [
          .inserted, .inserted,
        ])
      let log = try store.put([snack(1, "a"), snack(2, "c"), snack(3, "d")], into: "snack")
      #expect(log.outcomes == [.unchanged, .updated, .inserted])
      #expect(log.oldRows == [snack(2, "b")])
      #expect(try store.rows(of: "snack") == [snack(1, "a"), snack(2, "c"), snack(3, "d")])
    }
  }

  /// 5.1, 1.2: bit for bit.
  @Test(arguments: TestedMap.allCases)
  func theSignOfZeroIsAChange(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try store.put([snack(1, "a", price: 0)], into: "snack")
      #expect(try store.put([snack(1, "a", price: -0.0)], into: "snack").outcomes == [.updated])
      let price = try store.rows(of: "snack")[0][3]
      #expect(price.isIdentical(to: .double(-0.0)))
    }
  }

  @Test(arguments: TestedMap.allCases)
  func modesSayWhatExistsAndWhatNot(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try store.put([snack(1, "a")], into: "snack", .insert)
      let taken = storeError { try store.put([snack(1, "x")], into: "snack", .insert) }
      #expect(taken?.code == .duplicate)
      #expect(taken?.entity == "Snack")
      #expect(taken?.attributes == ["id"])
      #expect(taken?.values == [.int(1)])
      let absent = storeError { try store.put([snack(7, "x")], into: "snack", .update) }
      #expect(absent?.code == .notFound)
      #expect(absent?.key == [.int(7)])
      #expect(try store.put([snack(1, "y")], into: "snack", .update).outcomes == [.updated])
      let log = try store.put([snack(1, "z"), snack(2, "b")], into: "snack", .insertMissing)
      #expect(log.outcomes == [.unchanged, .inserted])
      #expect(try store.rows(of: "snack") == [snack(1, "y"), snack(2, "b")])
    }
  }

  // 5.4
  @Test(arguments: TestedMap.allCases)
  func someColumnsKeepTheOthersAndTakeDefaults(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try store.put([snack(1, "a", taste: .string("sweet"), code: .int(9))], into: "snack")
      let log = try store.put(
        [[.int(1), .string("b")], [.int(2), .string("c")]], into: "snack", columns: [0, 1])
      #expect(log.outcomes == [.updated, .inserted])
      #expect(
        try store.rows(of: "snack") == [
          snack(1, "b", taste: .string("sweet"), code: .int(9)), snack(2, "c", price: 1.5),
        ])
      let missing = storeError {
        try store.put([[.int(3), .double(3)]], into: "snack", columns: [0, 3])
      }
      #expect(missing?.code == .missingValue)
      #expect(missing?.attributes == ["name"])
      #expect(missing?.key == [.int(3)])
    }
  }

  // 5.4
  @Test(arguments: TestedMap.allCases)
  func nilKeepsWhatIsStored(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try store.put([snack(1, "a", taste: .string("sweet"), price: 4)], into: "snack")
      let log = try store.put(
        [
          [.int(1), .string("b"), .null, .null, .int(5)],
          [.int(2), .string("c"), .null, .null, .null],
        ],
        into: "snack", nilKeeps: true)
      #expect(log.outcomes == [.updated, .inserted])
      #expect(
        try store.rows(of: "snack") == [
          snack(1, "b", taste: .string("sweet"), price: 4, code: .int(5)),
          snack(2, "c", price: 1.5),
        ])
      let null = storeError {
        try store.put([[.int(1), .null, .null, .double(1), .null]], into: "snack")
      }
      #expect(null?.code == .missingValue)
      #expect(null?.attributes == ["name"])
    }
  }

  /// 5.1: unique rules hold at the end of an operation, not between its rows.
  @Test(arguments: TestedMap.allCases)
  func uniqueValuesMayBeExchangedInOneOperation(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try store.put([snack(1, "a", code: .int(1)), snack(2, "b", code: .int(2))], into: "snack")
      let exchanged = [snack(1, "a", code: .int(2)), snack(2, "b", code: .int(1))]
      #expect(try store.put(exchanged, into: "snack").outcomes == [.updated, .updated])
      #expect(try store.rows(of: "snack") == exchanged)
      let condition = attribute("code", .equal, .int(1))
      #expect(try store.rows(FetchRequest(entity: "snack", condition: condition)) == [exchanged[1]])
    }
  }

  // 5.1
  @Test(arguments: TestedMap.allCases)
  func aBrokenUniqueRuleIsDuplicate(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try store.put([snack(1, "a", code: .int(1))], into: "snack")
      for batch in [
        [snack(2, "b", code: .int(1))],
        [snack(3, "c", code: .int(3)), snack(2, "b", code: .int(1))],
        [snack(2, "b", code: .int(1)), snack(3, "c", code: .int(3))],
        [snack(2, "b", code: .int(5)), snack(3, "c", code: .int(5))],
      ] {
        let error = storeError { try store.put(batch, into: "snack") }
        #expect(error?.code == .duplicate)
        #expect(error?.entity == "Snack")
        #expect(error?.attributes == ["code"])
        #expect([[.int(1)], [.int(5)]].contains(error?.values))
      }
      #expect(try store.rows(of: "snack").count == 1)
      // nil is never a duplicate.
      try store.put([snack(2, "b"), snack(3, "c")], into: "snack")
    }
  }

  /// The seam: a put of a single row that throws has changed nothing.
  @Test(arguments: TestedMap.allCases)
  func aSingleRowThatThrowsChangesNothing(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      try store.put([snack(1, "a", code: .int(1)), snack(2, "b", code: .int(2))], into: "snack")
      try store.inWriter { writer in
        let entity = store.schema["snack"]
        #expect(storeError { try writer.put([snack(2, "x", code: .int(1))], into: entity) } != nil)
        #expect(storeError { try writer.put([snack(3, "x", code: .int(1))], into: entity) } != nil)
        #expect(storeError { try writer.put([snack(1, "x")], into: entity, .insert) } != nil)
        #expect(storeError { try writer.put([snack(9, "x")], into: entity, .update) } != nil)
      }
      let rows = [snack(1, "a", code: .int(1)), snack(2, "b", code: .int(2))]
      #expect(try store.rows(of: "snack") == rows)
      // The indexes agree still: both codes are taken, and the rows can be changed and found.
      #expect(storeError { try store.put([snack(3, "x", code: .int(2))], into: "snack") } != nil)
      try store.put([snack(2, "b", code: .int(3))], into: "snack")
      try store.put([snack(3, "c", code: .int(2))], into: "snack")
    }
  }

  /// An operation may change one row several times.
  @Test(arguments: TestedMap.allCases)
  func theLaterOfTwoRowsWithOneKeyWins(map: TestedMap) throws {
    try map.withStore(Self.schema) { store in
      let rows = [
        snack(1, "a", code: .int(1)), snack(1, "b", code: .int(2)), snack(1, "a", code: .int(1)),
        snack(1, "c", code: .int(2)),
      ]
      let log = try store.put(rows, into: "snack")
      #expect(log.outcomes == [.inserted, .updated, .updated, .updated])
      #expect(try store.rows(of: "snack") == [rows[3]])
      try store.put([snack(2, "d", code: .int(1))], into: "snack")
      #expect(storeError { try store.put([snack(3, "d", code: .int(2))], into: "snack") } != nil)
    }
  }

  // 1.5
  @Test func aLargeValueIsRefused() throws {
    var options = StoreOptions()
    options.maximumValueSize = 10
    try TestedMap.memory.withStore(Self.schema, options: options) { store in
      let error = storeError { try store.put([snack(1, "12345678901")], into: "snack") }
      #expect(error?.code == .tooLarge)
      #expect(error?.entity == "Snack")
      #expect(error?.attributes == ["name"])
      #expect(error?.key == [.int(1)])
    }
  }
}
