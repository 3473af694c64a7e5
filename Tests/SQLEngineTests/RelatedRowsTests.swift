import Foundation
import ORMCore
import Testing

@testable import SQLiteBackend

/// Clause 2.7 to 2.9 and 4.1: what questions about related rows give.
@Suite struct RelatedRowsTests {
  private typealias Rows = RelatedFixture
  private func a(_ name: String, _ scope: Int = 0) -> Operand { Rows.attribute(name, scope) }
  private let isOld = Rows.compare(Rows.attribute("age", 1), .greater, .value(.int(30)))

  @Test func `2.7 any, all, none, and through rows between`() throws {
    try Rows.withStore { (store) throws in
      let players = Rows.players(1)
      #expect(try store.keys(of: "team", where: .exists(players, isOld)) == [1, 2])
      #expect(try store.keys(of: "team", where: .not(.exists(players, .not(isOld)))) == [2, 3])
      #expect(try store.keys(of: "team", where: .not(.exists(players, isOld))) == [3])
      let tagged = Condition.exists(
        Rows.tags(1), Rows.compare(a("name", 2), .equal, .value(.string("a"))))
      #expect(try store.keys(of: "team", where: tagged) == [1])
      // Whether the player's team is the one with its own name, whatever the case.
      let named = Condition.exists(
        players, .text(a("name", 1), .contains, a("name", 0), .caseInsensitive))
      #expect(try store.keys(of: "team", where: named) == [1])
      let mates = Condition.exists(
        Rows.team(1),
        .exists(Rows.players(2, of: 1), Rows.compare(a("id", 2), .notEqual, a("id", 0))))
      #expect(try store.keys(of: "player", where: mates) == [11, 12])
      let inTags = Condition.exists(players, .isIn(a("name", 0), list: a("tags", 1), []))
      #expect(try store.keys(of: "team", where: inTags) == [1])
      let tag = Condition.exists(
        players, .isIn(.value(.string("x")), list: a("tags", 1), []))
      #expect(try store.keys(of: "team", where: tag) == [1])
    }
  }

