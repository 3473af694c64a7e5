import ORMCore
import Testing

@testable import OrderedEngine

/// Which of a shape's plans is taken, as a function of what is known of the rows.
///
/// The sizes are chosen far from where two plans cost the same, by the costs that `PlanCost` states:
/// a row of a scan 1, tested 1.3, an entry with its row 5.6, sorting a row 5.
@Suite struct PlanChoiceTests {
  private static let entity = StoredEntity(
    name: "row",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string), StoredColumn("city", .string),
      StoredColumn("price", .int64), StoredColumn("note", .string),
    ],
    key: [0],
    indexes: [
      StoredIndex("byName", [.init(1)]), StoredIndex("byCity", [.init(2)]),
      StoredIndex("byPrice", [.init(3)]),
    ])

  /// The statistics of the test: the rows, and the number of entries of each index that a request leads to.
  private struct Known: PlanStatistics {
    var rows = 100_000.0
    var entries: [String: Double] = [:]
    var found = (cost: 0.0, values: 0.0, targets: 0.0)

    func rowCount() throws -> Double { rows }
    func entryCount(_ ranges: [KeyRange], of index: IndexStorage?) throws -> Double {
      try #require(entries[index?.index.name ?? "key"])
    }
    func fanOut(_ step: RelatedRows.Step, from entity: String) throws -> Double { 1 }
    func found(_ list: MaterializedList) throws -> (cost: Double, values: Double, targets: Double) {
      found
    }
  }

  private func choice(_ request: FetchRequest, in entity: StoredEntity, _ known: Known) throws
    -> String
  {
    let schema = StoredSchema(entities: [entity] + RelatedFixture.schema.entities)
    let layout = try StoreLayout(
      Catalog(of: schema, hasChecksums: false), declared: schema,
      overflowKeys: OverflowKeys(limit: .max))
    let prepared = try PreparedRequest(request.shape, layout)
    let chosen = try prepared.chosen(for: request, known)
    return chosen.plan.description(chosen.entity)
  }

  private func choice(
    _ condition: Condition, by sort: SortTerm..., output: FetchShape.Output = .rows,
    limit: Int? = nil, offset: Int = 0, _ entries: [String: Double]
  ) throws -> String {
    let request = FetchRequest(
      entity: "row", output: output, condition: condition,
      sort: sort.isEmpty ? [] : SortTerm.total(sort, entity: Self.entity), limit: limit,
      offset: offset)
    return try choice(request, in: Self.entity, Known(entries: entries))
  }

  private let dear = attribute("price", .greater, .int(9))
  private let name = attribute("name", .equal, .string("a"))
  private let city = attribute("city", .equal, .string("b"))
  private let noted = attribute("note", .equal, .string("n"))
  private let byPrice = SortTerm(.attribute("price"))

  @Test func aRangeOfAnIndexOrEveryRow() throws {
    // 1,000 entries, their rows, and sorting: 10,600; every row tested: 130,000.
    #expect(try choice(dear, ["byPrice": 1000]) == "index byPrice price > $0, sorted")
    // 50,000 of them: 530,000.
    #expect(try choice(dear, ["byPrice": 50_000]) == "scan, where price > $0")
    // Where entries are counted no row is looked up.
    #expect(
      try choice(dear, output: .aggregates([Aggregate(.count)]), ["byPrice": 90_000])
        == "index byPrice price > $0")
    // A sum of what entries hold: 0.9 each. Handing them out and sorting them: 7.8.
    let sum = FetchShape.Output.aggregates([Aggregate(.sum, .attribute("price"))])
    #expect(try choice(dear, output: sum, ["byPrice": 95_000]) == "index byPrice price > $0")
    let prices = FetchShape.Output.values([.attribute("price")])
    #expect(
      try choice(dear, output: prices, ["byPrice": 1000]) == "index byPrice price > $0, sorted")
    #expect(try choice(dear, output: prices, ["byPrice": 95_000]) == "scan, where price > $0")
  }

  @Test func oneIndexAnotherOrBoth() throws {
    let both = Condition.all([name, city])
    #expect(
      try choice(both, ["byName": 5, "byCity": 5000]) == "index byName name == $0, where city == $1"
    )
    #expect(
      try choice(both, ["byName": 5000, "byCity": 5]) == "index byCity city == $1, where name == $0"
    )
    // 5,000 rows of one looked up: 28,000; both sets of keys and 250 rows: 21,000.
    #expect(
      try choice(both, ["byName": 5000, "byCity": 5000])
        == "intersection of (index byName name == $0), (index byCity city == $1)")
  }

  @Test func severalIndexesOrEveryRow() throws {
    let either = Condition.any([name, city])
    #expect(
      try choice(either, ["byName": 10, "byCity": 10])
        == "union of (index byName name == $0), (index byCity city == $1)")
    // 100,000 keys sorted, and their rows: 520,000.
    #expect(
      try choice(either, ["byName": 50_000, "byCity": 50_000])
        == "scan, where name == $0 OR city == $1")
  }

  @Test func anOrderOrASort() throws {
    // A tenth is taken to have the note: 100 entries and their rows for a page of 10.
    #expect(
      try choice(noted, by: byPrice, limit: 10, [:]) == "index byPrice, where note == $0")
    // 50,000 of them for 5,000 rows: 295,000; every row, and the first 5,000 sorted: 165,000.
    #expect(
      try choice(noted, by: byPrice, limit: 5000, [:]) == "scan, where note == $0, sorted")
  }

  @Test func whatIsPassedOverIsNotLookedUp() throws {
    // The dearest 60,000, from the 50,000th on: ten rows and 50,000 entries, against 60,000 rows
    // tested and the first 50,010 of them sorted.
    #expect(
      try choice(dear, by: byPrice, limit: 10, offset: 50_000, ["byPrice": 60_000])
        == "index byPrice price > $0")
  }

  @Test func relatedRowsFirstOrRowByRow() throws {
    let title = Operand.relatedValue(attribute("name", of: 1), RelatedFixture.team(1))
    let request = FetchRequest(
      entity: "player", condition: compare(title, .equal, .value(.string("Reds"))))
    func choice(_ cost: Double, _ values: Double) throws -> String {
      try self.choice(
        request, in: Self.entity,
        Known(rows: 1000, found: (cost: cost, values: values, targets: 10)))
    }
    // One team of ten, and a tenth of the players, sorted: 1,100 and what the team costs.
    #expect(try choice(20, 1).hasSuffix("index player.team team IN $1, sorted"))
    // Every player and the player's team: 7,500.
    #expect(try choice(8000, 1) == "scan, where ($s1.name OF team ON id == team) == $0")
  }

  /// Of few rows none is weighed.
  @Test func aSmallTableIsReadByTheFirstPlan() throws {
    let known = Known(rows: 10, entries: ["byPrice": 10])
    let request = FetchRequest(entity: "row", condition: dear)
    #expect(try choice(request, in: Self.entity, known) == "index byPrice price > $0, sorted")
  }
}
