import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMCore
import PostgresBackend
import SQLiteBackend
import StrataTesting
import TestSupport
import Testing

/// A kind of store that a sandbox shares with others: a file or a namespace of a server.
enum SharedKind: String, CaseIterable, Codable, Sendable {
  case sqlite, lmdb, postgres

  static var allCases: [SharedKind] {
    [.sqlite, .lmdb] + (PostgresServer.isThere ? [.postgres] : [])
  }

  /// Opens the store at a location.
  func open(_ location: String) throws -> any Store {
    let schema = try Schema.teams
    // Sixteen openings at once wait for one lock of the server, for seconds on a busy machine.
    var options = StoreOptions()
    options.writerWait = .seconds(120)
    return switch self {
    case .sqlite: try StoreKind.sqlite.open(location, schema, options)
    case .lmdb: try StoreKind.lmdb.open(location, schema, options)
    case .postgres: try StoreKind.postgres.open(location, schema, options)
    }
  }

  /// Runs a body with the location of a new store that has one league, and drops the store.
  func withStore<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = TestFolder()
    let namespace = PostgresServer.newNamespace()
    defer { if self == .postgres { try? PostgresServer.drop([namespace]) } }
    let location =
      self == .postgres
      ? try PostgresServer.location(of: namespace) : folder.file("store.\(rawValue)")
    let store = try open(location)
    try await store.save(League(id: "kept"))
    try await store.close()
    return try await body(location)
  }

  /// The leagues that a store has for others.
  func leagues(_ location: String) throws -> [String] {
    let store = try open(location)
    defer { try? store.close() }
    return try store.fetch(League.all).map(\.id)
  }
}

@Suite struct SandboxTests {
  @Test("13.8 nothing that a sandbox writes is left", arguments: SharedKind.allCases)
  func leavesNoTrace(_ kind: SharedKind) async throws {
    try await kind.withStore { location in
      let sandbox = try SandboxStore(kind.open(location))
      try await sandbox.save(League(id: "a"))
      try await sandbox.write { tx in
        try tx.save(League(id: "b"))
        try tx.delete(League.all.where { $0.id == "kept" })
      }
      #expect(try await sandbox.fetch(League.all).map(\.id) == ["a", "b"])
      try await sandbox.close()
      #expect(try kind.leagues(location) == ["kept"])
    }
  }

  @Test("13.8 a write that throws is undone inside the sandbox", arguments: SharedKind.allCases)
  func undoes(_ kind: SharedKind) async throws {
    try await kind.withStore { location in
      let sandbox = try SandboxStore(kind.open(location))
      try await offThePool {
        try sandbox.save(League(id: "a"))
        #expect(throws: CancellationError.self) {
          try sandbox.write { tx in
            try tx.save(League(id: "b"))
            throw CancellationError()
          }
        }
        #expect(throws: StoreError.self) { try sandbox.insert([League(id: "c"), League(id: "a")]) }
        try sandbox.write { tx in
          try tx.save(League(id: "d"))
          _ = try? tx.insert([League(id: "e"), League(id: "a")])
        }
        #expect(try sandbox.fetch(League.all).map(\.id) == ["a", "d", "kept"])
        try sandbox.close()
      }
    }
  }

  @Test(
    "13.8 a process that dies leaves nothing, and holds nothing", arguments: SharedKind.allCases)
  func crash(_ kind: SharedKind) async throws {
    try await kind.withStore { location in
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [location = location as String, kind = kind as SharedKind] in
        let sandbox = try SandboxStore(kind.open(location))
        try await sandbox.save(League(id: "a"))
        try await sandbox.delete(League.all.where { $0.id == "kept" })
        kill(getpid(), SIGKILL)
      }
      #expect(try kind.leagues(location) == ["kept"])
      // The key is not locked either.
      let store = try kind.open(location)
      try await store.insert(League(id: "a"))
      try await store.close()
      #expect(try kind.leagues(location) == ["a", "kept"])
    }
  }

  @Test(
    "13.8 sixteen sandboxes on one server see their own rows alone",
    .enabled(if: PostgresServer.isThere))
  func parallel() async throws {
    let kind = SharedKind.postgres
    try await kind.withStore { location in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            let sandbox = try await offThePool { try SandboxStore(kind.open(location)) }
            for round in 0..<3 { try await sandbox.save(League(id: "\(number)-\(round)")) }
            let ids = try await sandbox.fetch(League.all).map(\.id)
            #expect(ids == ["\(number)-0", "\(number)-1", "\(number)-2", "kept"])
            try await sandbox.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(try kind.leagues(location) == ["kept"])
    }
  }

  @Test("a sandbox takes reads and writes of many tasks")
  func concurrently() async throws {
    let sandbox = try SandboxStore(MemoryStore(schema: Schema.teams))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await sandbox.save(League(id: "\(number)"))
          #expect(try await sandbox.find(League.self, "\(number)") != nil)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await sandbox.count(League.self) == 50)
    try await sandbox.close()
    await #expect(throws: StoreError.self) { try await sandbox.count(League.self) }
  }

  @Test("a fake fills a sandbox as any store")
  func fake() throws {
    let schema = try Schema.teams
    let sandbox = try SandboxStore(MemoryStore(schema: schema))
    let fake = Fake(schema, seed: 5)
    try fake.fill(sandbox, [Team.self: 4])
    #expect(try Snapshot(of: sandbox).text == Snapshot(of: fake.store([Team.self: 4])).text)
    #expect(try sandbox.check().isSound)
    try sandbox.close()
  }
}

/// Runs a body on a thread of its own, since it blocks.
func offThePool<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
  }
}
