import Foundation
import MemoryBackend
import ORM
import ORMConformance
import ORMMigrations
import Testing

/// The check of plans that programs use in their tests.
@Suite("Plans are checked with made rows", .serialized)
struct MigrationCheckTests {
  private static func team(_ version: Int) throws -> Schema {
    let isOld = version == 1
    let link = "team_id"
    return try Schema(
      entities: [
        EntityDescription(
          name: "Team",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("name", .string),
            AttributeDescription("made", .date, defaultValue: .now),
          ], key: ["id"], keySource: .generated),
        EntityDescription(
          name: isOld ? "Player" : "Athlete",
          attributes: [
            AttributeDescription("key", .string),
            AttributeDescription("score", isOld ? .int64 : .string, isOptional: true),
            AttributeDescription("rank", .int32), AttributeDescription(link, .int64),
          ], key: ["key"], indexes: [IndexDescription([.init(link)])],
          relationships: [
            RelationshipDescription(
              "team", target: "Team", isToMany: false, storage: .own([link], position: nil))
          ],
          rules: [
            ValidationRule("rank", attributes: ["rank"], format: "rank > 10", message: "no")
          ]),
      ], version: version)
  }

  private static var providers: [any StoreProvider] {
    [MemoryProvider(), LMDBProvider(), SQLiteProvider()]
  }

  private static func score(_ entity: String, _ name: String, _ number: Int) -> StoredValue? {
    name == "score" && number == 5 ? .int(Int64.min) : nil
  }

  @Test("10.1, 10.11: made rows are the same on every store, and given back")
  func check() throws {
    let rename = MigrationStep.renameEntity("Player", to: "Athlete")
    let text = MigrationStep.changeType(of: "score", to: .string, in: "Athlete", by: .text)
    let undone = text.undone(by: [.changeType(of: "score", to: .int64, in: "Athlete")])
    let lossy = text.undone(by: [
      .set("score", in: "Athlete", to: "\"1\""),
      .changeType(of: "score", to: .int64, in: "Athlete"),
    ])
    let providers = Self.providers
    defer { for provider in providers { try? provider.cleanUp() } }
    let old = try Self.team(1).stored
    let new = try Self.team(2)
    for (step, isUndone) in [(undone, true), (text, nil), (lossy, false)]
      as [(MigrationStep, Bool?)]
    {
      let check = MigrationCheck(MigrationPlan([.version(2, [rename, step])]), from: old, new)
      let outcome = try check.run(on: providers, rows: 300, seed: 7, value: Self.score)
      #expect(outcome.isUndone == isUndone)
      #expect(outcome.rows["Team"] == 300)
      // Ranks are from 0 to 99, and the rule takes those above 10.
      let count = try #require(outcome.rows["Player"])
      #expect(count > 200 && count < 300)
      #expect(outcome.digests.map(\.entity) == ["Team", "Athlete"])
      #expect(outcome.digests.map(\.rows) == [300, count])
      let again = try check.run(
        on: [providers[0]], rows: 300, seed: 7, value: Self.score)
      #expect(again.rows == outcome.rows)
      #expect(again.digests.last == outcome.digests.last)
    }
    let wrong = MigrationCheck(MigrationPlan([.version(2, [rename])]), from: old, new)
    #expect(throws: StoreError.self) { try wrong.run(on: providers, rows: 1, seed: 1) }
  }
}
