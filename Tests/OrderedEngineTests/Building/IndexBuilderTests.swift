import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// Indexes that are built beside writers: clause 10.18.
@Suite struct IndexBuilderTests {
  /// The columns are id, a, b, tags; the last makes rows of different sizes.
  private static func schema(_ indexes: [StoredIndex] = []) -> StoredSchema {
    StoredSchema(entities: [
      StoredEntity(
        name: "cup",
        columns: [
          StoredColumn("id", .int64), StoredColumn("a", .int64, isOptional: true),
          StoredColumn("b", .string), StoredColumn("tags", .array(.string), isOptional: true),
        ], key: [0], indexes: [StoredIndex("byB", [.init(2)])] + indexes)
    ])
  }

  private static let wanted = [
    StoredIndex("byA", [.init(1, isDescending: true)]),
    StoredIndex("byFolded", [.init(2, form: .caseFolded), .init(1)]),
    StoredIndex("byTags", [.init(3, form: .elements)]),
  ]

  private static var options: StoreOptions {
    var options = StoreOptions()
    options.migration.onlineIndexRows = 1
    options.migration.indexRunSize = 300
    options.migration.indexMergeSize = 200
    return options
  }

  /// Begins to build what a schema declares, and returns a builder of small steps.
  private func begin(
    _ map: any OrderedStore, _ schema: StoredSchema, _ names: [String]
  ) throws -> IndexBuilder {
    _ = try StoreOpening(map, schema, Self.options, hasChecksums: true).fitting()
    return builder(map, names)
  }

  private func builder(_ map: any OrderedStore, _ names: [String]) -> IndexBuilder {
    IndexBuilder(
      map, Self.options, SchemaOpening(Self.options), Set(names.map { .init("cup", $0) }))
  }

  private func row(_ id: Int64, _ random: inout SeededGenerator) -> [StoredValue] {
    let words = ["Apfel", "apfel", "Birne, die viel zu lange für einen Schlüssel ist", "c", ""]
    let tags = words.indices.filter { _ in Bool.random(using: &random) }
    return [
      .int(id), Bool.random(using: &random) ? .null : .int(.random(in: -5...5, using: &random)),
      .string(words.randomElement(using: &random) ?? ""),
      Int.random(in: 0..<4, using: &random) == 0
        ? .null : .array(tags.map { .string(words[$0]) }),
    ]
  }

