import Foundation
import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// Clause 2.7 to 2.9: conditions, orders and values over related rows.
@Suite struct RelatedTests {
  private typealias Rows = RelatedFixture
  private let isOld = compare(attribute("age", of: 1), .greater, .value(.int(30)))

  @Test(arguments: TestedMap.allCases)
  func anyAllAndNone_2_7(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      let players = Rows.players(1)
      #expect(try store.keys(of: "team", where: .exists(players, isOld)) == [.int(1), .int(2)])
      let all = Condition.not(.exists(players, .not(isOld)))
      #expect(try store.keys(of: "team", where: all) == [.int(2), .int(3)])
      let none = Condition.not(.exists(players, isOld))
      #expect(try store.keys(of: "team", where: none) == [.int(3)])
      let both = Condition.all([
        .exists(players, isOld),
        compare(attribute("name", of: 0), .equal, .value(.string("Blues"))),
      ])
      #expect(try store.keys(of: "team", where: both) == [.int(2)])
    }
  }

  /// Whether related rows are found first, or each row's own are looked at, the answer is one.
  @Test(arguments: TestedMap.allCases)
  func everyPlanGivesTheSame_2_7(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      let name = Operand.relatedValue(attribute("name", of: 1), Rows.team(1))
      let reds = compare(name, .equal, .value(.string("Reds")))
      let young = compare(attribute("age", of: 0), .less, .value(.int(30)))
      let old = Condition.exists(Rows.players(1), isOld)
      let tagged = Condition.exists(
        RelatedRows([
          .init(entity: "team_tag", scope: 1, links: [.init("team", equals: Rows.path("id"))])
        ]), compare(attribute("tag", of: 1), .equal, .value(.string("b"))))
      let farTag = Condition.exists(
        RelatedRows(
          Rows.team(1).steps + [
            .init(
              entity: "team_tag", scope: 2, links: [.init("team", equals: Rows.path("id", 1))])
          ]), compare(attribute("tag", of: 2), .equal, .value(.string("a"))))
      let cases: [(String, Condition, [Int64], Int)] = [
        ("player", reds, [11, 12], 2), ("player", .all([reds, young]), [11], 2),
        ("player", .any([reds, young]), [11, 12, 15], 2),
        ("player", .not(reds), [13, 14, 15], 1), ("team", old, [1, 2], 2),
        ("team", .all([old, tagged]), [1, 2], 3), ("player", farTag, [11, 12], 2),
        ("player", .exists(Rows.team(1), isTagged(team: 1)), [11, 12, 13], 2),
        ("player", compare(name, .equal, .value(.null)), [14, 15], 1),
        (
          "player", .isIn(name, list: .value(.array([.string("Blues"), .null])), []), [13, 14, 15],
          1
        ),
      ]
      for (entity, condition, keys, count) in cases {
        let request = FetchRequest(entity: entity, condition: condition)
        try store.inReader { (reader) throws in
          var plans = 0
          try reader.forEachPlan(of: request) { rows, plan in
            plans += 1
            #expect(rows.map { $0[0] } == keys.map { .int($0) }, "\(plan)")
          }
          #expect(plans >= count, "\(request.shape.condition)")
        }
      }
    }
  }

  /// A team, as the row of a scope, has the tag b.
  private func isTagged(team scope: Int) -> Condition {
    .exists(
      RelatedRows([
        .init(
          entity: "team_tag", scope: 2, links: [.init("team", equals: Rows.path("id", scope))])
      ]), compare(attribute("tag", of: 2), .equal, .value(.string("b"))))
  }

  @Test(arguments: TestedMap.allCases)
  func aggregates_2_7_4_1(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      func aggregate(_ kind: Aggregate.Kind, _ name: String?, _ filter: Condition) -> Operand {
        .relatedAggregate(kind, name.map { attribute($0, of: 1) }, Rows.players(1), filter)
      }
      let all = Condition.constant(true)
      func values(
        _ kind: Aggregate.Kind, _ name: String? = "age", _ filter: Condition = .constant(true)
      ) throws -> [StoredValue] {
        try store.values(of: "team", aggregate(kind, name, filter))
      }
      #expect(try values(.count, nil) == [.int(2), .int(1), .int(0)])
      #expect(try values(.count, "weight") == [.int(1), .int(1), .int(0)])
      #expect(try values(.count, nil, isOld) == [.int(1), .int(1), .int(0)])
      #expect(try values(.countDistinct) == [.int(2), .int(1), .int(0)])
      #expect(try values(.sum) == [.int(51), .int(31), .int(0)])
      #expect(try values(.average) == [.double(25.5), .double(31), .null])
      #expect(try values(.minimum) == [.int(20), .int(31), .null])
      #expect(try values(.maximum) == [.int(31), .int(31), .null])
      #expect(try values(.sum, "weight") == [.uint(.max), .int(7), .int(0)])
      // A filter that names the row around is tested by core.
      let notCaptain = compare(attribute("id", of: 1), .notEqual, attribute("captain", of: 0))
      #expect(try values(.sum, "age", notCaptain) == [.int(31), .int(31), .int(0)])
      #expect(try values(.count, nil, notCaptain) == [.int(1), .int(1), .int(0)])
      let count = aggregate(.count, nil, all)
      #expect(
        try store.keys(of: "team", where: compare(count, .greater, .value(.int(1)))) == [.int(1)])
      #expect(
        try store.keys(of: "team", by: [SortTerm(count)]) == [.int(3), .int(2), .int(1)])
      #expect(
        try store.keys(
          of: "team", by: [SortTerm(aggregate(.maximum, "age", all), isDescending: true)])
          == [.int(1), .int(2), .int(3)])
      let total = FetchRequest(
        entity: "team",
        output: .aggregates([Aggregate(.sum, aggregate(.sum, "age", all)), Aggregate(.count)]),
        condition: .exists(Rows.players(2), .constant(true)))
      #expect(try store.rows(total) == [[.int(82), .int(2)]])
    }
  }

  @Test(arguments: TestedMap.allCases)
  func toOneChains_2_8_2_9(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      let name = Operand.relatedValue(attribute("name", of: 1), Rows.team(1))
      let reds = Operand.value(.string("Reds"))
      #expect(
        try store.values(of: "player", name)
          == [.string("Reds"), .string("Reds"), .string("Blues"), .null, .null])
      #expect(
        try store.keys(of: "player", where: compare(name, .equal, reds)) == [.int(11), .int(12)])
      #expect(
        try store.keys(of: "player", where: compare(name, .notEqual, reds))
          == [.int(13), .int(14), .int(15)])
      #expect(
        try store.keys(of: "player", where: compare(name, .equal, .value(.null)))
          == [.int(14), .int(15)])
      #expect(
        try store.keys(
          of: "player", by: [SortTerm(name), SortTerm(.attribute("age"), isDescending: true)])
          == [.int(14), .int(15), .int(13), .int(12), .int(11)])
      // Two hops, the second by a key of two parts.
      let title = Operand.relatedValue(
        attribute("title", of: 2),
        RelatedRows(
          Rows.team(1).steps + [
            .init(
              entity: "league", scope: 2,
              links: [
                .init("country", equals: Rows.path("country", 1)),
                .init("number", equals: Rows.path("number", 1)),
              ])
          ]))
      #expect(
        try store.values(of: "player", title)
          == [.string("Top"), .string("Top"), .string("Second"), .null, .null])
      // A part of the key that is nil leads nowhere.
      try store.put([[.int(15), .int(18), .int(3), .null]], into: "player")
      #expect(try store.values(of: "player", title).last == .null)
      let length = Operand.function(.length, title)
      #expect(
        try store.keys(of: "player", where: compare(length, .less, .value(.int(4))))
          == [.int(11), .int(12)])
    }
  }

  @Test(arguments: TestedMap.allCases)
  func innerConditionsNameOuterRows_2_7(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      let isCaptain = compare(attribute("id", of: 1), .equal, attribute("captain", of: 0))
      #expect(
        try store.keys(of: "team", where: .exists(Rows.players(1), isCaptain)) == [.int(1)])
      // Nil names nothing: 2.1 holds inside as outside.
      let isNone = compare(attribute("weight", of: 1), .equal, attribute("captain", of: 0))
      #expect(try store.keys(of: "team", where: .exists(Rows.players(1), isNone)) == [])
      try store.put([[.int(16), .int(1), .int(2), .null]], into: "player")
      #expect(try store.keys(of: "team", where: .exists(Rows.players(1), isNone)) == [.int(2)])
      // A player of a team and an older one of the same team, which is two scopes out.
      let older = Condition.exists(
        Rows.players(2, of: 0),
        compare(attribute("age", of: 2), .greater, attribute("age", of: 1)))
      #expect(
        try store.keys(of: "team", where: .exists(Rows.players(1), older)) == [.int(1), .int(2)])
      // A player whose team has another player of exactly his age plus eleven.
      let friend = Condition.exists(
        Rows.players(2, of: 1),
        compare(
          attribute("age", of: 2), .equal,
          .arithmetic(.add, attribute("age", of: 0), .value(.int(11)))))
      #expect(
        try store.keys(of: "player", where: .exists(Rows.team(1), friend)) == [.int(11)])
    }
  }

  @Test(arguments: TestedMap.allCases)
  func severalHopsFlatten_2_7(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      let teams = RelatedRows([
        .init(entity: "team_tag", scope: 1, links: [.init("tag", equals: Rows.path("name"))]),
        .init(entity: "team", scope: 2, links: [.init("id", equals: Rows.path("team", 1))]),
      ])
      let players = RelatedRows(teams.steps + Rows.players(3, of: 2).steps)
      func values(_ kind: Aggregate.Kind, _ operand: Operand?, _ rows: RelatedRows) throws
        -> [StoredValue]
      {
        try store.values(of: "tag", .relatedAggregate(kind, operand, rows, .constant(true)))
      }
      #expect(try values(.count, nil, teams) == [.int(1), .int(2), .int(0)])
      #expect(try values(.count, nil, players) == [.int(2), .int(3), .int(0)])
      #expect(
        try values(.sum, attribute("age", of: 3), players) == [.int(51), .int(82), .int(0)])
      #expect(
        try values(.minimum, attribute("name", of: 2), teams)
          == [.string("Reds"), .string("Blues"), .null])
      // What is added up may name a row on the way.
      let sum = Operand.arithmetic(.add, attribute("age", of: 3), attribute("number", of: 2))
      #expect(try values(.sum, sum, players) == [.int(53), .int(86), .int(0)])
      let named = Condition.exists(
        players, compare(attribute("name", of: 2), .equal, .value(.string("Blues"))))
      let found = try store.rows(FetchRequest(entity: "tag", condition: named))
      #expect(found == [[.string("b")]])
    }
  }

  @Test(arguments: TestedMap.allCases)
  func changesSeeTheStateBefore_5_6(map: TestedMap) throws {
    let age = attribute("age", of: 2)
    func inTeam(_ kind: Aggregate.Kind, _ operand: Operand?) -> Operand {
      .relatedAggregate(
        kind, operand, RelatedRows(Rows.team(1).steps + Rows.players(2, of: 1).steps),
        .constant(true))
    }
    try Rows.withStore(map) { (store) throws in
      let hasTeam = Condition.exists(Rows.team(3), .constant(true))
      let count = try store.inWriter {
        try $0.apply(
          .update(
            FetchRequest(entity: "player", condition: hasTeam),
            [.init(column: 1, value: inTeam(.sum, age))]))
      }
      #expect(count == 3)
      #expect(
        try store.values(of: "player", .attribute("age"))
          == [.int(51), .int(51), .int(31), .int(40), .int(18)])
      let crowded = compare(inTeam(.count, nil), .greaterOrEqual, .value(.int(2)))
      let deleted = try store.inWriter {
        try $0.apply(.delete(FetchRequest(entity: "player", condition: crowded)))
      }
      #expect(deleted == 2)
      #expect(try store.keys(of: "player") == [.int(13), .int(14), .int(15)])
      // Keys of the rows concerned move between the entries of the index that is read.
      try store.inWriter { writer in
        _ = try writer.apply(
          .update(
            FetchRequest(entity: "player", condition: .constant(true)),
            [.init(column: 2, value: .relatedValue(attribute("number", of: 1), Rows.team(1)))]))
      }
      #expect(
        try store.values(of: "player", .attribute("team")) == [.int(2), .null, .null])
    }
  }

  @Test(arguments: TestedMap.allCases)
  func explainShowsTheInnerAccess(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      func related(_ entity: String, _ condition: Condition) throws -> [Explanation.Related] {
        try store.inReader {
          try $0.explain(FetchRequest(entity: entity, condition: condition)).related
        }
      }
      let players = try related("team", .exists(Rows.players(1), isOld))
      #expect(players.map(\.entity) == ["player"])
      #expect(players.first?.explanation.access == .indexRange)
      #expect(players.first?.explanation.index == "player.team")
      #expect(players.first?.explanation.ranges == ["team == $0"])
      #expect(players.first?.explanation.coreConditions == ["age > $1"])
      let name = Operand.relatedValue(attribute("name", of: 1), Rows.team(1))
      let team = try related("player", compare(name, .equal, .value(.string("Reds"))))
      #expect(team.map(\.entity) == ["team"])
      #expect(team.first?.explanation.access == .keyLookup)
      let request = FetchRequest(entity: "team", condition: .exists(Rows.players(1), isOld))
      let text = try store.inReader { try $0.explain(request) }.description
      #expect(text.contains("for each row, player:\n  access: indexRange by player.team"))
    }
  }

  @Test(arguments: TestedMap.allCases)
  func cursorsPauseAndSeveralRunAtOnce(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      try store.inReader { reader in
        let request = FetchRequest(entity: "team", condition: .exists(Rows.players(1), isOld))
        let (first, second) = (try reader.cursor(request), try reader.cursor(request))
        var (one, two) = (RowLog(pauses: true), RowLog(pauses: true))
        #expect(try first.visit(&one))
        #expect(try second.visit(&two))
        while try first.visit(&one) {}
        while try second.visit(&two) {}
        #expect(one.rows.map { $0[0] } == [.int(1), .int(2)])
        #expect(one.rows == two.rows)
      }
    }
  }

  @Test func namesThatLeadNowhereAreErrors_7_4() throws {
    try Rows.withStore(.memory) { (store) throws in
      func code(_ rows: RelatedRows, _ condition: Condition = .constant(true)) -> StoreError.Code? {
        storeError { _ = try store.keys(of: "team", where: .exists(rows, condition)) }?.code
      }
      let link = RelatedRows.Link("team", equals: Rows.path("id"))
      #expect(code(RelatedRows([])) == .invalidCondition)
      #expect(code(RelatedRows([.init(entity: "x", scope: 1, links: [link])])) == .unknownEntity)
      #expect(
        code(RelatedRows([.init(entity: "tag", scope: 1, links: [link])])) == .unknownAttribute)
      #expect(
        code(Rows.players(1), compare(attribute("x", of: 1), .equal, .value(.int(1))))
          == .unknownAttribute)
      #expect(
        code(Rows.players(1), compare(attribute("age", of: 7), .equal, .value(.int(1))))
          == .invalidCondition)
    }
  }

  @Test(arguments: TestedMap.allCases)
  func linksWithoutAnIndexAreSearched_2_7(map: TestedMap) throws {
    let captained = RelatedRows([
      .init(entity: "team", scope: 1, links: [.init("captain", equals: Rows.path("id"))])
    ])
    try Rows.withStore(map) { (store) throws in
      try store.put([[.int(99), .int(50), .null, .null]], into: "player")
      let all = Condition.constant(true)
      #expect(
        try store.keys(of: "player", where: .exists(captained, all)) == [.int(11), .int(99)])
      let listed = Condition.isIn(
        attribute("name", of: 1), list: .value(.array([.string("Empty"), .string("x")])), [])
      #expect(try store.keys(of: "player", where: .exists(captained, listed)) == [.int(99)])
      let names = Operand.relatedAggregate(.minimum, attribute("name", of: 1), captained, all)
      #expect(
        try store.values(of: "player", names)
          == [.string("Reds"), .null, .null, .null, .null, .string("Empty")])
      let count = Operand.relatedAggregate(.count, nil, captained, all)
      #expect(
        try store.values(of: "player", count)
          == [.int(1), .int(0), .int(0), .int(0), .int(0), .int(1)])
    }
  }

  @Test(arguments: TestedMap.allCases)
  func sumsThatDoNotFit_2_6(map: TestedMap) throws {
    let sum = Operand.relatedAggregate(
      .sum, .arithmetic(.multiply, attribute("age", of: 1), .value(.int(.max / 32))),
      Rows.players(1), .constant(true))
    try Rows.withStore(map) { (store) throws in
      // 31 times the 32nd part of the greatest integer fits, 51 times does not.
      let fitting = 31 * (Int64.max / 32)
      #expect(try store.values(of: "team", sum) == [.null, .int(fitting), .int(0)])
      let update = StoreChange.update(
        FetchRequest(entity: "team"), [.init(column: 4, value: sum)])
      #expect(storeError { _ = try store.inWriter { try $0.apply(update) } }?.code == .overflow)
      #expect(try store.values(of: "team", .attribute("number")) == [.int(1), .int(2), .int(1)])
    }
  }
}
