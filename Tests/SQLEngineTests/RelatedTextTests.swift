import Foundation
import ORMCore
import SQLEngine
import Testing

@testable import SQLiteBackend

/// What questions about related rows become, by hand: every scope with its own alias, every column
/// with it, every value bound.
@Suite struct RelatedTextTests {
  private typealias Rows = RelatedFixture

  private static func a(_ name: String, _ scope: Int = 0) -> Operand { Rows.attribute(name, scope) }
  private static let one = Operand.value(.int(1))
  private static let of1 = #" FROM "player" AS "t1" WHERE "t1"."team_id" = "t0"."id""#

  private static func text(_ entity: Int, _ condition: Condition) throws -> String {
    let table = Rows.tables.storedTables[entity]
    let request = FetchRequest(entity: table.name, condition: condition)
    var compiler = ConditionCompiler(table, Rows.tables, SQLiteDialect(), isQualified: true)
    guard let text = try compiler.condition(request.shape.condition) else { return "" }
    return SQLQuery(text, SQLiteDialect()).sql
  }

  private static let cases: [(Int, Condition, String)] = [
    (
      0, .exists(Rows.players(1), Rows.compare(a("age", 1), .greater, one)),
      #"EXISTS (SELECT 1\#(of1) AND "t1"."age" > ?1)"#
    ),
    // 2.7: ALL is no row for which it does not hold.
    (
      0, .not(.exists(Rows.players(1), .not(Rows.compare(a("age", 1), .greater, one)))),
      #"NOT (EXISTS (SELECT 1\#(of1) AND (NOT ("t1"."age" > ?1))))"#
    ),
    // An inner condition names the outer row.
    (
      0, .exists(Rows.players(1), Rows.compare(a("name", 1), .equal, a("name", 0))),
      #"EXISTS (SELECT 1\#(of1) AND "t1"."name" = "t0"."name")"#
    ),
    // What the engine cannot do is handed columns of both rows.
    (
      0,
      .exists(
        Rows.players(1),
        .text(a("name", 1), .contains, a("name", 0), [.caseInsensitive, .diacriticInsensitive])),
      #"EXISTS (SELECT 1\#(of1) AND strata_test(?1, "t0"."name", "t1"."name"))"#
    ),
    (
      0, .exists(Rows.players(1), .isIn(.value(.string("x")), list: a("tags", 1), [])),
      #"EXISTS (SELECT 1\#(of1) AND "t1"."id" IN (SELECT "owner" FROM "player$tags" WHERE "#
        + #""element" = ?1))"#
    ),
    (
      0, .exists(Rows.tags(1), Rows.compare(a("name", 2), .equal, .value(.string("b")))),
      // The inner side has a key: it comes first.
      #""t0"."id" IN (SELECT "t1"."team" FROM "tag" AS "t2" CROSS JOIN "team_tag" AS "t1" ON "#
        + #""t2"."name" = "t1"."tag" WHERE "t2"."name" = ?1)"#
    ),
    // Not where no row or another is asked for.
    (
      0, .not(.exists(Rows.tags(1), Rows.compare(a("name", 2), .equal, .value(.string("b"))))),
      #"NOT (EXISTS (SELECT 1 FROM "team_tag" AS "t1" CROSS JOIN "tag" AS "t2" ON "#
        + #""t2"."name" = "t1"."tag" WHERE "t1"."team" = "t0"."id" AND "t2"."name" = ?1))"#
    ),
    // Nor where the row itself is found by its key.
    (
      0,
      .all([
        .exists(Rows.tags(1), Rows.compare(a("name", 2), .equal, .value(.string("b")))),
        Rows.compare(a("id"), .equal, one),
      ]),
      #"EXISTS (SELECT 1 FROM "team_tag" AS "t1" CROSS JOIN "tag" AS "t2" ON "#
        + #""t2"."name" = "t1"."tag" WHERE "t1"."team" = "t0"."id" AND "t2"."name" = ?1) "#
        + #"AND "t0"."id" = ?2"#
    ),
    // No index on the names of teams as they are.
    (
      1,
      Rows.compare(
        .relatedValue(a("name", 1), Rows.team(1)), .equal, .value(.string("Reds"))),
      #"(SELECT "t1"."name" FROM "team" AS "t1" WHERE "t1"."id" = "t0"."team_id") = ?1"#
    ),
    (
      1,
      Rows.compare(
        .relatedValue(a("name", 1), Rows.team(1)), .equal, .value(.string("REDS")),
        .caseInsensitive),
      #""t0"."team_id" IN (SELECT "t1"."id" FROM "team" AS "t1" WHERE "t1"."name$folded" = ?1)"#
    ),
    (
      1,
      Rows.compare(
        .relatedValue(a("name", 1), Rows.team(1)), .notEqual, .value(.string("REDS")),
        .caseInsensitive),
      #"(SELECT "t1"."name$folded" FROM "team" AS "t1" WHERE "t1"."id" = "t0"."team_id") "#
        + "IS NOT ?1"
    ),
    (
      1, Rows.compare(.relatedValue(a("name", 1), Rows.team(1)), .equal, .value(.null)),
      #"(SELECT "t1"."name" FROM "team" AS "t1" WHERE "t1"."id" = "t0"."team_id") IS NULL"#
    ),
    // No more are counted than tell.
    (
      0, Rows.compare(Rows.aggregate(.count), .greater, one),
      #"(SELECT count(*) FROM (SELECT 1\#(of1) LIMIT min(max(?1, -1), 9007199254740992) + 1) "#
        + #"AS "counted") > ?1"#
    ),
    // The column has the target's key, where the target is there.
    (
      1, Rows.compare(.relatedValue(a("id", 1), Rows.team(1)), .equal, .value(.null)),
      #"CASE WHEN "t0"."team_id" IN (SELECT "id" FROM "team") THEN "t0"."team_id" END IS NULL"#
    ),
    (
      0, Rows.compare(Rows.aggregate(.maximum, "born"), .less, .value(Rows.date(1))),
      #"(SELECT max("t1"."born") + 0.0\#(of1)) < ?1"#
    ),
    // 4.1: sums are core's, and 0 over nothing.
    (
      0, Rows.compare(Rows.aggregate(.sum, "age"), .greater, one),
      #"(SELECT CASE count(*) WHEN 0 THEN ?1 ELSE strata_total(?2, "t1"."age", "t1"."id") END"#
        + of1 + ") > ?3"
    ),
    // Decimals have no order in the engine.
    (
      0, Rows.compare(Rows.aggregate(.minimum, "price"), .less, .value(.decimal(1))),
      #"strata_test(?1, (SELECT strata_total(?2, "t1"."price", "t1"."id")\#(of1)))"#
    ),
  ]

