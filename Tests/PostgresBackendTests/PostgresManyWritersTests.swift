import Foundation
import ORM
import ORMCore
import PostgresBackend
import Synchronization
import TestSupport
import Testing

/// Write transactions that run together.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresManyWritersTests {
  private let namespace = PostgresNamespace()

  private func open(
    _ writers: PostgresOptions.Writers = .manyWriters(), _ options: StoreOptions = StoreOptions(),
    rerunsHooks: Bool? = nil
  ) throws -> PostgresStore {
    var postgres = PostgresOptions()
    postgres.writers = writers
    postgres.rerunsHooks = rerunsHooks ?? false
    let schema =
      try rerunsHooks == nil ? Schema(Tally.self, Line.self) : Schema(Audited.self)
    return try PostgresStore(
      namespace.location(), schema: schema, options: options, postgres: postgres)
  }

  @Test("9.5: 8 tasks that add to one row lose no addition")
  func additions() async throws {
    // An operation is run again until this is over, on however busy a machine; `attempts` is for blocks.
    var options = StoreOptions()
    options.writerWait = .seconds(300)
    let store = try open(.manyWriters(attempts: 1), options)
    try await store.save(Tally(id: 1, value: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<20 {
            try await store.update(Tally.all.where { $0.id == 1 }) {
              $0[\.value] = $0[\.value] + 1
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.find(Tally.self, 1)?.value == 160)
    try await store.close()
  }

  @Test("9.5: a block runs again, and nothing of its first run is left")
  func reruns() throws {
    let store = try open(.manyWriters(maximum: 2))
    let other = try open(.manyWriters(maximum: 2))
    try store.save(Tally(id: 1, value: 0))
    let object = Line(text: "mine")
    var attempts: [Int] = []
    var keys: [Int64] = []
    try store.write { tx in
      attempts.append(tx.attempt)
      #expect(object.id == 0)
      var counter = try #require(try tx.find(Tally.self, 1))
      if attempts.count == 1 {
        try other.save(Tally(id: 1, value: 100))
      }
      try tx.insert(object)
      keys.append(object.id)
      counter.value += 1
      try tx.save(counter)
    }
    #expect(attempts == [1, 2])
    #expect(keys == [1, 1])
    #expect(object.id == 1)
    #expect(try store.find(Tally.self, 1)?.value == 101)
    #expect(try store.fetch(Line.all).map(\.text) == ["mine"])
    try store.close()
    try other.close()
  }

  @Test("9.5: a block that fails at each run throws contended, and has changed nothing")
  func contended() throws {
    let store = try open(.manyWriters(maximum: 2, attempts: 3))
    let other = try open(.manyWriters(maximum: 2))
    try store.save(Tally(id: 1, value: 0))
    var runs = 0
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in
        runs += 1
        var counter = try #require(try tx.find(Tally.self, 1))
        try other.save(Tally(id: 1, value: runs))
        counter.value = 1_000
        // What the body makes of the failure does not matter.
        _ = try? tx.save(counter)
        _ = try? tx.insert(Line(text: "lost"))
      }
    }
    #expect(error?.code == .contended)
    #expect(runs == 3)
    #expect(try store.find(Tally.self, 1)?.value == 3)
    #expect(try store.count(Line.self) == 0)
    try store.close()
    try other.close()
  }

  @Test(
    "9.5: a schema with hooks is run again only where the store says so", arguments: [false, true])
  func hooks(_ reruns: Bool) throws {
    let store = try open(.manyWriters(maximum: 2), rerunsHooks: reruns)
    let other = try open(.manyWriters(maximum: 2), rerunsHooks: true)
    try store.save(Audited(id: 1, text: "a"))
    var runs = 0
    func change() throws {
      try store.write { tx in
        runs += 1
        var audited = try #require(try tx.find(Audited.self, 1))
        if runs == 1 { try other.save(Audited(id: 1, text: "b")) }
        audited.text += "c"
        try tx.save(audited)
      }
    }
    if reruns {
      try change()
    } else {
      #expect(throws: StoreError.self) { try change() }
    }
    #expect(runs == (reruns ? 2 : 1))
    #expect(try store.find(Audited.self, 1)?.text == (reruns ? "bc" : "b"))
    try store.close()
    try other.close()
  }

  @Test("9.6: 8 tasks on two stores get keys of their own, each greater than those before")
  func keys() async throws {
    let stores = [try open(), try open()]
    let ids = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for task in 0..<8 {
        let store = stores[task % 2]
        group.addTask { try await Self.insertSome(store) }
      }
      return try await group.reduce(into: [Int64]()) { $0 += $1 }
    }
    #expect(Set(ids).count == 96)
    #expect(try await stores[0].fetch(Line.all).map(\.id) == ids.sorted())
    try gaps(stores, after: try #require(ids.max()))
    for store in stores { try await store.close() }
  }

  /// Inserts rows one by one, and returns their keys.
  private static func insertSome(_ store: PostgresStore) async throws -> [Int64] {
    var ids: [Int64] = []
    for number in 0..<12 {
      let id: Int64
      if number % 3 == 0 {
        id = try await insertInBlock(store)
      } else {
        id = try await store.insert(Line(text: "one")).id
      }
      #expect(id > ids.last ?? 0)
      ids.append(id)
    }
    return ids
  }

  private static func insertInBlock(_ store: PostgresStore) async throws -> Int64 {
    try await store.write { tx in try tx.insert(Line(text: "block")).id }
  }

  private func gaps(_ stores: [PostgresStore], after greatest: Int64) throws {
    // A program alone sees no gaps; explicit keys count, and deleted ones are not given out again.
    let store = stores[1]
    #expect(try store.insert(Line(text: "next")).id > greatest)
    try store.save(Line(id: 5_000, text: "given"))
    #expect(try store.insert(Line(text: "after")).id == 5_001)
    try store.delete(Line.all.where { $0.id > 100 })
    #expect(try stores[0].insert(Line(text: "later")).id == 5_002)
    #expect(try store.insert((0..<3).map { Line(text: "\($0)") }).keys == [5_003, 5_004, 5_005])
    struct Undo: Error {}
    #expect(throws: Undo.self) {
      try store.write { tx in
        try tx.insert(Line(text: "undone"))
        throw Undo()
      }
    }
    #expect(try store.insert(Line(text: "last")).id > 5_005)
  }

  @Test("9.6: a commit of another program is found while commits of the store never pause")
  func overlapping() throws {
    let commits = PostgresCommits()
    #expect(try commits.othersCount { (0, 10) } == 10)
    // The eleventh commit is of another program, and from then on one of the store always runs.
    let first = commits.begin()
    #expect(try commits.othersCount { (0, 11) } == nil)
    let second = commits.begin()
    commits.end(first, 12)
    #expect(try commits.othersCount { (0, 12) } == 11)
    let third = commits.begin()
    commits.end(second, 13)
    #expect(try commits.othersCount { (0, 13) } == 11)
    // A look that fails leaves the numbers as they are.
    commits.end(third, 14)
    #expect(throws: TestFailure.self) {
      _ = try commits.othersCount { throw TestFailure("no answer") }
    }
    #expect(try commits.othersCount { (0, 14) } == 11)
    #expect(try commits.othersCount { (2, 15) } == 14)
  }

  @Test("6.5, 9.6: commits of writers that run together are announced once each, in order")
  func notices() async throws {
    let store = try open()
    let other = try open()
    let sequences = Mutex<[(UInt64, Bool)]>([])
    let observation = store.runtime.transactions.observeCommits { notice in
      sequences.withLock { $0.append((notice.sequence, notice.isFromOtherProcess)) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<10 {
            _ = try await Self.insertInBlock(store)
          }
        }
      }
      try await group.waitForAll()
    }
    store.runtime.transactions.drainNotices()
    let own = sequences.withLock { $0 }
    #expect(own.map(\.0) == (1...40).map { UInt64($0) })
    #expect(own.allSatisfy { !$0.1 })
    try await other.insert(Line(text: "other"))
    try await eventually { sequences.withLock { $0.count } > 40 }
    #expect(sequences.withLock { $0.dropFirst(40).map(\.1) } == [true])
    observation.cancel()
    try await store.close()
    try await other.close()
  }
}

/// A row that many change.
struct Tally: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var value: Int

  static let entity = Entity<Tally>("Tally") { .key("id", \.id).attribute("value", \.value) }
}

/// An object with a generated key.
final class Line: PrimaryKeyed, Codable, @unchecked Sendable {
  var id: Int64
  var text: String

  init(id: Int64 = 0, text: String) {
    self.id = id
    self.text = text
  }

  static let entity = Entity<Line>("Line") {
    .key("id", \.id, .generated).attribute("text", \.text)
  }
}

/// A model with a hook.
struct Audited: PrimaryKeyed, Codable, Equatable, WriteHooks {
  var id: Int64
  var text: String

  static let entity = Entity<Audited>("Audited") { .key("id", \.id).attribute("text", \.text) }

  func didUpdate(from old: Audited, in transaction: WriteTransaction) throws {}
}
