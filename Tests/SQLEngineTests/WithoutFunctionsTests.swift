import Foundation
import ORMCore
import SQLEngine
import TestSupport
import Testing

@testable import SQLiteBackend

/// Requests and changes that are split between SQL and core, where no statement calls a function.
@Suite struct WithoutFunctionsTests {
  private typealias Rows = RelatedFixture

  private static let teamCount: Int64 = 300
  private static let playerCount: Int64 = 3_000

  /// A store of 300 teams with ten players each.
  private func withPlayers(_ body: (SQLiteStore) throws -> Void) throws {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Rows.schema, callsCore: false)
    defer { try? store.close(CloseTurn()) }
    try store.put(
      Rows.schema.entities[0], .insert,
      (1...Self.teamCount).map { [.int($0), .string("Team \($0)"), .int($0)] }, reports: [])
    try store.put(
      Rows.schema.entities[1], .insert,
      (1...Self.playerCount).map { number in
        [
          .int(number), .int(number % 40), .int((number - 1) % Self.teamCount + 1),
          .string("Player \(number)"), .null, .double(Double(number) / 8), .null, .null, .null,
          .null, .array([.string("a")]),
        ]
      }, reports: [])
    try body(store)
  }

  private func text(_ operand: Operand, _ part: String) -> Condition {
    .text(operand, .contains, .value(.string(part)), .diacriticInsensitive)
  }

  /// A request and the number of its rows.
  private var requests: [(name: String, request: FetchRequest, count: Int)] {
    let sum = Rows.aggregate(.sum, "score")
    let teamName = Operand.relatedValue(Rows.attribute("name", 1), Rows.team(1))
    // Players 299 and 2,990 to 2,999 are in teams 290 to 299.
    let mates = RelatedRows([
      Rows.step("team", 1, "id", "team", 0), Rows.step("player", 2, "team", "id", 1),
    ])
    return [
      (
        "a sum of doubles of each team",
        FetchRequest(
          entity: "team",
          condition: Rows.compare(sum, .greater, .value(.double(0)), []),
          sort: [SortTerm(.attribute("id"))]), 300
      ),
      (
        "a to-one beside a text that core tests",
        FetchRequest(
          entity: "player", condition: text(teamName, "Team 300"),
          sort: [SortTerm(.attribute("id"))]), 10
      ),
      (
        "some of the mates of each player",
        FetchRequest(
          entity: "player",
          condition: .exists(mates, text(Rows.attribute("name", 2), "Player 299")),
          sort: [SortTerm(.attribute("id"))]), 100
      ),
      (
        "an order by a sum, and a page of it",
        FetchRequest(
          entity: "team", sort: [SortTerm(sum, isDescending: true), SortTerm(.attribute("id"))],
          limit: 7), 7
      ),
      (
        "a value of each team that core computes",
        FetchRequest(
          entity: "team", output: .values([sum, Rows.aggregate(.count, nil)]),
          sort: [SortTerm(.attribute("id"))]), 300
      ),
    ]
  }

  @Test func `related rows are fetched for many rows together`() throws {
    try withPlayers { store in
      for (name, request, count) in requests {
        let reader = try store.reader(ReadTurn())
        defer { reader.end() }
        let rows = try reader.rows(request)
        #expect(rows.count == count, "\(name)")
        let engine = try #require(reader as? SQLReader)
        // Batches of 64, 128 and so on, and one request a step and 1,024 keys for each.
        #expect(engine.requestCount <= 30, "\(name): \(engine.requestCount) requests")
      }
    }
  }

  @Test func `conditions that SQL tests exactly stay in SQL beside those that core tests`() throws {
    try withPlayers { store in
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      let condition = Condition.all([
        Rows.compare(.attribute("age"), .equal, .value(.int(7))),
        text(.attribute("name"), "Player 1"),
      ])
      let request = FetchRequest(
        entity: "player", output: .values([.attribute("id")]), condition: condition,
        sort: [SortTerm(.attribute("id"))], limit: 3)
      // Ages are the numbers modulo 40: 127 is the first with such a name, then 167.
      #expect(try reader.rows(request) == [[.int(127)], [.int(167)], [.int(1007)]])
      let explanation = try reader.explain(request)
      #expect(
        explanation.detail.hasPrefix(
          """
          SELECT "id", "name" FROM "player" WHERE "age" = ?1 ORDER BY "id"
          """), "\(explanation.detail)")
      #expect(explanation.coreConditions.count == 1)
    }
  }

  /// A condition of many parts: core tests every seventh, and the rest fills one text or more.
  @Test(.timeLimit(.minutes(5)), arguments: [4_000, 60_200])
  func `the parts of a wide condition are split in time that grows with their number`(
    _ count: Int
  ) throws {
    try withPlayers { store in
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      let parts = (0..<count).map { number in
        number % 7 == 0
          ? text(.attribute("name"), "Player 1")
          : Rows.compare(.attribute("id"), .notEqual, .value(.int(Int64(number))))
      }
      let request = FetchRequest(
        entity: "player", output: .values([.attribute("id")]), condition: .all(parts),
        sort: [SortTerm(.attribute("id"))])
      // Every seventh number is refused by no part, and those to 3,000 whose names hold "Player 1"
      // are 1, 10 to 19, 100 to 199 and 1,000 to 1,999.
      let expected = (1...3_000).filter {
        ($0 % 7 == 0 || $0 >= count) && String($0).hasPrefix("1")
      }
      #expect(try reader.rows(request) == expected.map { [.int(Int64($0))] })
    }
  }

  @Test func `a page stays in SQL where only values are computed by core`() throws {
    try withPlayers { store in
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      let request = FetchRequest(
        entity: "team", output: .values([Rows.aggregate(.sum, "score")]),
        sort: [SortTerm(.attribute("id"), isDescending: true)], limit: 1)
      // The players of team 300 are 300, 600 and so on to 3,000: 16,500 eighths.
      #expect(try reader.rows(request) == [[.double(2062.5)]])
      #expect(try reader.explain(request).detail.contains("LIMIT"))
    }
  }

  @Test func `changes that core computes are written by keys`() throws {
    try withPlayers { store in
      let condition = text(.attribute("name"), "Player 2")
      let before = try store.written { writer in
        try writer.apply(
          .update(
            FetchRequest(entity: "player", condition: condition),
            [
              .init(
                column: 1, value: .arithmetic(.add, .attribute("age"), .value(.int(1_000)))),
              .init(column: 3, value: .function(.uppercase, .attribute("name"))),
            ]))
      }
      // 2, 20 to 29, 200 to 299, 2,000 to 2,999.
      #expect(before == 1_111)
      let changed = try store.rows(
        FetchRequest(
          entity: "player", output: .values([.attribute("id"), .attribute("name")]),
          condition: Rows.compare(.attribute("age"), .greaterOrEqual, .value(.int(1_000))),
          sort: [SortTerm(.attribute("id"))]))
      #expect(changed.count == 1_111)
      #expect(changed.last == [.int(2_999), .string("PLAYER 2999")])
      let deleted = try store.written { writer in
        try writer.apply(
          .delete(FetchRequest(entity: "player", condition: text(.attribute("name"), "PLAYER"))))
      }
      #expect(deleted == 1_111)
      #expect(
        try store.rows(
          FetchRequest(entity: "player", output: .aggregates([Aggregate(.count)]))) == [
            [.int(1_889)]
          ])
    }
  }

  @Test func `folded texts of rows that exist are filled in batches`() throws {
    let fixture = SQLiteFixture()
    func schema(_ indexes: [StoredIndex]) -> StoredSchema {
      StoredSchema(entities: [
        StoredEntity(
          name: "word",
          columns: [StoredColumn("id", .int64), StoredColumn("text", .string, isOptional: true)],
          key: [0], indexes: indexes)
      ])
    }
    let plain = try fixture.store(schema([]), callsCore: false)
    try plain.put(
      schema([]).entities[0], .insert,
      (1...2_500).map { [.int($0), $0 % 5 == 0 ? .null : .string("STRASSE \($0)")] }, reports: [])
    try plain.close(CloseTurn())
    let indexed = schema([StoredIndex("word.text", [.init(1, form: .caseFolded)])])
    let store = try fixture.store(indexed, callsCore: false)
    defer { try? store.close(CloseTurn()) }
    let found = try store.rows(
      FetchRequest(
        entity: "word", output: .values([.attribute("id")]),
        condition: .compare(
          .attribute("text"), .equal, .value(.string("Strasse 2499")), .caseInsensitive)))
    #expect(found == [[.int(2_499)]])
    let count = try fixture.command(
      #"SELECT count(*) FROM word WHERE "text$folded" GLOB 'strasse *'"#)
    #expect(count == "2000")
  }
}
