internal import Dispatch
internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 6.1, 6.4, 6.5 and 6.6 for operations that wait in the queue together, and are committed
  /// together.
  static let sharedCommits: [ConformanceCase] = [
    ConformanceCase(
      async: "operations that wait together share commits, each with an outcome of its own", "6.1",
      "6.5", "6.8"
    ) { context in
      let store = try context.open(Snack.self)
      try await store.save(Snack(0))
      let notices = Notices(store)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1_000)) } }
      // Every tenth is refused.
      let results = try await held.finish(
        before: (1...200).map { number in
          { try await store.insert(Snack(number % 10 == 0 ? 0 : Int64(number), stock: number)) }
        })
      let expected = (1...200).map { $0 % 10 == 0 ? "duplicate" : "\($0)" }
      try context.expectEqual(
        results.map { $0.mapError(Self.asStoreError) }.map(Self.text), expected)
      try context.expectEqual(try await store.count(Snack.self), 182)
      try context.expectEqual(try await store.find(Snack.self, 0)?.stock, nil)
      // Writers that run together share no known commit.
      guard store.runtime.concurrentWriters == nil else { return }
      let seen = try await offThePool { notices.wait(for: 2) }
      try context.expect(
        seen.count < 100, "182 rows in few commits, got \(seen.count)")
    },
    ConformanceCase(
      async: "each operation of a shared commit sees those before it, and blocks keep their order",
      "6.1", "6.8"
    ) { context in
      let store = try context.open(Snack.self)
      // Writers that run together come in no known order and share no known commit.
      guard store.runtime.concurrentWriters == nil else { return }
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1, stock: 1)) } }
      let operations: [@Sendable () async throws -> Int?] = [
        { try await store.insert(Snack(2, stock: 5)).stock },
        { try await store.patch(Snack.self, 2) { $0[\.stock] = $0[\.stock] + 1 } },
        { try await store.update(Snack.all) { $0[\.stock] = $0[\.stock] * 10 } },
        { try await store.patch(Snack.self, 2) { $0[\.stock] = $0[\.stock] + 1 } },
        { try await store.update(Snack(2, "b", stock: 7)).stock },
        { try await store.patch(Snack.self, 1) { $0[\.stock] = $0[\.stock] + 2 } },
        { try await store.insert(Snack(3, stock: 2)).stock },
      ]
      let results = try await held.finish(before: operations)
      try context.expectEqual(try results.map { try $0.get() }, [5, 1, 2, 1, 7, 1, 2])
      try context.expectEqual(
        try await store.fetch(Snack.all).map(\.stock), [12, 7, 2], "in the order of their coming")
    },
    ConformanceCase(
      async:
        "an operation that fails in the middle of its writes is undone alone in its group",
      "6.4",
      "6.6", "6.8"
    ) { context in
      let store = try context.open(Fickle.self)
      let held = try await offThePool {
        try HeldWriter(store) { try $0.save([Fickle(100, "held")]) }
      }
      let results = try await held.finish(
        before: (Int64(1)...9).map { number -> @Sendable () async throws -> Int64 in
          {
            switch number {
            case 3:
              // The second row is taken, when the first is written.
              try await store.insert([Fickle(30, "a"), Fickle(100, "b")])
              return 3
            case 6:
              // The stored value cannot be read back.
              return try await store.insert(Fickle(6, Fickle.unreadable)).id
            default:
              return try await store.insert(Fickle(number, "n\(number)")).id
            }
          }
        })
      let texts = results.map { result in
        switch result {
        case .success(let id): "\(id)"
        case .failure(let error): Self.asStoreError(error).code.rawValue
        }
      }
      try context.expectEqual(
        texts, ["1", "2", "duplicate", "4", "5", "decoding", "7", "8", "9"])
      let expected: [Int64] = [1, 2, 4, 5, 7, 8, 9, 100]
      try context.expectEqual(try await store.fetch(Fickle.all).map(\.id), expected)
    },
    ConformanceCase(
      async: "a graph of many objects shares no commit, one of a few does", "6.1", "6.8"
    ) {
      context in
      for (count, commits) in [(64, 3), (3, 2)] {
        let store = try context.open(
          Team.self, Coach.self, Player.self, League.self, options: unhurried)
        // Writers that run together come in no known order and share no known commit.
        guard store.runtime.concurrentWriters == nil else { return }
        let notices = Notices(store)
        let held = try await offThePool { try HeldWriter(store) { try $0.save(Team(0, "held")) } }
        let players = (1...count).map { Player(Int64($0)) }
        let operations: [@Sendable () async throws -> String] = [
          { try await store.save(Team(0, "a", players: ToMany(players))).name },
          { try await store.save(Team(0, "b")).name },
          { try await store.save(Team(0, "c")).name },
        ]
        let results = try await held.finish(before: operations)
        try context.expectEqual(try results.map { try $0.get() }, ["a", "b", "c"])
        let seen = try await offThePool { notices.wait(for: commits) }
        try context.expectEqual(seen.count, commits, "commits with \(count) players")
      }
    },
    ConformanceCase(
      async: "a deletion that changes other rows shares no commit, one of a row alone does", "6.1",
      "6.8"
    ) { context in
      let store = try context.open(
        Team.self, Coach.self, Player.self, League.self, Snack.self, options: unhurried)
      // Writers that run together come in no known order and share no known commit.
      guard store.runtime.concurrentWriters == nil else { return }
      try await store.save([
        Team(1, "a", players: ToMany([Player(1), Player(2)])), Team(2, "b"), Team(3, "c"),
      ])
      try await store.save((1...3).map { Snack($0) })
      func commits(
        _ expected: Int, _ deletion: @escaping @Sendable (Int64) async throws -> Bool
      ) async throws {
        let notices = Notices(store)
        let held = try await offThePool {
          try HeldWriter(store) { try $0.save(Snack(100, stock: expected)) }
        }
        let results = try await held.finish(
          before: (Int64(1)...3).map { id in { try await deletion(id) } })
        try context.expectEqual(try results.map { try $0.get() }, [true, true, true])
        let seen = try await offThePool { notices.wait(for: expected) }
        try context.expectEqual(seen.count, expected, "the writer that was held, and the others")
      }
      try await commits(4) { try await store.delete(Team.self, id: $0) }
      try await commits(2) { try await store.delete(Snack.self, id: $0) }
      try context.expectEqual(try await store.count(Player.self), 2)
    },
    ConformanceCase(
      async: "when a shared commit fails, each operation runs alone", "6.4", "6.6", "6.8"
    ) {
      context in
      let inner = try context.open(Snack.self, options: unhurried)
      // Writers that run together come in no known order and share no known commit.
      guard inner.runtime.concurrentWriters == nil else { return }
      let store = FaultyStore(inner)
      let notices = Notices(inner)
      let held = try await offThePool { try HeldWriter(inner) { try $0.save(Snack(1)) } }
      // The referrer's own commit comes first; it goes past the one that fails.
      store.add(.fail(.commit, with: StoreError(.full, "no room, says the case")))
      let results = try await held.finish(
        before: (1...6).map { number in
          { try await store.insert(Snack(Int64(number), stock: number)) }
        })
      // The first leads and shares nothing, since it is refused before it commits.
      try context.expectEqual(
        results.map { $0.mapError(Self.asStoreError) }.map(Self.text),
        ["duplicate", "2", "3", "4", "5", "6"])
      try context.expectEqual(try await store.fetch(Snack.all).map(\.id), Array(1...6))
      let seen = try await offThePool { notices.wait(for: 6) }
      try context.expectEqual(seen.count, 6, "the referrer's, and one for each that ran alone")
    },
    ConformanceCase(
      async: "operations with hooks never run twice: a shared commit fails for all", "6.4", "6.8"
    ) {
      context in
      let inner = try context.open(Memo.self, Line.self, options: unhurried)
      // Writers that run together come in no known order and share no known commit.
      guard inner.runtime.concurrentWriters == nil else { return }
      let store = FaultyStore(inner)
      let held = try await offThePool { try HeldWriter(inner) { try $0.save(Line("held")) } }
      store.add(.fail(.commit, with: StoreError(.full, "no room, says the case")))
      let results = try await held.finish(
        before: (1...4).map { number in { try await store.insert(Memo(Int64(number), "m")) } })
      let codes = results.map { result -> StoreError.Code? in
        if case .failure(let error) = result { (error as? StoreError)?.code } else { nil }
      }
      try context.expectEqual(codes, [.full, .full, .full, .full])
      try context.expectEqual(try await store.count(Memo.self), 0)
      try context.expectEqual(try await store.count(Line.self), 1)
      try await store.insert(Memo(9, "later"))
      try context.expectEqual(try await store.count(Memo.self), 1)
    },
    ConformanceCase(
      async: "blocks that name their rows share a commit, and run once", "6.4", "6.8"
    ) {
      context in
      for fails in [false, true] {
        let inner = try context.open(Snack.self, options: unhurried)
        // Stores with many writers run blocks again.
        guard inner.runtime.concurrentWriters == nil else { return }
        let store = FaultyStore(inner)
        let notices = Notices(inner)
        let outcomes = Outcomes<Int64>(4)
        let runs = Shared(0)
        let held = try await offThePool { try HeldWriter(inner) { try $0.save(Snack(100)) } }
        if fails { store.add(.fail(.commit, with: StoreError(.full, "no room, says the case"))) }
        for number in Int64(1)...4 {
          store.write(rows: 2, on: outcomes.queue) { tx in
            runs.change { $0 += 1 }
            let saved = try tx.save(Snack(number))
            // The third fails with its row written.
            if number == 3 { try tx.insert(Snack(1)) }
            return saved.id
          } completion: {
            outcomes.note($0)
          }
        }
        try await offThePool { try held.finish() }
        let results = try await offThePool { try outcomes.all() }
        try context.expectEqual(runs.value, 4, "each once")
        try await context.expectOneCommit(of: results, fails: fails, in: store, notices)
      }
    },
    ConformanceCase(
      async: "async blocks that name their rows share a commit, and run once", "6.4", "6.8"
    ) {
      context in
      for fails in [false, true] {
        let inner = try context.open(Snack.self, options: unhurried)
        // Stores with many writers run blocks again.
        guard inner.runtime.concurrentWriters == nil else { return }
        let store = FaultyStore(inner)
        let notices = Notices(inner)
        let runs = Shared(0)
        let held = try await offThePool { try HeldWriter(inner) { try $0.save(Snack(100)) } }
        if fails { store.add(.fail(.commit, with: StoreError(.full, "no room, says the case"))) }
        let results = try await held.finish(
          before: (Int64(1)...4).map { number in
            {
              try await store.write(rows: 2) { tx in
                runs.change { $0 += 1 }
                let saved = try tx.save(Snack(number))
                // The third fails with its row written.
                if number == 3 { try tx.insert(Snack(1)) }
                return saved.id
              }
            }
          })
        try context.expectEqual(runs.value, 4, "each once")
        try await context.expectOneCommit(of: results, fails: fails, in: store, notices)
      }
    },
    ConformanceCase(
      async: "a save reported done among many that share commits is there", "6.4", "6.8"
    ) {
      context in
      let store = try context.open(Snack.self)
      let reported = Shared<Set<Int64>>([])
      await withTaskGroup(of: Void.self) { group in
        for number in Int64(0)..<240 {
          group.addTask {
            let task = Task { try await store.save(Snack(number)) }
            for _ in 0..<(number % 7) { await Task.yield() }
            if number % 3 == 0 { task.cancel() }
            if case .success = await task.result { reported.change { $0.insert(number) } }
          }
        }
      }
      try context.expectEqual(
        try await store.fetch(Snack.all).map(\.id), reported.value.sorted())
      try context.expect(reported.value.count >= 160, "those not cancelled are done")
    },
  ]

  /// Options under which all that wait join one commit, however slow the machine is.
  private static var unhurried: StoreOptions {
    var options = StoreOptions()
    options.joining = .seconds(600)
    return options
  }

  fileprivate static func asStoreError(_ error: any Error) -> StoreError {
    error as? StoreError ?? StoreError(.engine, "\(error)")
  }

  private static func text(_ result: Result<Snack, StoreError>) -> String {
    switch result {
    case .success(let snack): "\(snack.id)"
    case .failure(let error): error.code.rawValue
    }
  }
}