  /// Makes a random write through a store and in a model.
  private func write(
    _ store: any Store, _ model: inout [Int64: [StoredValue]], _ random: inout SeededGenerator
  ) throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<6:
      var rows: [[StoredValue]] = []
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let new = row(.random(in: 0..<300, using: &random), &random)
        rows.append(new)
        if case .int(let id) = new[0] { model[id] = new }
      }
      try store.put(rows, into: "cup", .upsert)
    case 6..<9:
      let least = Int64.random(in: 0..<300, using: &random)
      let keys = FetchRequest(
        entity: "cup",
        condition: .all([
          attribute("id", .greaterOrEqual, .int(least)), attribute("id", .less, .int(least + 4)),
        ]))
      try store.inWriter { _ = try $0.apply(.delete(keys)) }
      for id in least..<least + 4 { model[id] = nil }
    case 9..<11:
      let value = StoredValue.int(.random(in: -5...5, using: &random))
      let all = Bool.random(using: &random)
      let condition = all ? .constant(true) : attribute("b", .equal, .string("c"))
      let request = FetchRequest(entity: "cup", condition: condition)
      try store.inWriter {
        _ = try $0.apply(.update(request, [.init(column: 1, value: .value(value))]))
      }
      for (id, row) in model where all || row[2] == .string("c") { model[id]?[1] = value }
    default:
      // Undone, and so without effect.
      let rows = (0..<3).map { row(Int64($0), &random) }
      let writer = try store.writer(WriteTurn())
      try writer.put(rows, into: Self.schema().entities[0], .upsert)
      writer.end()
      if Int.random(in: 0..<8, using: &random) > 0 { return }
      try store.inWriter { _ = try $0.apply(.clear("cup")) }
      model = [:]
    }
  }

  @Test(
    "10.18: writers beside the building, kills and a second builder leave what the rows say",
    arguments: MigratedMap.allCases)
  func interleavings(_ kind: MigratedMap) throws {
    var random = SeededGenerator.printed("interleavings \(kind)")
    for _ in 0..<12 {
      try kind.run { map in
        let old = try map.open(Self.schema())
        var model: [Int64: [StoredValue]] = [:]
        for _ in 0..<30 { try write(old, &model, &random) }
        let schema = Self.schema(Self.wanted)
        let names = Self.wanted.map(\.name)
        let first = try begin(map, schema, names)
        let second = builder(map, names)
        if !model.isEmpty {
          #expect(Set(try map.catalog().partsInBuilding.map(\.name)) == Set(names))
          #expect(try map.catalog().format == Catalog.newestFormat)
        }
        var steps = 0
        while try (Bool.random(using: &random) ? first : second).step().goesOn {
          steps += 1
          for _ in 0..<Int.random(in: 0..<3, using: &random) { try write(old, &model, &random) }
          #expect(try old.faults() == [])
        }
        let new = try map.open(schema)
        #expect(try map.catalog().keyspaces[0].building == nil)
        #expect(try map.catalog().format == Catalog.currentFormat)
        #expect(try map.catalog().schema.entities[0].indexes.count == 4)
        #expect(try new.faults() == [])
        let rows = model.keys.sorted().compactMap { model[$0] }
        #expect(try new.rows(of: "cup") == rows)
        for value in Int64(-5)...5 {
          let found = try new.keys("cup", attribute("a", .equal, .int(value)))
          #expect(found.keys == rows.filter { $0[1] == .int(value) }.map { $0[0] })
        }
        // Every entry is there, and no other: entries of rows, and of distinct elements.
        let counts = try map.catalog().keyspaces[0].indexes.map { try map.entries(of: $0).count }
        let elements = rows.map { row -> Int in
          guard case .array(let values) = row[3] else { return 0 }
          return Set(values).count
        }
        #expect(counts == [rows.count, rows.count, rows.count, elements.reduce(0, +)])
      }
    }
  }

  @Test("10.18: writes between what a step has read and its transaction are in the index")
  func writesInsideSteps() throws {
    var random = SeededGenerator.printed("writesInsideSteps")
    for _ in 0..<40 {
      let map = InterruptedMap()
      let old = try map.open(Self.schema())
      var model: [Int64: [StoredValue]] = [:]
      for _ in 0..<30 { try write(old, &model, &random) }
      let schema = Self.schema(Self.wanted)
      let builder = try begin(map, schema, Self.wanted.map(\.name))
      var goesOn = true
      while goesOn {
        map.interrupt {
          for _ in 0..<Int.random(in: 0..<3, using: &random) { try write(old, &model, &random) }
          if Int.random(in: 0..<4, using: &random) == 0 { _ = try builder.step() }
        } during: {
          goesOn = try builder.step().goesOn
        }
        if let error = map.error { throw error }
      }
      let new = try map.open(schema)
      #expect(try new.faults() == [])
      #expect(try new.rows(of: "cup") == model.keys.sorted().compactMap { model[$0] })
      let counts = try map.catalog().keyspaces[0].indexes.prefix(3).map {
        try map.entries(of: $0).count
      }
      #expect(counts == [model.count, model.count, model.count])
    }
  }

  @Test(
    "10.18: a unique rule is checked at the end, by the rows of then",
    arguments: MigratedMap.allCases)
  func uniqueRules(_ kind: MigratedMap) throws {
    var random = SeededGenerator.printed("uniqueRules \(kind)")
    let unique = StoredIndex("unique", [.init(1)], isUnique: true)
    var outcomes: Set<Bool> = []
    for round in 0..<20 {
      try kind.run { map in
        let old = try map.open(Self.schema())
        var model: [Int64: [StoredValue]] = [:]
        for id in Int64(0)..<60 {
          var new = row(id, &random)
          new[1] = .int(id / 2 + (round % 2 == 0 ? id * 100 : 0))
          model[id] = new
        }
        try old.put(Array(model.values), into: "cup")
        let schema = Self.schema([unique])
        let builder = try begin(map, schema, ["unique"])
        var left = Array(model.keys.sorted())
        var broken: StoreError?
        while true {
          let (goesOn, error) = try builder.step()
          broken = broken ?? error
          if !goesOn { break }
          // Pairs become different, or single rows equal, while the building goes on.
          for _ in 0..<12 where !left.isEmpty {
            let id = left.removeFirst()
            model[id]?[1] = round % 2 == 0 && id % 7 > 0 ? .null : .int(1_000 + id)
            if round % 4 < 2, id == 50 {
              let twin = model[3]?[1] ?? .null
              model[id]?[1] = twin
            }
            if let row = model[id] { try old.put([row], into: "cup", .upsert) }
          }
        }
        let values = model.values.map { $0[1] }.filter { $0 != .null }
        let isBroken = Set(values).count < values.count
        outcomes.insert(isBroken)
        #expect((broken != nil) == isBroken)
        if isBroken {
          #expect(broken?.code == .schemaMismatch)
          #expect(broken?.attributes == ["a"])
          #expect(try map.catalog().schema.entities[0].indexes.map(\.name) == ["byB"])
          #expect(code { _ = try map.open(schema) } == .schemaMismatch)
          try old.put([[.int(900), values[0], .string(""), .null]], into: "cup")
        } else {
          _ = try map.open(schema)
          let taken = try #require(values.first)
          #expect(
            code { try old.put([[.int(900), taken, .string(""), .null]], into: "cup") }
              == .duplicate)
        }
        #expect(try map.catalog().keyspaces[0].building == nil)
        #expect(try old.faults() == [])
      }
    }
    #expect(outcomes.count == 2, "both outcomes were met")
  }

  @Test("10.18: an opening goes on where another ended, or gives the index up")
  func openings() throws {
    var random = SeededGenerator.printed("openings")
    let map = SortedArrayMap()
    let plain = Self.schema()
    let schema = Self.schema(Self.wanted)
    let names = Self.wanted.map(\.name)
    let store = try map.open(plain)
    let rows = (Int64(0)..<200).map { row($0, &random) }
    try store.put(rows, into: "cup")
    let builder = try begin(map, schema, names)
    for _ in 0..<5 { _ = try builder.step() }
    let work = try #require(try map.catalog().keyspaces[0].building?.first)
    let state = try map.entries(of: work.work)
    #expect(state.count > 1)
    // Without a schema, an opening leaves it; so does a program that only reads.
    _ = try map.open(nil)
    _ = try map.open(plain, readOnly: true)
    #expect(try map.entries(of: work.work) == state)
    // Another attribute is added beside it, and the building goes on.
    var wider = plain
    wider.entities[0].columns.append(StoredColumn("c", .int64, isOptional: true))
    wider.entities[0].indexes += Self.wanted
    _ = try begin(map, wider, names)
    #expect(try map.entries(of: work.work) == state)
    // A program that declares its attributes without it gives it up.
    _ = try map.open(plain)
    #expect(try map.catalog().keyspaces[0].building == nil)
    #expect(try map.entries(of: work.work).isEmpty)
    #expect(try map.entries(of: work.entries).isEmpty)
    #expect(try builder.step().goesOn == false)
    // One that declares it begins again, and ends.
    let new = try OrderedStoreEngine(
      map, schema: schema, runtime: StoreRuntime(options: Self.options))
    #expect(try new.faults() == [])
    #expect(try new.keys("cup", attribute("a", .equal, .int(3))).index == "byA")
    #expect(try map.catalog().schema.entities[0].indexes.map(\.name) == ["byB"] + names)
  }

  @Test("10.18: an older library refuses the store while an index is being built")
  func formats() throws {
    let map = SortedArrayMap()
    try map.open(Self.schema()).put([[.int(1), .null, .string(""), .null]], into: "cup")
    #expect(try map.catalog().format == 3)
    let builder = try begin(map, Self.schema(Self.wanted), Self.wanted.map(\.name))
    #expect(try map.catalog().format == 4)
    #expect(try map.catalog().formatBefore == 3)
    while try builder.step().goesOn {}
    #expect(try map.catalog().format == 3)
    #expect(try map.catalog().formatBefore == nil)
  }
}

/// A map in which something happens before a write transaction begins.
// The test uses it on one thread.
private final class InterruptedMap: OrderedStore, @unchecked Sendable {
  private let map = SortedArrayMap()
  private var interruption: (() throws -> Void)?
  private(set) var error: (any Error)?

  /// Runs `body`, and `interruption` before the first write transaction in it.
  func interrupt(_ interruption: () throws -> Void, during body: () throws -> Void) {
    withoutActuallyEscaping(interruption) { interruption in
      self.interruption = interruption
      do { try body() } catch { self.error = error }
      self.interruption = nil
    }
  }

  func snapshot() throws -> ArraySnapshot { map.snapshot() }

  func batch(wait: Double) throws -> ArrayBatch {
    let interruption = interruption
    self.interruption = nil
    try interruption?()
    return map.batch(wait: wait)
  }

  func close() throws { map.close() }
}
