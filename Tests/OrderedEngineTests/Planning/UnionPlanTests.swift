import Foundation
import ORMCore
import Testing

@testable import OrderedEngine

/// Plans that read several keys or indexes, or several ranges of one.
@Suite struct UnionPlanTests {
  private static let entity = StoredEntity(
    name: "player",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("team", .int64, isOptional: true), StoredColumn("age", .int64),
      StoredColumn("city", .string), StoredColumn("note", .string),
      StoredColumn("tags", .array(.string)),
    ],
    key: [0],
    indexes: [
      StoredIndex("byName", [.init(1)]),
      StoredIndex("byTeam", [.init(2), .init(3)]),
      StoredIndex("byCity", [.init(4), .init(3)]),
      StoredIndex("byCityFolded", [.init(4, form: .caseFolded)]),
      StoredIndex("byTag", [.init(6, form: .elements)]),
    ])
  private static let layout = Result {
    let schema = StoredSchema(entities: [entity])
    return try StoreLayout(
      Catalog(of: schema, hasChecksums: false), declared: schema,
      overflowKeys: OverflowKeys(limit: .max))
  }

  private func plan(
    _ condition: Condition, by sort: [SortTerm] = [], output: FetchShape.Output = .rows,
    limit: Int? = nil
  ) throws -> String {
    let entity = try Self.layout.get().entity("player")
    let request = FetchRequest(
      entity: "player", output: output, condition: condition,
      sort: sort.isEmpty ? [] : SortTerm.total(sort, entity: entity.declared),
      limit: limit)
    return Planner.plan(request.shape, entity).description(entity)
  }

  private func key(_ name: String, descending: Bool = false) -> SortTerm {
    SortTerm(.attribute(name), isDescending: descending)
  }
  private func list(_ name: String, _ values: [StoredValue]) -> Condition {
    .isIn(.attribute(name), list: .value(.array(values)), [])
  }
  private func like(_ name: String, _ pattern: String, _ options: TextOptions = []) -> Condition {
    .text(.attribute(name), .like, .value(.string(pattern)), options)
  }
  private let name = attribute("name", .equal, .string("a"))
  private let team = attribute("team", .equal, .int(3))
  private let city = attribute("city", .equal, .string("x"))
  private let old = attribute("age", .greater, .int(30))
  private let noted = attribute("note", .equal, .string("n"))

  @Test func alternativesByIndexesOfTheirOwn() throws {
    #expect(
      try plan(.any([name, team]))
        == "union of (index byName name == $0), (index byTeam team == $1)")
    #expect(
      try plan(.any([name, attribute("id", .equal, .int(1))]))
        == "union of (index byName name == $0), (keys id == $1)")
    // Each takes what else must hold; what one of them cannot is tested.
    #expect(
      try plan(.all([.any([name, team]), old]))
        == "union of (index byName name == $0), (index byTeam team == $1 AND age > $2), "
        + "where age > $2")
    #expect(
      try plan(.all([.any([city, team]), old]))
        == "union of (index byCity city == $0 AND age > $2), "
        + "(index byTeam team == $1 AND age > $2)")
    // A way that is only partly answered leaves the alternatives to be tested.
    #expect(
      try plan(.any([.all([name, noted]), team]))
        == "union of (index byName name == $0), (index byTeam team == $2), "
        + "where name == $0 AND note == $1 OR team == $2")
    #expect(
      try plan(.any([.isIn(.value(.string("t")), list: .attribute("tags"), []), team]))
        == "union of (index byTag $0 IN tags), (index byTeam team == $1)")
  }

  @Test func aWayWithoutAnIndexMeansAScan() throws {
    #expect(try plan(.any([name, noted])) == "scan, where name == $0 OR note == $1")
    #expect(
      try plan(.any([name, .not(team)])) == "scan, where name == $0 OR team != $1")
    // But not where another part has an index.
    #expect(
      try plan(.all([.any([name, noted]), team]))
        == "index byTeam team == $2, where name == $0 OR note == $1, sorted")
  }

  @Test func orderOfAUnion() throws {
    #expect(
      try plan(.any([name, team]), by: [key("note")])
        == "union of (index byName name == $0), (index byTeam team == $1), sorted")
    #expect(
      try plan(.any([name, team]), by: [key("id", descending: true)])
        == "union of (index byName name == $0), (index byTeam team == $1), reversed")
    // Both indexes give the age within their value.
    #expect(
      try plan(.any([city, team]), by: [key("age")])
        == "merge of (index byCity city == $0), (index byTeam team == $1)")
    // Keys come in order from where all terms have one value.
    #expect(
      try plan(.any([name, attribute("id", .less, .int(9))]), limit: 10)
        == "merge of (index byName name == $0), (key range id < $1)")
    #expect(
      try plan(.any([city, team]), output: .aggregates([Aggregate(.count)]))
        == "union of (index byCity city == $0), (index byTeam team == $1)")
  }

  @Test func severalRangesOfOneIndex() throws {
    let reds = Condition.all([attribute("team", .equal, .int(1)), old])
    let blues = Condition.all([
      attribute("team", .equal, .int(2)), attribute("age", .less, .int(9)),
    ])
    #expect(
      try plan(.any([reds, blues]), by: [key("team"), key("age")])
        == "ranges of (index byTeam team == $0 AND age > $1), "
        + "(index byTeam team == $2 AND age < $3)")
    #expect(
      try plan(.any([reds, blues]), by: [key("age")])
        == "merge of (index byTeam team == $0 AND age > $1), "
        + "(index byTeam team == $2 AND age < $3)")
  }

  @Test func productsOfLists() throws {
    let teams = list("team", [.int(1), .int(2)])
    #expect(try plan(teams) == "index byTeam team IN $0, sorted")
    #expect(
      try plan(.all([teams, old]), by: [key("team"), key("age")])
        == "index byTeam team IN $0 AND age > $1")
    #expect(
      try plan(.all([teams, list("age", [.int(1), .int(2)])]))
        == "index byTeam team IN $0 AND age IN $1, sorted")
    // What has one value does not stand in the way of the order.
    #expect(
      try plan(.all([teams, attribute("age", .equal, .int(3))]), by: [key("team")])
        == "index byTeam team IN $0 AND age == $1")
    // Too many ranges: what follows is tested.
    let many = list("team", (0..<5000).map { .int($0) })
    #expect(
      try plan(.all([many, old])) == "index byTeam team IN $0, where age > $1, sorted")
  }

  // 2.5
  @Test func patternsThatBeginWithText() throws {
    #expect(
      try plan(like("name", "ab*")) == "index byName name LIKE $0, where name LIKE $0, sorted")
    #expect(
      try plan(like("city", "ab*", .caseInsensitive))
        == "index byCityFolded city LIKE[c] $0, where city LIKE[c] $0, sorted")
    #expect(try plan(like("note", "ab*")) == "scan, where note LIKE $0")
    func matches(_ name: String, _ options: TextOptions = []) -> Condition {
      .text(.attribute(name), .matches, .value(.string("ab.*")), options)
    }
    #expect(
      try plan(matches("name"))
        == "index byName name MATCHES $0, where name MATCHES $0, sorted")
    #expect(
      try plan(matches("city", .caseInsensitive)) == "scan, where city MATCHES[c] $0")
  }

  @Test func endsOfAnIndex() throws {
    func ends(_ name: String, _ condition: Condition = .constant(true)) throws -> String {
      let operand = Operand.attribute(name)
      return try plan(
        condition,
        output: .aggregates([Aggregate(.minimum, operand), Aggregate(.maximum, operand)]))
    }
    #expect(try ends("name") == "index byName, its ends")
    #expect(try ends("id") == "scan, its ends")
    // Nil is no value: it stands before the least.
    #expect(try ends("team") == "index byTeam NOT (team == nil), its ends")
    #expect(try ends("age", team) == "index byTeam team == $0, its ends")
    #expect(
      try ends("age", .all([city, old])) == "index byCity city == $0 AND age > $1, its ends")
    #expect(try ends("age", name) == "index byName name == $0")
    #expect(try ends("note") == "scan")
    #expect(try ends("name", noted) == "scan, where note == $0")
  }

  @Test func aggregatesOfEntries() throws {
    func sum(_ name: String, _ condition: Condition = .constant(true)) throws -> String {
      try plan(condition, output: .aggregates([Aggregate(.sum, .attribute(name))]))
    }
    #expect(try sum("age") == "index byTeam")
    #expect(try sum("age", old) == "index byTeam, where age > $0")
    #expect(try sum("age", city) == "index byCity city == $0")
    #expect(try sum("id") == "index byName")
    #expect(try plan(.constant(true), output: .aggregates([Aggregate(.count)])) == "scan")
  }

  /// What all alternatives say of one attribute bounds it; the rest is tested.
  @Test func alternativesThatShareAnAttribute() throws {
    let one = Condition.all([attribute("name", .equal, .string("a")), noted])
    let two = Condition.all([attribute("name", .equal, .string("b")), old])
    #expect(
      try plan(.any([one, two]))
        == "union of (index byName name == $0), (index byName name == $2), "
        + "where name == $0 AND note == $1 OR name == $2 AND age > $3")
  }
}
