internal import Dispatch
internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 6.1, 6.4, 6.5 and 6.6 for operations that stand in line together, and are committed together.
  static let sharedCommits: [ConformanceCase] = [
    ConformanceCase(
      async: "operations that wait together share commits, each with an outcome of its own", "6.1",
      "6.5", "6.8"
    ) { context in
      let store = try context.open(Snack.self)
      try await store.save(Snack(0))
      let notices = Notices(store)
      let outcomes = Outcomes<Snack>(200)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1_000)) } }
      for number in 1...200 {
        // Every tenth is refused.
        let snack = Snack(number % 10 == 0 ? 0 : Int64(number), stock: number)
        store.insert(snack, on: outcomes.queue) { outcomes.note($0) }
      }
      try await offThePool { try held.finish() }
      let results = try await offThePool { try outcomes.all() }
      let expected = (1...200).map { $0 % 10 == 0 ? "duplicate" : "\($0)" }
      try context.expectEqual(
        results.map { $0.mapError(Self.asStoreError) }.map(Self.text), expected)
      try context.expectEqual(try await store.count(Snack.self), 182)
      try context.expectEqual(try await store.find(Snack.self, 0)?.stock, nil)
      let seen = try await offThePool { notices.wait(for: 2) }
      try context.expect(
        seen.count < 100, "182 rows in few commits, got \(seen.count)")
    },
    ConformanceCase(
      async: "each operation of a shared commit sees those before it, and blocks keep their place",
      "6.1", "6.8"
    ) { context in
      let store = try context.open(Snack.self)
      let outcomes = Outcomes<Snack>(3)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1, stock: 1)) } }
      store.insert(Snack(2, stock: 5), on: outcomes.queue) { outcomes.note($0) }
      store.patch(Snack.self, 2, { $0[\.stock] = $0[\.stock] + 1 }, on: outcomes.queue)
      store.update(Snack.all, { $0[\.stock] = $0[\.stock] * 10 }, on: outcomes.queue)
      store.patch(Snack.self, 2, { $0[\.stock] = $0[\.stock] + 1 }, on: outcomes.queue)
      store.update(Snack(2, "b", stock: 7), on: outcomes.queue) { outcomes.note($0) }
      store.patch(Snack.self, 1, { $0[\.stock] = $0[\.stock] + 2 }, on: outcomes.queue)
      store.insert(Snack(3, stock: 2), on: outcomes.queue) { outcomes.note($0) }
      try await offThePool { try held.finish() }
      _ = try await offThePool { try outcomes.all() }
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
      let outcomes = Outcomes<Int64>(9)
      let held = try await offThePool {
        try HeldWriter(store) { try $0.save([Fickle(100, "held")]) }
      }
      for number in Int64(1)...9 {
        switch number {
        case 3:
          // The second row is taken, when the first is written.
          store.insert([Fickle(30, "a"), Fickle(100, "b")], on: outcomes.queue) { result in
            outcomes.note(result.map { _ in 3 })
          }
        case 6:
          // What is stored cannot be read back.
          store.insert(Fickle(6, Fickle.unreadable), on: outcomes.queue) { result in
            outcomes.note(result.map(\.id))
          }
        default:
          store.insert(Fickle(number, "n\(number)"), on: outcomes.queue) { result in
            outcomes.note(result.map(\.id))
          }
        }
      }
      try await offThePool { try held.finish() }
      let results = try await offThePool { try outcomes.all() }
      let texts = results.map { result in
        switch result {
        case .success(let id): "\(id)"
        case .failure(let error): Self.asStoreError(error).code.rawValue
        }
      }
      // Handlers of different commits may be called in any order.
      try context.expectEqual(
        texts.sorted(), ["1", "2", "4", "5", "7", "8", "9", "decoding", "duplicate"])
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
        let notices = Notices(store)
        let outcomes = Outcomes<Team>(3)
        let held = try await offThePool { try HeldWriter(store) { try $0.save(Team(0, "held")) } }
        let players = (1...count).map { Player(Int64($0)) }
        store.save(Team(0, "a", players: ToMany(players)), on: outcomes.queue) { outcomes.note($0) }
        for name in ["b", "c"] {
          store.save(Team(0, name), on: outcomes.queue) { outcomes.note($0) }
        }
        try await offThePool { try held.finish() }
        _ = try await offThePool { try outcomes.all() }
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
      try await store.save([
        Team(1, "a", players: ToMany([Player(1), Player(2)])), Team(2, "b"), Team(3, "c"),
      ])
      try await store.save((1...3).map { Snack($0) })
      func commits(
        _ expected: Int,
        _ deletion: (Int64, @escaping @Sendable (Result<Bool, any Error>) -> Void) -> Void
      ) async throws {
        let notices = Notices(store)
        let outcomes = Outcomes<Bool>(3)
        let held = try await offThePool {
          try HeldWriter(store) { try $0.save(Snack(100, stock: expected)) }
        }
        for id in Int64(1)...3 { deletion(id) { outcomes.note($0) } }
        try await offThePool { try held.finish() }
        let results = try await offThePool { try outcomes.all() }
        try context.expectEqual(try results.map { try $0.get() }, [true, true, true])
        let seen = try await offThePool { notices.wait(for: expected) }
        try context.expectEqual(seen.count, expected, "the writer that was held, and the others")
      }
      let queue = DispatchQueue(label: "strata.conformance.deletions")
      try await commits(4) { store.delete(Team.self, id: $0, on: queue, $1) }
      try await commits(2) { store.delete(Snack.self, id: $0, on: queue, $1) }
      try context.expectEqual(try await store.count(Player.self), 2)
    },
    ConformanceCase(
      async: "when a shared commit fails, each operation runs alone", "6.4", "6.6", "6.8"
    ) {
      context in
      let inner = try context.open(Snack.self, options: unhurried)
      let store = CountingStore(inner)
      let notices = Notices(inner)
      let outcomes = Outcomes<Snack>(6)
      let held = try await offThePool { try HeldWriter(inner) { try $0.save(Snack(1)) } }
      // The referrer's own commit comes first; it goes past the one that fails.
      store.failNextCommit(StoreError(.full, "no room, says the case"))
      for number in 1...6 {
        store.insert(Snack(Int64(number), stock: number), on: outcomes.queue) { outcomes.note($0) }
      }
      try await offThePool { try held.finish() }
      let results = try await offThePool { try outcomes.all() }
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
      let store = CountingStore(inner)
      let outcomes = Outcomes<Memo>(4)
      let held = try await offThePool { try HeldWriter(inner) { try $0.save(Line("held")) } }
      store.failNextCommit(StoreError(.full, "no room, says the case"))
      for number in 1...4 {
        store.insert(Memo(Int64(number), "m"), on: outcomes.queue) { outcomes.note($0) }
      }
      try await offThePool { try held.finish() }
      let results = try await offThePool { try outcomes.all() }
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
        let store = CountingStore(inner)
        let notices = Notices(inner)
        let outcomes = Outcomes<Int64>(4)
        let runs = Shared(0)
        let held = try await offThePool { try HeldWriter(inner) { try $0.save(Snack(100)) } }
        if fails { store.failNextCommit(StoreError(.full, "no room, says the case")) }
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
        let texts = results.map { result in
          switch result {
          case .success(let id): "\(id)"
          case .failure(let error): Self.asStoreError(error).code.rawValue
          }
        }
        try context.expectEqual(
          texts, fails ? ["full", "full", "duplicate", "full"] : ["1", "2", "duplicate", "4"])
        try context.expectEqual(runs.value, 4, "each once")
        try context.expectEqual(
          try await store.fetch(Snack.all).map(\.id), fails ? [100] : [1, 2, 4, 100])
        let seen = try await offThePool { notices.wait(for: fails ? 1 : 2) }
        try context.expectEqual(seen.count, fails ? 1 : 2, "commits")
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

  private static func asStoreError(_ error: any Error) -> StoreError {
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

/// Takes the outcomes of completion overloads, in the order of their coming.
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
