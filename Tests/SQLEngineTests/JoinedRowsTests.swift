import Foundation
import ORMCore
import Testing

@testable import SQLiteBackend

/// Rows that are handed on with the ones that they lead to: how a many-to-many is read (5.8).
@Suite struct JoinedRowsTests {
  private typealias Rows = RelatedFixture

  private func request(_ teams: [Int64]) -> FetchRequest {
    FetchRequest(
      entity: "team_tag", output: .joined(Rows.step("team", 1, "id", "team", 0), ["tag", "team"]),
      condition: .isIn(
        Rows.attribute("team"), list: .value(.array(teams.map { .int($0) })), []),
      sort: [
        SortTerm(Rows.attribute("tag"), isDescending: true),
        SortTerm(Rows.attribute("team"), isDescending: true),
      ])
  }

  @Test func `5.8 one statement joins the links and their targets`() throws {
    try Rows.withStore { (store) throws in
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      let explanation = try reader.explain(request([1, 2]))
      #expect(
        explanation.detail.hasPrefix(
          """
          SELECT "t1"."id", "t1"."name", "t1"."captain", "t0"."tag", "t0"."team" FROM "team_tag" \
          AS "t0" JOIN "team" AS "t1" ON "t1"."id" = "t0"."team" WHERE "t0"."team" IN (?1, ?2) \
          ORDER BY "t0"."tag" DESC, "t0"."team" DESC
          """))
      #expect(explanation.access == .keyRange)
      #expect(explanation.related.map(\.entity) == ["team"])
      #expect(explanation.related.map(\.explanation.access) == [.keyLookup])
    }
  }

  @Test func `5.8 2.9 a target comes with each of its links, and none of a link to nothing`() throws
  {
    try Rows.withStore { (store) throws in
      try store.put(Rows.schema.entities[3], .insert, [[.int(9), .string("a")]])
      let reds: [StoredValue] = [.int(1), .string("Reds"), .int(11)]
      let blues: [StoredValue] = [.int(2), .string("Blues"), .null]
      #expect(
        try store.rows(request([1, 2, 9])) == [
          blues + [.string("b"), .int(2)], reds + [.string("b"), .int(1)],
          reds + [.string("a"), .int(1)],
        ])
      #expect(try store.rows(request([3])) == [])
    }
  }
}
