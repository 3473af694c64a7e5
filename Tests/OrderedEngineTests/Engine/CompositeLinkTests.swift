import Foundation
import ORMCore
import Testing

@testable import OrderedEngine

/// Clause 2.7 to 2.9 through composite keys: related rows may be found first, as whole keys.
@Suite struct CompositeLinkTests {
  private typealias Rows = RelatedFixture

  /// The league of a team that is the row of a scope.
  private func league(_ scope: Int, of team: Int = 0) -> RelatedRows {
    RelatedRows([
      .init(
        entity: "league", scope: scope,
        links: [
          .init("country", equals: Rows.path("country", team)),
          .init("number", equals: Rows.path("number", team)),
        ])
    ])
  }

  /// The teams of a league, linked in the other order than the league's key has.
  private func teams(_ scope: Int) -> RelatedRows {
    RelatedRows([
      .init(
        entity: "team", scope: scope,
        links: [
          .init("number", equals: Rows.path("number")),
          .init("country", equals: Rows.path("country")),
        ])
    ])
  }

  @Test(arguments: TestedMap.allCases)
  func everyPlanGivesTheSame_2_7_2_8(map: TestedMap) throws {
    try Rows.withStore(map) { (store) throws in
      let title = Operand.relatedValue(attribute("title", of: 1), league(1))
      let top = compare(title, .equal, .value(.string("Top")))
      let far = Operand.relatedValue(
        attribute("title", of: 2), RelatedRows(Rows.team(1).steps + league(2, of: 1).steps))
      let blues = Condition.exists(
        teams(1), compare(attribute("name", of: 1), .equal, .value(.string("Blues"))))
      let early = compare(attribute("id", of: 0), .less, .value(.int(3)))
      let cases: [(String, Condition, [[StoredValue]], Int)] = [
        // Empty has half a key, which leads nowhere.
        ("team", top, [[.int(1)]], 2),
        (
          "team",
          .isIn(title, list: .value(.array([.string("Second"), .string("Other")])), []),
          [[.int(2)]], 2
        ),
        ("team", .all([top, early]), [[.int(1)]], 2),
        (
          "team", .any([top, compare(attribute("id", of: 0), .equal, .value(.int(3)))]),
          [[.int(1)], [.int(3)]], 2
        ),
        ("team", compare(title, .notEqual, .value(.null)), [[.int(1)], [.int(2)]], 2),
        ("team", compare(title, .notEqual, .value(.string("Top"))), [[.int(2)], [.int(3)]], 1),
        ("team", compare(title, .equal, .value(.null)), [[.int(3)]], 1),
        ("league", blues, [[.string("IS"), .int(2)]], 2),
        ("player", compare(far, .equal, .value(.string("Second"))), [[.int(13)]], 2),
      ]
      for (entity, condition, keys, count) in cases {
        let request = FetchRequest(entity: entity, condition: condition)
        try store.inReader { (reader) throws in
          var plans = 0
          try reader.forEachPlan(of: request) { rows, plan in
            plans += 1
            #expect(rows.map { Array($0.prefix(keys.first?.count ?? 1)) } == keys, "\(plan)")
          }
          #expect(plans >= count, "\(request.shape.condition)")
        }
      }
    }
  }

  @Test func wholeKeysBoundWhatIsRead() throws {
    try Rows.withStore(.memory) { (store) throws in
      func plans(_ entity: String, _ condition: Condition) throws -> [String] {
        try store.inReader { reader in
          var plans: [String] = []
          try reader.forEachPlan(of: FetchRequest(entity: entity, condition: condition)) {
            plans.append($1)
          }
          return plans
        }
      }
      let top = compare(
        .relatedValue(attribute("title", of: 1), league(1)), .equal, .value(.string("Top")))
      #expect(
        try plans("team", top).contains {
          $0.hasSuffix("index team.league {country, number} IN $1, sorted")
        })
      let blues = Condition.exists(
        teams(1), compare(attribute("name", of: 1), .equal, .value(.string("Blues"))))
      // The parts of the key stand in another order than those of the link.
      #expect(
        try plans("league", blues).contains { $0.hasSuffix("keys {number, country} IN $1") })
    }
  }
}
