import ORMCore
import Testing

@testable import OrderedEngine

/// Pages by offset look up the rows that they hand out, and none of those that they pass over.
@Suite struct PassingTests {
  private static let entity = StoredEntity(
    name: "row",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string), StoredColumn("price", .int64),
      StoredColumn("note", .string),
    ],
    key: [0],
    indexes: [
      StoredIndex("byName", [.init(1)]), StoredIndex("byPrice", [.init(2, isDescending: true)]),
    ])

  /// Runs a body on a store of 1,000 rows: each of ten names has a hundred, each of a hundred prices
  /// ten.
  private func withRows(
    _ body: (any StoreReader, CountingMap, Keyspace) throws -> Void
  ) throws {
    let map = CountingMap()
    let schema = StoredSchema(entities: [Self.entity])
    let store = try OrderedStoreEngine(
      map, schema: schema, runtime: StoreRuntime(), hasChecksums: false, isShared: false)
    try store.put(
      (0..<1000).map { number in
        [
          .int(Int64(number)), .string("n\(number % 10)"), .int(Int64(number / 10)),
          .string("note \(number % 2)"),
        ]
      }, into: "row")
    try store.inReader { reader in
      let view = try #require((reader as? OrderedStoreReader)?.view)
      try body(reader, map, try #require(try view.layout.entity("row").keyspace))
    }
  }

  private func request(
    _ condition: Condition = .constant(true), by name: String, descending: Bool = false,
    _ offset: Int, output: FetchShape.Output = .rows
  ) -> FetchRequest {
    FetchRequest(
      entity: "row", output: output, condition: condition,
      sort: SortTerm.total(
        [SortTerm(.attribute(name), isDescending: descending)], entity: Self.entity),
      limit: 10, offset: offset)
  }

  /// The keys that a request gives, the rows that it looked up, and the entries that it read.
  private func asked(
    _ request: FetchRequest
  ) throws -> (keys: [Int64], lookUps: Int, read: Int) {
    var result: (keys: [Int64], lookUps: Int, read: Int) = ([], 0, 0)
    try withRows { reader, map, keyspace in
      let counts = try map.seeks {
        result.keys = try reader.rows(request).compactMap {
          if case .int(let key) = $0[0] { key } else { nil }
        }
      }
      result.lookUps = counts[keyspace] ?? 0
      result.read = try reader.explain(request, analyze: true).rowsRead ?? 0
    }
    return result
  }

  @Test func anIndexIsPassedOverByItsEntries() throws {
    // Name n2 is that of 2, 12, …, and comes after two hundred others.
    let second = try asked(request(by: "name", 250))
    #expect(second.keys == (50..<60).map { $0 * 10 + 2 })
    #expect(second.lookUps == 10)
    #expect(second.read == 260)
    let last = try asked(request(by: "name", descending: true, 990))
    #expect(last.keys == (0..<10).reversed().map { $0 * 10 })
    #expect(last.lookUps == 10)
    #expect(last.read == 1000)
  }

  @Test func aPagePastTheEndLooksNothingUp() throws {
    let ten = attribute("price", .equal, .int(7))
    for offset in [10, 300, 5000] {
      let past = try asked(request(ten, by: "id", offset))
      #expect(past.keys == [])
      #expect(past.lookUps == 0)
      #expect(past.read == 10)
    }
  }

  @Test func theRestOfARangeIsWhatIsThere() throws {
    // Prices 90 to 99, greatest first: a hundred rows, the last of them the ten of price 90.
    let dear = attribute("price", .greaterOrEqual, .int(90))
    let last = try asked(request(dear, by: "price", descending: true, 95))
    #expect(last.keys == [904, 903, 902, 901, 900])
    #expect(last.lookUps == 5)
    #expect(last.read == 100)
    // Among them those of one name are distinguished by the entries of neither index alone.
    let named = Condition.all([dear, attribute("name", .equal, .string("n3"))])
    let some = try asked(request(named, by: "price", descending: true, 5))
    #expect(some.keys == [943, 933, 923, 913, 903])
  }

  @Test func whatEntriesAnswerIsTestedOfThem() throws {
    // The last digit of a price is known from its entry.
    let price = Operand.attribute("price")
    let tens = Operand.arithmetic(
      .multiply, .arithmetic(.divide, price, .value(.int(10))), .value(.int(10)))
    let third = Condition.compare(
      .arithmetic(.subtract, price, tens), .equal, .value(.int(3)), [])
    let page = try asked(request(third, by: "price", 5))
    #expect(page.keys == [35, 36, 37, 38, 39, 130, 131, 132, 133, 134])
    #expect(page.lookUps == 10)
  }

  @Test func keysArePassedOverWithoutTheirRecords() throws {
    let page = try asked(request(by: "id", 600))
    #expect(page.keys == Array(600..<610))
    #expect(page.read == 610)
    let range = attribute("id", .greater, .int(499))
    #expect(
      try asked(request(range, by: "id", descending: true, 480)).keys == (510..<520).reversed())
    #expect(
      try asked(request(range, by: "id", descending: true, 495)).keys == (500..<505).reversed())
    let listed = try asked(request(by: "name", 300, output: .values([.attribute("id")])))
    #expect(listed.keys == (0..<10).map { $0 * 10 + 3 })
    #expect(listed.lookUps == 0)
  }

  @Test func countsGoOverEntries() throws {
    for (condition, count) in [
      (attribute("price", .less, .int(42)), 420), (attribute("name", .equal, .string("n1")), 100),
      (attribute("price", .equal, .int(500)), 0),
      (.isIn(.attribute("price"), list: .value(.array([.int(3), .int(4), .int(900)])), []), 20),
    ] {
      try withRows { reader, map, keyspace in
        let request = FetchRequest(
          entity: "row", output: .aggregates([Aggregate(.count)]), condition: condition)
        var rows: [[StoredValue]] = []
        let counts = try map.seeks { rows = try reader.rows(request) }
        #expect(rows == [[.int(Int64(count))]])
        #expect(counts[keyspace] == nil)
        #expect(try reader.explain(request, analyze: true).rowsRead == count)
      }
    }
  }

  @Test func groupsSayWhetherTheyComeInOrder_4_2() throws {
    func groups(_ key: String) throws -> Explanation.Groups? {
      var found: Explanation.Groups?
      try withRows { reader, _, _ in
        found = try reader.explain(
          FetchRequest(
            entity: "row",
            output: .groups(
              keys: [.attribute(key)], aggregates: [Aggregate(.count)], having: .constant(true)),
            sort: RequestLowering.total([], keyCount: 1))
        ).groups
      }
      return found
    }
    #expect(try groups("name") == Explanation.Groups(.core, areInOrder: true))
    #expect(try groups("note") == Explanation.Groups(.core, areInOrder: false))
  }
}
