import Foundation
import ORMCore
import SQLEngine
import TestSupport
import Testing

@testable import SQLiteBackend

/// The joins by which requests read what to-ones lead to, as text by hand.
@Suite struct OuterJoinTests {
  private typealias Rows = RelatedFixture

  private static func a(_ name: String, _ scope: Int = 0) -> Operand { Rows.attribute(name, scope) }

  private static func sql(_ request: FetchRequest) throws -> String {
    let table = try Rows.tables.table(request.shape.entity)
    var compiler = FetchCompiler(table, Rows.tables, SQLiteDialect())
    return try compiler.compile(request.shape).query.sql
  }

  private static func teamName(_ scope: Int) -> Operand {
    .relatedValue(a("name", scope), Rows.team(scope))
  }

  @Test func `paths through one to-one share a join`() throws {
    let request = FetchRequest(
      entity: "player", output: .values([.attribute("id")]),
      condition: .any([
        Rows.compare(Self.teamName(1), .less, .value(.string("B"))),
        Rows.compare(Self.teamName(2), .greater, .value(.string("R"))),
      ]), sort: [SortTerm(Self.teamName(3)), SortTerm(.attribute("id"))])
    #expect(
      try Self.sql(request)
        == #"SELECT "t0"."id" FROM "player" AS "t0" LEFT JOIN "team" AS "t1" ON "#
        + #""t1"."id" = "t0"."team_id" WHERE "t1"."name" < ?1 OR "t1"."name" > ?2 "#
        + #"ORDER BY "t1"."name", "t0"."id""#)
  }

  @Test func `groups are formed by a joined column`() throws {
    let request = FetchRequest(
      entity: "player",
      output: .groups(
        keys: [Self.teamName(1)], aggregates: [Aggregate(.count)], having: .constant(true)),
      sort: [SortTerm(.output(0))])
    #expect(
      try Self.sql(request)
        == #"SELECT "t1"."name", count(*) FROM "player" AS "t0" LEFT JOIN "team" AS "t1" ON "#
        + #""t1"."id" = "t0"."team_id" GROUP BY 1 ORDER BY 1"#)
  }

  @Test func `an aggregate over siblings is joined where every row is looked at`() throws {
    let mates = RelatedRows([
      Rows.step("team", 1, "id", "team", 0), Rows.step("player", 2, "team", "id", 1),
    ])
    let oldest = Rows.compare(
      .attribute("age"), .equal,
      .relatedAggregate(.maximum, Self.a("age", 2), mates, .constant(true)))
    let all = FetchRequest(
      entity: "player", output: .values([.attribute("id")]), condition: oldest)
    #expect(
      try Self.sql(all)
        == #"SELECT "t0"."id" FROM "player" AS "t0" LEFT JOIN (SELECT "t1"."id" AS "k0", "#
        + #"max("t2"."age") AS "v" FROM "team" AS "t1" CROSS JOIN "player" AS "t2" ON "#
        + #""t2"."team_id" = "t1"."id" GROUP BY "t1"."id") AS "a1" ON "a1"."k0" = "t0"."team_id" "#
        + #"WHERE "t0"."age" IS "a1"."v""#)
    let one = FetchRequest(
      entity: "player", output: .values([.attribute("id")]),
      condition: .all([Rows.compare(.attribute("id"), .equal, .value(.int(11))), oldest]))
    #expect(try !Self.sql(one).contains("LEFT JOIN"))
  }

  @Test
  func `whether there are siblings is joined where every row is looked at, but not for a page`()
    throws
  {
    let mates = RelatedRows([
      Rows.step("team", 1, "id", "team", 0), Rows.step("player", 2, "team", "id", 1),
    ])
    let alone = Condition.not(
      .exists(mates, Rows.compare(Self.a("age", 2), .greater, .value(.int(30)))))
    let all = FetchRequest(
      entity: "player", output: .values([.attribute("id")]), condition: alone)
    #expect(
      try Self.sql(all)
        == #"SELECT "t0"."id" FROM "player" AS "t0" LEFT JOIN (SELECT "t1"."id" AS "k0" "#
        + #"FROM "team" AS "t1" CROSS JOIN "player" AS "t2" ON "t2"."team_id" = "t1"."id" "#
        + #"WHERE "t2"."age" > ?1 GROUP BY "t1"."id") AS "a1" ON "a1"."k0" = "t0"."team_id" "#
        + #"WHERE NOT (("a1"."k0" IS NOT NULL))"#)
    let page = FetchRequest(
      entity: "player", output: .values([.attribute("id")]), condition: alone,
      sort: [SortTerm(.attribute("id"))], limit: 3)
    #expect(try !Self.sql(page).contains("LEFT JOIN"))
    // A change finds the keys of its rows by a query.
    var compiler = ChangeCompiler(Rows.tables.storedTables[1], Rows.tables, SQLiteDialect())
    #expect(
      try compiler.delete(FetchRequest(entity: "player", condition: alone).shape).query.sql
        == #"DELETE FROM "player" AS "t0" WHERE "t0"."id" IN (SELECT "t0"."id" FROM "player" AS "#
        + #""t0" LEFT JOIN (SELECT "t1"."id" AS "k0" FROM "team" AS "t1" CROSS JOIN "player" AS "#
        + #""t2" ON "t2"."team_id" = "t1"."id" WHERE "t2"."age" > ?1 GROUP BY "t1"."id") AS "a1" "#
        + #"ON "a1"."k0" = "t0"."team_id" WHERE NOT (("a1"."k0" IS NOT NULL)))"#)
  }

  @Test func `4.2: the first rows of groups are found by their rank`() throws {
    let operands = ["team", "age", "id"].map { Operand.attribute($0) }
    let shape = FetchShape(
      entity: "player", output: .values(operands), condition: .constant(true),
      sort: [SortTerm(.attribute("id"))], isLimited: false,
      firstRows: FetchShape.FirstRows(
        1, groupWidth: 1,
        sort: [
          SortTerm(.output(1), isDescending: true), SortTerm(.output(2), isDescending: true),
        ]))
    #expect(
      try Self.sql(FetchRequest(shape))
        == #"SELECT "c0", "c1", "c2" FROM (SELECT "team_id" AS "c0", "age" AS "c1", "id" AS "c2", "#
        + #"row_number() OVER (PARTITION BY "team_id" ORDER BY "age" DESC, "id" DESC) AS "rank" "#
        + #"FROM "player") AS "ranked" WHERE "rank" <= 1"#)
    // Of a team's players 11 and 12 the older; 14 has no team, and that of 15 is not there.
    let rows = try Rows.withStore { try $0.rows(FetchRequest(shape)) }
    #expect(
      Set(rows) == [
        [.null, .int(40), .int(14)], [.int(1), .int(31), .int(12)],
        [.int(2), .int(31), .int(13)], [.int(9), .int(18), .int(15)],
      ])
  }
}