  @Test(arguments: cases.indices) func `2.7 a question becomes this text`(_ number: Int) throws {
    let (entity, condition, expected) = Self.cases[number]
    #expect(try Self.text(entity, condition) == expected)
  }

  @Test func `a request with an order names its own rows by an alias`() throws {
    let request = FetchRequest(
      entity: "team", condition: .exists(Rows.players(1), .constant(true)),
      sort: [
        SortTerm(.relatedAggregate(.count, nil, Rows.players(2), .constant(true))),
        SortTerm(.attribute("id")),
      ], limit: 2)
    var compiler = FetchCompiler(Rows.tables.storedTables[0], Rows.tables, SQLiteDialect())
    #expect(
      try compiler.compile(request.shape).query.sql
        == #"SELECT "t0"."id", "t0"."name", "t0"."captain" FROM "team" AS "t0" "#
        + #"WHERE EXISTS (SELECT 1 FROM "player" AS "t1" WHERE "t1"."team_id" = "t0"."id") "#
        + #"ORDER BY (SELECT count(*) FROM "player" AS "t2" WHERE "t2"."team_id" = "t0"."id"), "#
        + #""t0"."id" LIMIT ?1 OFFSET ?2"#)
  }

  @Test func `a delete and an update name their rows by an alias`() throws {
    let none = FetchRequest(
      entity: "team", condition: .not(.exists(Rows.players(1), .constant(true))))
    var deletes = ChangeCompiler(Rows.tables.storedTables[0], Rows.tables, SQLiteDialect())
    #expect(
      try deletes.delete(none.shape).query.sql
        == #"DELETE FROM "team" AS "t0" WHERE NOT (EXISTS (SELECT 1\#(Self.of1)))"#)
    var updates = ChangeCompiler(Rows.tables.storedTables[0], Rows.tables, SQLiteDialect())
    let update = try updates.update(
      FetchShape(entity: "team"),
      [StoreChange.Assignment(column: 2, value: Rows.aggregate(.maximum, "id"))],
      checksValues: false)
    let value = #"strata_value(?1, (SELECT max("t1"."id")\#(Self.of1)))"#
    #expect(
      update.query.sql == #"UPDATE "team" AS "t0" SET "captain" = \#(value) WHERE "#
        + "CASE WHEN strata_row_count() THEN "
        + #"CASE WHEN "t0"."captain" IS NOT \#(value) THEN 1 END END"#)
  }
}