  @Test func `4.1 aggregates over related rows of every kind`() throws {
    try Rows.withStore { (store) throws in
      func values(_ kind: Aggregate.Kind, _ name: String?) throws -> [StoredValue] {
        try store.values(of: "team", Rows.aggregate(kind, name))
      }
      #expect(try values(.count, nil) == [.int(2), .int(1), .int(0)])
      #expect(try values(.count, "points") == [.int(1), .int(1), .int(0)])
      #expect(try values(.countDistinct, "age") == [.int(2), .int(1), .int(0)])
      #expect(try values(.sum, "age") == [.int(51), .int(31), .int(0)])
      #expect(try values(.sum, "points") == [.uint(.max), .int(7), .int(0)])
      #expect(try values(.sum, "price") == [.decimal(19), .decimal(0), .decimal(0)])
      #expect(try values(.sum, "score") == [.double(0), .double(0), .double(0)])
      #expect(try values(.average, "age") == [.double(25.5), .double(31), .null])
      #expect(try values(.minimum, "price") == [.decimal(9), .null, .null])
      #expect(try values(.maximum, "price") == [.decimal(10), .null, .null])
      #expect(try values(.minimum, "name") == [.string("Ann"), .null, .null])
      #expect(try values(.minimum, "token") == [.uuid(Rows.low), .null, .null])
      #expect(try values(.maximum, "token") == [.uuid(Rows.high), .null, .null])
      #expect(try values(.minimum, "born") == [Rows.date(-7), .null, .null])
      // 1.2: a zero has no sign.
      let zero = try values(.maximum, "score")[1]
      #expect(zero.isIdentical(to: .double(0)))
      // Of JSON values come of any kind; text is more than any number.
      let json = Operand.relatedAggregate(
        .maximum, .json(a("info", 1), [.key("a")]), Rows.players(1), .constant(true))
      #expect(try store.values(of: "team", json) == [.string("t"), .null, .null])
      #expect(
        try store.keys(of: "team", where: Rows.compare(json, .equal, .value(.string("t")))) == [1])
      // What only names the row around is worked out for every related row.
      let outer = Operand.relatedAggregate(
        .sum, .arithmetic(.multiply, a("id"), .value(.int(10))), Rows.players(1), .constant(true))
      #expect(try store.values(of: "team", outer) == [.int(20), .int(20), .int(0)])
      let ids = Operand.relatedAggregate(.maximum, a("id"), Rows.players(1), .constant(true))
      #expect(try store.values(of: "team", ids) == [.int(1), .int(2), .null])
    }
  }

  @Test func `4.1 a sum of doubles is exact, one of integers that overflows is nil in a filter`()
    throws
  {
    try Rows.withStore { (store) throws in
      try store.put(
        RelatedFixture.schema.entities[1], .insert,
        [
          [.int(16), .int(.max), .int(1), .double(1)], [.int(17), .int(.max), .int(3), .null],
          [.int(18), .int(.min), .int(3), .null],
        ], columns: [0, 1, 2, 5])
      #expect(
        try store.values(of: "team", Rows.aggregate(.sum, "score"))
          == [.double(1), .double(0), .double(0)])
      let sum = Rows.aggregate(.sum, "age")
      #expect(try store.values(of: "team", sum) == [.null, .int(31), .int(-1)])
      #expect(try store.keys(of: "team", where: Rows.compare(sum, .equal, .value(.null))) == [1])
    }
  }

  @Test func `2.8, 2.9 values through a to-one that is nil, or whose target is not there`() throws {
    try Rows.withStore { (store) throws in
      let name = Operand.relatedValue(a("name", 1), Rows.team(1))
      let reds = Operand.value(.string("Reds"))
      #expect(
        try store.values(of: "player", name)
          == [.string("Reds"), .string("Reds"), .string("Blues"), .null, .null])
      #expect(try store.keys(of: "player", where: Rows.compare(name, .equal, reds)) == [11, 12])
      #expect(
        try store.keys(of: "player", where: Rows.compare(name, .notEqual, reds)) == [13, 14, 15])
      #expect(
        try store.keys(
          of: "player",
          where: Rows.compare(name, .equal, .value(.string("REDS")), .caseInsensitive))
          == [11, 12])
      #expect(
        try store.keys(of: "player", where: .text(name, .beginsWith, .value(.string("B")), []))
          == [13])
      #expect(
        try store.keys(
          of: "player", by: [SortTerm(name, nils: .last), SortTerm(a("age"), isDescending: true)])
          == [13, 12, 11, 14, 15])
      // The row's own values beside, and arithmetic on both.
      let captain = Operand.relatedValue(a("captain", 1), Rows.team(1))
      #expect(
        try store.values(of: "player", .arithmetic(.subtract, a("id"), captain))
          == [.int(0), .int(1), .null, .null, .null])
      // Of the team that is not there there is no count either, but 0 players of a team with none.
      let mates = Operand.relatedValue(
        .relatedAggregate(.count, nil, Rows.players(2, of: 1), .constant(true)), Rows.team(1))
      #expect(
        try store.values(of: "player", mates) == [.int(2), .int(2), .int(1), .null, .null])
      // Two hops in one: the captain of the team, by name.
      let captainName = Operand.relatedValue(
        .relatedValue(
          a("name", 2), RelatedRows([Rows.step("player", 2, "id", "captain", 1)])), Rows.team(1))
      #expect(
        try store.values(of: "player", captainName)
          == [.string("Ann"), .string("Ann"), .null, .null, .null])
    }
  }

  @Test func `3.1, 4.1 orders and aggregates of the request over related rows`() throws {
    try Rows.withStore { (store) throws in
      let count = Rows.aggregate(.count)
      #expect(try store.keys(of: "team", by: [SortTerm(count)]) == [3, 2, 1])
      #expect(
        try store.keys(of: "team", by: [SortTerm(Rows.aggregate(.minimum, "price"))]) == [2, 3, 1])
      let totals = FetchRequest(
        entity: "team",
        output: .aggregates([
          Aggregate(.sum, Rows.aggregate(.sum, "age")), Aggregate(.count),
          Aggregate(.maximum, .relatedAggregate(.count, nil, Rows.players(2), .constant(true))),
        ]), condition: .exists(Rows.players(3), .constant(true)))
      #expect(try store.rows(totals) == [[.int(82), .int(2), .int(2)]])
    }
  }

  @Test func `explain says how the related rows are reached`() throws {
    try Rows.withStore { (store) throws in
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      let found = try reader.explain(
        FetchRequest(
          entity: "team",
          condition: .all([
            .exists(Rows.players(1), isOld),
            Rows.compare(.attribute("id"), .equal, .value(.int(1))),
          ])))
      #expect(found.access == .keyLookup)
      #expect(found.ranges == ["id = ?"])
      #expect(found.engineConditions.count == 1 && found.coreConditions.isEmpty)
      #expect(found.related.map(\.entity) == ["player"])
      #expect(found.related.first?.explanation.access == .indexRange)
      #expect(found.related.first?.explanation.index == "player.team")
      #expect(found.related.first?.explanation.ranges == ["team = ?"])
    }
  }

  @Test(arguments: [true, false])
  func `2.8 a path that leads nowhere is nil, whichever of its rows a value in it names`(
    _ callsCore: Bool
  ) throws {
    try Rows.withStore(callsCore: callsCore) { (store) throws in
      // The team's name by way of its captain, who does not lead to it: Blues has none.
      let captain = RelatedRows([
        Rows.step("team", 1, "id", "team", 0), Rows.step("player", 2, "id", "captain", 1),
      ])
      let name = Operand.relatedValue(
        a("name", 3), RelatedRows([Rows.step("team", 3, "id", "id", 1)]))
      #expect(
        try store.values(of: "player", .relatedValue(name, captain)) == [
          .string("Reds"), .string("Reds"), .null, .null, .null,
        ])
    }
  }

  @Test func `explain says what is looked for first, and how many rows that takes`() throws {
    try Rows.withStore { (store) throws in
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      let request = FetchRequest(
        entity: "player",
        condition: Rows.compare(
          .relatedValue(a("name", 1), Rows.team(1)), .equal, .value(.string("REDS")),
          .caseInsensitive))
      let found = try reader.explain(request, analyze: true)
      #expect(found.access == .indexRange && found.index == "player.team")
      #expect(found.ranges == ["team = ?"])
      #expect(found.engineConditions.isEmpty && found.coreConditions.isEmpty)
      #expect(found.related.first?.explanation.index == "team.name")
      #expect(found.related.first?.isOnce == true)
      // One team, and its two players.
      #expect(found.rowsRead == 3)
    }
  }
}
