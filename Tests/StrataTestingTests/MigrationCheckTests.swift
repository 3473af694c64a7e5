import LMDBBackend
import MemoryBackend
import ORM
import ORMMigrations
import SQLiteBackend
import StrataTesting
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

  private static let kinds: [StoreKind] = [.memory, .lmdb, .sqlite]

  private static func setScore(_ fake: inout Fake) {
    fake.set("Player", "score") { random in
      switch random.int(in: 0...9) {
      case 0: .null
      case 1: .int(.min)
      default: .int(Int64(random.int(in: 0...99)))
      }
    }
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
    let counts = FakeCounts(["Team": 300, "Player": 250])
    let old = try Self.team(1).stored
    let new = try Self.team(2)
    for (step, isUndone) in [(undone, true), (text, nil), (lossy, false)]
      as [(MigrationStep, Bool?)]
    {
      let check = MigrationCheck(MigrationPlan([.version(2, [rename, step])]), from: old, new)
      let outcome = try check.run(on: Self.kinds, rows: counts, seed: 7, Self.setScore)
      #expect(outcome.isUndone == isUndone)
      #expect(outcome.before.map(\.entity) == ["Team", "Player"])
      #expect(outcome.before.map(\.rows) == [300, 250])
      #expect(outcome.digests.map(\.entity) == ["Team", "Athlete"])
      #expect(outcome.digests.map(\.rows) == [300, 250])
      let again = try check.run(on: [.memory], rows: counts, seed: 7, Self.setScore)
      #expect(again.before == outcome.before)
      #expect(again.digests == outcome.digests)
      let other = try check.run(on: [.memory], rows: counts, seed: 8, Self.setScore)
      #expect(other.digests != outcome.digests)
    }
    let wrong = MigrationCheck(MigrationPlan([.version(2, [rename])]), from: old, new)
    #expect(throws: StoreError.self) {
      try wrong.run(on: Self.kinds, rows: FakeCounts(["Player": 1]))
    }
  }
}
