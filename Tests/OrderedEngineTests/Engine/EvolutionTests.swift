import Foundation
import ORMConformance
import ORMCore
import TestSupport
import Testing

@testable import LMDBBackend
@testable import MemoryBackend
@testable import OrderedEngine

/// Clause 5.5 and 7.5, over one map that is opened again and again.
@Suite struct EvolutionTests {
  private static let old = StoredEntity(
    name: "snack", modelName: "Snack",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("taste", .string, isOptional: true),
    ],
    key: [0], keySource: .generated, indexes: [StoredIndex("byName", [.init(1)])])

  private func open(
    _ map: any OrderedStore, _ entities: StoredEntity..., readOnly: Bool = false
  ) throws -> OrderedStoreEngine {
    var options = StoreOptions()
    options.isReadOnly = readOnly
    return try OrderedStoreEngine(
      map, schema: entities.isEmpty ? nil : StoredSchema(entities: entities),
      runtime: StoreRuntime(options: options))
  }

  @Test func additionsAreMadeAndOldRowsTakeTheDefault() throws {
    let map = LimitedMap()
    try open(map, Self.old).put([[.int(1), .string("a"), .string("x")]], into: "snack")
    var wider = Self.old
    wider.columns.insert(StoredColumn("stock", .int32, defaultValue: .int(7)), at: 1)
    wider.indexes = [StoredIndex("byStock", [.init(1)], isUnique: true)]
    let store = try open(map, wider)
    #expect(try store.rows(of: "snack") == [[.int(1), .int(7), .string("a"), .string("x")]])
    let request = FetchRequest(entity: "snack", condition: attribute("stock", .equal, .int(7)))
    #expect(try store.inReader { try $0.explain(request) }.index == "byStock")
    #expect(try store.rows(request).count == 1)
    #expect(
      storeError { try store.put([[.int(2), .int(7), .string("b"), .null]], into: "snack") }?.code
        == .duplicate)
    // Saving what is read writes nothing, although the record is of the old shape.
    let row = try store.rows(of: "snack")
    #expect(try store.put(row, into: "snack").outcomes == [.unchanged])
  }

  @Test func undeclaredColumnsSurviveUpdatesAndTheirIndexStays() throws {
    let map = LimitedMap()
    var full = Self.old
    full.indexes.append(StoredIndex("byTaste", [.init(2)]))
    try open(map, full).put(
      [[.int(1), .string("a"), .string("x")], [.int(2), .string("b"), .string("y")]],
      into: "snack")
    var narrow = full
    narrow.columns.removeLast()
    narrow.indexes.removeLast()
    let store = try open(map, narrow)
    try store.put([[.int(1), .string("z")], [.int(3), .string("c")]], into: "snack")
    try store.inWriter {
      _ = try $0.apply(
        .delete(FetchRequest(entity: "snack", condition: attribute("id", .equal, .int(2)))))
    }
    let again = try open(map, full)
    #expect(
      try again.rows(of: "snack") == [
        [.int(1), .string("z"), .string("x")], [.int(3), .string("c"), .null],
      ])
    let taste = FetchRequest(entity: "snack", condition: attribute("taste", .equal, .string("x")))
    #expect(try again.rows(taste).map { $0[0] } == [.int(1)])
  }

  @Test func anythingElseIsMismatchAndLeavesTheStoreAsItWas() throws {
    let map = LimitedMap()
    try open(map, Self.old).put(
      [[.int(1), .string("a"), .null], [.int(2), .string("a"), .null]], into: "snack")
    var other = Self.old
    other.columns[1].type = .int64
    #expect(storeError { _ = try open(map, other) }?.code == .schemaMismatch)
    var unique = Self.old
    unique.indexes = [StoredIndex("byName", [.init(1)], isUnique: true)]
    let broken = storeError { _ = try open(map, unique) }
    #expect(broken?.code == .schemaMismatch)
    #expect(broken?.failures.first?.attributes == ["name"])
    let store = try open(map)
    #expect(store.schema.entities == [Self.old])
    let request = FetchRequest(entity: "snack", condition: attribute("name", .equal, .string("a")))
    #expect(try store.rows(request).count == 2)
  }

  /// 7.5: a store that is open reads what another has written since with more columns, in whatever
  /// way it walks over the rows.
  @Test func rowsOfColumnsThatAnotherAddedAreReadSortedToo() throws {
    let map = LimitedMap()
    let store = try open(map, Self.old)
    try store.put([[.int(1), .string("b"), .string("x")]], into: "snack")
    var wider = Self.old
    wider.columns.append(StoredColumn("stock", .int32, defaultValue: .int(7)))
    try open(map, wider).put([[.int(2), .string("a"), .string("w"), .int(8)]], into: "snack")
    let rows: [[StoredValue]] = [
      [.int(2), .string("a"), .string("w")], [.int(1), .string("b"), .string("x")],
    ]
    for attributes in [["taste"], ["taste", "name"]] {
      let sort = attributes.map { SortTerm(.attribute($0)) } + [SortTerm(.attribute("id"))]
      #expect(try store.rows(FetchRequest(entity: "snack", sort: sort)) == rows)
      #expect(try store.rows(FetchRequest(entity: "snack", sort: sort, limit: 1)) == [rows[0]])
    }
    #expect(try store.rows(of: "snack") == rows.reversed())
  }

  @Test func aReadOnlyStoreRefusesWhatItLacksButAnIndex() throws {
    let map = LimitedMap()
    #expect(storeError { _ = try open(map, Self.old, readOnly: true) }?.code == .cannotOpen)
    #expect(storeError { _ = try open(map) }?.code == .cannotOpen)
    try open(map, Self.old).put([[.int(1), .string("a"), .null]], into: "snack")
    var wider = Self.old
    wider.columns.append(StoredColumn("stock", .int32, defaultValue: .int(7)))
    let team = StoredEntity(name: "team", columns: [StoredColumn("id", .int64)], key: [0])
    let error = storeError { _ = try open(map, wider, team, readOnly: true) }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.failures.map(\.entity) == ["team", "Snack"])
    #expect(error?.failures.map(\.attributes) == [[], ["stock"]])
    var indexed = Self.old
    indexed.indexes.append(StoredIndex("byTaste", [.init(2)]))
    let store = try open(map, indexed, readOnly: true)
    let request = FetchRequest(entity: "snack", condition: attribute("taste", .equal, .string("x")))
    #expect(try store.rows(request) == [])
    #expect(try store.rows(of: "snack") == [[.int(1), .string("a"), .null]])
    #expect(storeError { _ = try store.writer(WriteTurn()) }?.code == .readOnly)
  }

  @Test func aDamagedCatalogIsCorruptAndOneOfAnotherFormatIsRefused() throws {
    let map = LimitedMap()
    _ = try open(map, Self.old)
    try map.map.write { batch in
      let value = try #require(try batch.value("catalog", in: 0).map { Bytes($0.utf8) })
      var damaged = value
      damaged[damaged.count - 2] ^= 1
      try batch.put(Bytes("catalog".utf8), damaged, in: 0)
    }
    #expect(storeError { _ = try open(map, Self.old) }?.code == .corrupt)
    let refused: [(format: Int, code: StoreError.Code?)] = [
      (1, .unsupportedVersion), (2, .unsupportedVersion), (3, nil), (5, .schemaTooNew),
    ]
    for (format, code) in refused {
      let other = MemoryMap()
      var catalog = Catalog(of: StoredSchema(entities: [Self.old]), hasChecksums: true)
      catalog.format = format
      try other.write { try catalog.write(to: $0) }
      #expect(storeError { _ = try open(other, Self.old) }?.code == code, "\(format)")
    }
  }

  /// Keys of 30 bytes are long for the store that was made with 24, and stay so.
  @Test func theLongestKeyIsTheStoresOwn() throws {
    func store(_ map: MemoryMap, _ limit: Int) throws -> OrderedStoreEngine {
      try open(LimitedMap(map, maximumKeyLength: limit), Self.old)
    }
    let map = MemoryMap()
    let rows: [[StoredValue]] = (1...3).map { [.int($0), .string("a"), .null] }
    try store(map, 24).put(rows, into: "snack")
    #expect(try store(map, 600).rows(of: "snack") == rows)
    #expect(storeError { _ = try store(map, 23) }?.code == .unsupportedVersion)
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    let catalog = try #require(try Catalog.read(from: snapshot))
    #expect(catalog.longestKey == 24)
    #expect(try catalog.overflowKeys(limit: 600).limit == 24)
    #expect(try catalog.overflowKeys(limit: .max).limit == 24)
  }

  // 5.5
  @Test func generatedKeysAreNeverGivenTwice() throws {
    let map = LimitedMap()
    let row: [StoredValue] = [.int(0), .string("a"), .null]
    let store = try open(map, Self.old)
    #expect(try store.put([row, row], into: "snack").keys == [1, 2])
    #expect(try store.put([[.int(10), .string("b"), .null]], into: "snack").keys == [10])
    #expect(try store.put([row], into: "snack").keys == [11])
    try store.inWriter {
      _ = try $0.apply(
        .delete(FetchRequest(entity: "snack", condition: attribute("id", .greater, .int(1)))))
    }
    #expect(try open(map, Self.old).put([row], into: "snack").keys == [12])
    try store.inWriter { _ = try $0.apply(.clear("snack")) }
    #expect(try open(map, Self.old).put([row], into: "snack").keys == [13])
    try store.put([[.int(.max), .string("z"), .null]], into: "snack")
    #expect(storeError { try store.put([row], into: "snack") }?.code == .keysExhausted)
  }

  // 5.5
  @Test func aKeyThatWasNeverCommittedIsGivenAgain() throws {
    let store = try open(LimitedMap(), Self.old)
    let row: [StoredValue] = [.int(0), .string("a"), .null]
    let entity = store.schema["snack"]
    try store.inWriter { writer in
      let first = try writer.put([row], into: entity).keys
      #expect(first == [1])
      do {
        try writer.savepoint {
          _ = try writer.put([row, row], into: entity)
          throw Interruption(number: 1)
        }
      } catch is Interruption {}
      let second = try writer.put([row], into: entity).keys
      #expect(second == [2])
    }
    let writer = try store.writer(WriteTurn())
    _ = try writer.put([row], into: entity)
    writer.end()
    #expect(try store.put([row], into: "snack").keys == [3])
    #expect(
      storeError { _ = try writer.rows(FetchRequest(entity: "snack")) }?.code == .transactionEnded)
  }

  private func stamp(_ map: LimitedMap) throws -> UInt64 {
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    return try StoreCounters.commit(in: snapshot).stamp
  }

  @Test func theStampChangesWithEveryCommitThatWrote() throws {
    let map = LimitedMap()
    let store = try open(map, Self.old)
    let before = try stamp(map)
    try store.inWriter { _ in }
    #expect(try stamp(map) == before)
    try store.put([[.int(0), .string("a"), .null]], into: "snack")
    #expect(try stamp(map) == before + 1)
    try store.put([[.int(1), .string("a"), .null]], into: "snack")
    #expect(try stamp(map) == before + 1, "what is there already")
  }
}
