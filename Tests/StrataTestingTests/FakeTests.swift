import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMCore
import SQLiteBackend
import StrataTesting
import TestSupport
import Testing

@Suite struct FakeTests {
  @Test("13.7 values keep the rules of their attributes")
  func rangesLengthsEnums() throws {
    let store = try Fake(.snacks, seed: 7).store([Snack.self: 300])
    let snacks = try store.fetch(Snack.all)
    #expect(snacks.map(\.id) == Array(1...300))
    #expect(Set(snacks.map(\.name)).count == 300)
    #expect(snacks.allSatisfy { (3...12).contains($0.name.unicodeScalars.count) })
    #expect(snacks.allSatisfy { $0.code.wholeMatch(of: /[A-Z]{2}-[0-9]{3}/) != nil })
    #expect(snacks.allSatisfy { (5...20).contains($0.stock) && $0.stock % 2 == 0 })
    #expect(snacks.allSatisfy { $0.price >= 0 && $0.closes > $0.opens && $0.opens >= 0 })
    #expect(snacks.allSatisfy { $0.closes < 24 && (1...2).contains($0.tags.count) })
    #expect(Set(snacks.map(\.taste)) == [nil, .sweet, .salty, .sour])
    #expect(snacks.allSatisfy { $0.version == 1 && $0.added == $0.changed })
    // A save checks every rule again.
    try store.save(snacks)
  }

  @Test("13.7 the same seed makes the same rows on every store")
  func sameSeedSameRows() async throws {
    let schema = try Schema.teams
    func digests(_ seed: UInt64, _ kind: StoreKind) throws -> [EntityDigest] {
      try kind.withTestStore(schema) { store in
        try Fake(schema, seed: seed).fill(store, [Team.self: 10, Coach.self: 5])
        return try StoreCopy(from: store, to: MemoryStore(schema: schema)).run()
      }
    }
    let expected = try digests(7, .memory)
    #expect(try digests(7, .memory) == expected)
    #expect(try digests(7, .sqlite) == expected)
    #expect(try digests(7, .lmdb) == expected)
    #expect(try digests(8, .memory) != expected)
    guard PostgresServer.isThere else { return }
    try await SharedKind.postgres.withStore { location in
      let sandbox = try SandboxStore(SharedKind.postgres.open(location))
      try await sandbox.deleteAll(League.self)
      try await offThePool {
        try Fake(schema, seed: 7).fill(sandbox, [Team.self: 10, Coach.self: 5])
        let copy = StoreCopy(from: sandbox, to: MemoryStore(schema: schema))
        #expect(try copy.run() == expected)
        try sandbox.close()
      }
    }
  }

  @Test("13.7 relationships have the numbers of targets that they must have")
  func relationshipsHaveTheirCounts() throws {
    let schema = try Schema.teams
    for seed in UInt64(0)..<20 {
      let store = try Fake(schema, seed: seed).store([
        Team.self: 10, Player.self: 30, Coach.self: 7,
      ])
      let teams = try store.fetch(
        Team.all.prefetch(\.players).prefetch(\.leagues).prefetch(\.coach))
      #expect(teams.count == 10)
      #expect(teams.allSatisfy { (2...4).contains($0.players.ids?.count ?? 0) })
      #expect(teams.allSatisfy { (1...3).contains($0.leagues.ids?.count ?? 0) })
      #expect(teams.compactMap { $0.coach.id }.count == 7)
      #expect(teams.allSatisfy { $0.playerCount == $0.players.ids?.count })
      let players = try store.fetch(Player.all)
      #expect(players.count == 30 && Set(players.map(\.email)).count == 30)
      // No chain of friends is endless.
      #expect(players.allSatisfy { player in player.friend.id.map { $0 < player.id } ?? true })
      #expect(try store.check().isSound)
    }
  }

  @Test("an entity that is not named gets the rows that others need")
  func unnamedEntities() throws {
    let store = try Fake(.teams, seed: 1).store([Coach.self: 3])
    #expect(try store.count(Coach.self) == 3)
    #expect(try store.count(Team.self) == 3)
    #expect(try store.count(Player.self) == 6)
    #expect(try store.count(League.self) == 1)
  }

  @Test("13.7 models that require each other are made")
  func requiredCyclesAreSolved() throws {
    let store = try Fake(Schema(Hen.self, Egg.self), seed: 1).store([Hen.self: 3])
    #expect(try store.fetch(Hen.all).allSatisfy { $0.egg.id != nil })
    #expect(try store.fetch(Egg.all).allSatisfy { $0.hen.id != nil })
    #expect(try store.check().isSound)
  }

  @Test("13.7 numbers that a relationship forbids are refused by its name")
  func impossibleCounts() throws {
    let fake = try Fake(.teams, seed: 1)
    let error = #expect(throws: StoreError.self) {
      try fake.rows([Team.self: 10, Player.self: 19])
    }
    #expect(error?.code == .countOutOfRange && error?.entity == "Player")
    #expect(error?.message.contains("Team.players") == true)
    #expect(throws: StoreError.self) { try fake.rows([Team.self: 2, Player.self: 9]) }
    #expect(throws: StoreError.self) { try fake.rows([Team.self: 2, Coach.self: 3]) }
    #expect(throws: StoreError.self) { try fake.rows(FakeCounts(["Nothing": 1])) }
  }

  @Test("13.7 a rule that no row keeps is named")
  func aRuleNobodyCanKeepIsNamed() throws {
    func error(_ attribute: AttributeDescription, _ rules: [ValidationRule], _ count: Int = 1)
      throws
      -> StoreError?
    {
      var entity = EntityDescription(
        name: "Thing", attributes: [AttributeDescription("id", .int64), attribute], key: ["id"],
        keySource: .generated)
      entity.rules = rules
      let fake = Fake(try Schema(entities: [entity]), seed: 1)
      do {
        _ = try fake.rows(FakeCounts(["Thing": count]))
        return nil
      } catch let error as StoreError { return error }
    }
    func rule(_ name: String, _ format: String) -> ValidationRule {
      ValidationRule(name, attributes: ["x"], format: format, message: "must hold")
    }
    let range = try error(
      AttributeDescription("x", .int64), [rule("low", "x < 3"), rule("high", "x > 5")])
    #expect(range?.code == .invalidSchema && range?.attributes == ["x"] && range?.rule == "low")
    let length = try error(
      AttributeDescription("x", .string),
      [rule("length", "length(x) == 3"), rule("matches", "x MATCHES '(ab)*'")])
    #expect(length?.code == .invalidSchema && length?.attributes == ["x"])
    let odd = try error(AttributeDescription("x", .int64), [rule("odd", "x * 2 == 7")])
    #expect(odd?.rule == "odd")
    let choices = try error(
      AttributeDescription("x", .string), [rule("a", "x IN {'a'}"), rule("b", "x == 'b'")])
    #expect(choices?.code == .invalidSchema)
  }

  @Test("values that a program sets win")
  func setWins() throws {
    var fake = try Fake(.snacks, seed: 1)
    fake.set(\Snack.price) { Decimal($0.int(in: 7...8)) }
    fake.set("Snack", "tags") { _ in .array([.string("one")]) }
    let snacks = try fake.store([Snack.self: 40]).fetch(Snack.all)
    #expect(Set(snacks.map(\.price)) == [7, 8])
    #expect(snacks.allSatisfy { $0.tags == ["one"] })
    fake.set("Snack", "nothing") { _ in .null }
    #expect(throws: StoreError.self) { try fake.rows([Snack.self: 1]) }
  }
}