/// A model that cannot be read back with one of its texts, which is stored in another form than it
/// is given.
private struct Fickle: PrimaryKeyed {
  static let unreadable = "cafe\u{301}"

  var id: Int64
  var name: String

  init(_ id: Int64, _ name: String) {
    self.id = id
    self.name = name
  }

  static let entity = Entity<Fickle>("Fickle") {
    .key("id", \.id).attribute("name", \.name, .normalized)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    if name == Self.unreadable { throw StoreError(.decoding, "the case reads no such name") }
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
  }
}

extension ConformanceContext {
  /// Expects that blocks which save 1 to 4, of which the third fails, were committed together beside the 100
  /// of the writer before them, or were refused together.
  fileprivate func expectOneCommit(
    of results: [Result<Int64, any Error>], fails: Bool, in store: any Store, _ notices: Notices
  ) async throws {
    let texts = results.map { result in
      switch result {
      case .success(let id): "\(id)"
      case .failure(let error): ConformanceCase.asStoreError(error).code.rawValue
      }
    }
    try expectEqual(
      texts, fails ? ["full", "full", "duplicate", "full"] : ["1", "2", "duplicate", "4"])
    try expectEqual(
      try await store.fetch(Snack.all).map(\.id), fails ? [100] : [1, 2, 4, 100])
    let seen = try await offThePool { notices.wait(for: fails ? 1 : 2) }
    try expectEqual(seen.count, fails ? 1 : 2, "commits")
  }
}

/// Takes the results of blocks with a completion handler, in the order of their coming.
final class Outcomes<Value: Sendable>: Sendable {
  let queue = DispatchQueue(label: "conformance.outcomes")
  private let results = Shared<[Result<Value, any Error>]>([])
  private let done = Latch()
  private let count: Int

  init(_ count: Int) { self.count = count }

  func note(_ result: Result<Value, any Error>) {
    results.change { $0.append(result) }
    if results.value.count == count { done.open() }
  }

  /// All of them; blocks until they are there.
  func all() throws -> [Result<Value, any Error>] {
    try done.wait()
    return results.value
  }
}
