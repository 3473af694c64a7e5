import MemoryBackend
import ORM
import ORMCore
import SQLiteBackend
import StrataTesting
import Testing

@Suite struct FaultyStoreTests {
  private func made(_ fault: FaultyStore.Fault) throws -> FaultyStore {
    FaultyStore(MemoryStore(schema: try Schema.teams), fault)
  }

  @Test("one commit fails, and leaves nothing")
  func failCommit() throws {
    let store = try made(.fail(.commit, after: 1))
    try store.save(League(id: "a"))
    let error = #expect(throws: StoreError.self) { try store.save(League(id: "b")) }
    #expect(error?.code == .full)
    try store.save(League(id: "c"))
    #expect(try store.fetch(League.all).map(\.id) == ["a", "c"])
    #expect(store.count(of: .commit) == 3)
  }

  @Test("requests fail until the store is healed")
  func failReads() throws {
    let store = try made(.fail(.read, times: .max, with: StoreError(.corrupt, "damaged")))
    let error = #expect(throws: StoreError.self) { try store.fetch(League.all) }
    #expect(error?.code == .corrupt)
    store.heal()
    #expect(try store.fetch(League.all).isEmpty)
    store.add(.fail(.read))
    #expect(throws: StoreError.self) { try store.count(League.self) }
    #expect(try store.count(League.self) == 0)
  }

  @Test("a delayed write ends when its operation does")
  func delay() throws {
    let store = try made(.delay(.write, by: .seconds(3_600)))
    let questions = SharedCount()
    #expect(throws: CancellationError.self) {
      try RunningOperation.run(unless: { questions.next() > 20 }) {
        try store.save(League(id: "a"))
      }
    }
    store.heal()
    #expect(try store.count(League.self) == 0)
  }

  @Test("requests are counted by their shapes")
  func requests() throws {
    let store = try Fake(.teams, seed: 1).store([Team.self: 5])
    let count = try expectRequests(atMost: 2, to: store) { store in
      try store.fetch(Team.all.prefetch(\.players)).count
    }
    #expect(count == 5)
    let counting = RequestCount(store)
    for player in try counting.fetch(Player.all) { _ = try counting.find(Player.self, player.id) }
    #expect(counting.requests.count == 1 + (try store.count(Player.self)))
    // The finds come first, without their keys.
    let first = try #require(counting.summary.split(separator: "\n").first)
    #expect(first.contains("× Player where id =="))
    counting.reset()
    #expect(counting.requests.isEmpty)
  }

  @Test("requests to the default store are counted", .store(try Schema.teams, .memory, .sqlite))
  func defaultStore() async throws {
    try Fake(.teams, seed: 1).fill(Persistence.store, [Team.self: 5])
    try expectRequests(atMost: 2) {
      let teams = try Team.all.prefetch(\.players).fetch()
      #expect(teams.count == 5)
    }
    let count = try await expectRequests(atMost: 1) { try await Team.all.count() }
    #expect(count == 5)
    // Writes alone are no requests; a block's reads are.
    let messages = try Messages.of {
      try expectRequests(atMost: 0) {
        try Persistence.store.write { tx in
          for _ in 0..<3 { _ = try tx.count(Player.self) }
          _ = try tx.count(League.self)
        }
      }
    }
    let message = try #require(messages.first)
    #expect(message.contains("4 requests were made, at most 0 were expected:\n  3 × Player"))
    #expect(message.hasSuffix("  1 × League"))
  }

  @Test("requests to a store that has no listener are counted where it is the default")
  func defaultStoreWithoutListener() async throws {
    let store = MemoryStore(schema: try Schema.teams)
    try await Persistence.with(store) {
      let messages = try Messages.of {
        try expectRequests(atMost: 1) { for _ in 0..<2 { _ = try League.all.count() } }
      }
      #expect(messages.count == 1 && messages[0].contains("2 × League"))
      try await expectRequests(atMost: 1) { _ = try await League.all.count() }
    }
  }

  @Test("requests to the store of a fake are counted, which is no default store")
  func storeOfAFake() throws {
    let store = try Fake(.teams, seed: 1).store([Team.self: 2])
    let messages = try Messages.of {
      try expectRequests(atMost: 1) {
        for player in try store.fetch(Player.all) { _ = try store.find(Player.self, player.id) }
      }
    }
    #expect(messages.count == 1 && messages[0].contains("× Player where id =="))
    #expect(messages[0].contains("1 × Player\n") || messages[0].hasSuffix("1 × Player"))
  }

  @Test("too many requests fail the test, with their shapes")
  func tooMany() throws {
    let store = try Fake(.teams, seed: 1).store([Team.self: 2])
    try withKnownIssue {
      try expectRequests(atMost: 1, to: store) { store in
        for _ in 0..<3 { _ = try store.count(Team.self) }
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("3 requests were made") }
    }
  }
}

/// The messages of failures that a body records.
private enum Messages {
  static func of(_ body: () throws -> Void) throws -> [String] {
    let found = Lock<[String]>([])
    try withKnownIssue(isIntermittent: true) {
      try body()
    } matching: { issue in
      found.withLock { $0 += issue.comments.map(\.rawValue) }
      return true
    }
    return found.withLock { $0 }
  }
}

/// A number that several threads raise.
private final class SharedCount: Sendable {
  private let value = Lock(0)

  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}
