internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 13.5 and 13.6: the calls of instruments, and the warnings of a store.
  static let instruments: [ConformanceCase] = [
    ConformanceCase("an instrument sees each transaction once, named by its operation", "13.5") {
      context in
      let calls = RecordedCalls()
      let store = try context.open(Snack.self, instrument: calls)
      try store.insert((1...30).map { Snack($0, "Snack \($0)", stock: Int($0)) })
      _ = try store.find(Snack.self, 3)
      _ = try store.fetch(Snack.where { $0.stock <= 4 })
      _ = try store.count(Snack.where { $0.stock <= 4 })
      try store.update(Snack.where { $0.stock <= 2 }) { $0.name = "new" }
      try store.delete(Snack.where { $0.stock <= 1 })
      try context.expectEqual(
        calls.takeTransactions().map(\.line),
        [
          "write insert Snack: 0 returned, 30 written", "read find Snack: 1 returned, 0 written",
          "read fetch Snack: 4 returned, 0 written", "read aggregate Snack: 1 returned, 0 written",
          "write update Snack: 0 returned, 2 written", "write delete Snack: 0 returned, 1 written",
        ])
      try context.expectEqual(calls.takeOperations().count, 6)
      try context.expectError(.duplicate) { try store.insert(Snack(2)) }
      try context.expectEqual(calls.takeTransactions().map(\.errorCode), [.duplicate])
      // A block is a transaction with each of its requests, also if it throws.
      try context.expectError(.notFound) {
        try store.write { tx in
          try tx.save(Snack(100))
          _ = try tx.find(Snack.self, 100)
          throw StoreError(.notFound, "the end of the block")
        }
      }
      let blocks = calls.takeTransactions()
      try context.expectEqual(blocks.map(\.operations), [2])
      try context.expectEqual(blocks.map(\.errorCode), [.notFound])
      try context.expectEqual(blocks.map(\.isOperation), [false])
      try context.expectComplete(calls)
    },
    ConformanceCase(
      async: "an instrument sees tasks, handlers and streams once, also if they are cancelled",
      "13.5"
    ) { context in
      let calls = RecordedCalls()
      let store = try context.open(Snack.self, instrument: calls)
      try await store.insert((1...600).map { Snack($0, "Snack \($0)") })
      _ = try await store.find(Snack.self, 3)
      let saved: Int = try await completed { completion in
        store.write(on: .global()) { tx in
          try tx.save(Snack(700))
          return try tx.count(Snack.all)
        } completion: {
          completion($0)
        }
      }
      try context.expectEqual(saved, 601)
      try context.expectEqual(
        calls.takeTransactions().map(\.access), [.write, .read, .write], "async and handler")
      var count = 0
      for try await _ in store.stream(Snack.all) { count += 1 }
      for try await _ in store.stream(Snack.all) { break }
      let stopped = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await store.count(Snack.self)
      }
      do {
        _ = try await stopped.value
        throw context.failure("a task", expected: "CancellationError", got: "success")
      } catch is CancellationError {}
      // The work on a batch may release the iteration after the loop.
      for _ in 0..<10_000 where calls.openCount > 0 {
        try await Task.sleep(for: .milliseconds(1))
      }
      try context.expectEqual(count, 601)
      let ends = calls.takeTransactions()
      let streams = ends.filter { $0.access == .stream }
      try context.expectEqual(streams.count, 2, "streams")
      try context.expectEqual(streams.map(\.rowsReturned).max(), 601)
      try context.expectEqual(
        ends.filter { $0.access == .read }.compactMap(\.errorCode?.rawValue), ["cancelled"])
      try context.expectComplete(calls)
    },
    ConformanceCase("one query a row is warned of once, with the prefetch that replaces it", "13.5")
    { context in
      let calls = RecordedCalls()
      let store = try context.open(
        Team.self, Coach.self, League.self, Player.self, instrument: calls)
      let keys = try store.save((1...20).map { Team(0, "Team \($0)") }).keys
      try store.save(keys.map { Player($0, "Player of \($0)", team: .key($0)) })
      try context.expectEqual(calls.takeWarnings().map(\.description), [], "batches")
      for _ in 1...2 {
        try store.read { tx in
          for player in try tx.fetch(Player.all) {
            guard let key = player.team.id else { continue }
            _ = try tx.find(Team.self, key)
          }
        }
      }
      try context.expectEqual(
        calls.takeWarnings().map(\.description),
        [
          "A block sent 20 requests of one shape, as one query a row does: find Team where "
            + "id == $0. Remedy: fetch the rows with `Player.all.prefetch(\\.team)`."
        ])
      try store.read { tx in
        for team in try tx.fetch(Team.all) { _ = try tx.load(team, \.players) }
      }
      try context.expectEqual(
        calls.takeWarnings().compactMap(\.remedy),
        ["fetch the rows with `Team.all.prefetch(\\.players)`"])
      // The remedies, and 19 rows.
      try store.read { tx in
        _ = try tx.fetch(Player.all.prefetch(\.team))
        _ = try tx.load(tx.fetch(Team.all), \.players)
        for key in keys.dropFirst() {
          _ = try tx.find(Team.self, key, prefetch: \.coach)
        }
      }
      try context.expectEqual(calls.takeWarnings().map(\.description), [], "the remedies")
      try context.expectComplete(calls)
    },
    ConformanceCase("one save a row is warned of once, with the array that replaces it", "13.5") {
      context in
      let calls = RecordedCalls()
      let store = try context.open(Snack.self, instrument: calls)
      for _ in 1...2 {
        try store.write { tx in
          for number in 1...50 { try tx.save(Snack(Int64(number))) }
        }
      }
      try context.expectEqual(
        calls.takeWarnings().map(\.description),
        [
          "A block wrote 50 rows of Snack one by one. Remedy: collect them and pass the array to "
            + "one call."
        ])
      try store.write { tx in
        try tx.save((1...500).map { Snack($0, "again") })
        for number in 1...49 { try tx.insert(Snack(Int64(1_000 + number))) }
      }
      try context.expectEqual(calls.takeWarnings().map(\.description), [], "the remedy")
      try context.expectComplete(calls)
    },
    ConformanceCase("the requests of one save of objects with links are no loop", "13.5") {
      context in
      let calls = RecordedCalls()
      let store = try context.open(
        Team.self, Coach.self, League.self, Player.self, instrument: calls)
      let teams = (1...60).map { number in
        Team(
          0, "Team \(number)", coach: ToOne(Coach("Coach \(number)")),
          players: ToMany([Player(Int64(number), "Player \(number)")]))
      }
      try store.write { tx in try tx.save(teams) }
      try store.write { tx in try tx.delete(tx.fetch(Team.all)) }
      try context.expectEqual(calls.takeWarnings().map(\.description), [])
      try context.expectComplete(calls)
    },
    ConformanceCase(
      async: "slow operations, held snapshots and the main thread are warned of", "13.5"
    ) { context in
      let calls = RecordedCalls()
      let store = try context.open(Snack.self, instrument: calls) {
        $0.instrumentLimits.slowOperation = .zero
        $0.instrumentLimits.heldSnapshot = .zero
        $0.instrumentLimits.mainThread = .zero
      }
      try await store.insert((1...600).map { Snack($0, "Snack \($0)") })
      _ = try await calls.takeWarnings(1)
      for _ in 1...2 { _ = try await store.fetch(Snack.where { $0.taste == "sweet" }) }
      let slow = try await calls.takeWarnings(1)
      try context.expectEqual(slow.map(\.kind), [.slowOperation])
      let start = "A slow operation: fetch Snack where taste == $0"
      try context.expect(slow.first?.message.hasPrefix(start) == true, "\(slow)")
      for try await _ in store.stream(Snack.all) {}
      let held = calls.takeWarnings().filter { $0.kind == .heldSnapshot }
      try context.expectEqual(held.map(\.entity), ["Snack"])
      // A call off the main thread does not hold it; an async call from it does not either.
      try await offThePool { _ = try store.find(Snack.self, 1) }
      _ = try await countOnMainActor(store)
      try context.expectEqual(
        calls.takeWarnings().filter { $0.kind == .blockedMainThread }.map(\.description), [])
      try await blockMainActor(store)
      let blocked = calls.takeWarnings().filter { $0.kind == .blockedMainThread }
      try context.expectEqual(blocked.map(\.entity), ["Snack"])
      try context.expectComplete(calls)
    },
    ConformanceCase("no text for an instrument has a value of a row", "13.6") { context in
      let calls = RecordedCalls()
      let store = try context.open(Snack.self, instrument: calls) {
        $0.instrumentLimits.slowOperation = .zero
        $0.instrumentLimits.droppedRows = 0
      }
      try store.insert((1...30).map { Snack($0, "secret \($0)", taste: "secret") })
      try store.read { tx in
        for number in 1...25 {
          _ = try tx.fetch(Snack.where { $0.name == "secret \(number)" })
          _ = try tx.fetch(Snack.where { $0.name.contains("secret \(number)") })
          _ = try tx.fetch(Snack.all.where("name BEGINSWITH[c] 'secret'"))
          _ = try tx.count(Snack.where { $0.name.isIn(["secret a", "secret b"]) })
        }
      }
      try store.update(Snack.where { $0.taste == "secret" }) { $0.name = "secret too" }
      _ = try context.expectError(.duplicate) { try store.insert(Snack(1, "secret again")) }
      var texts = calls.takeWarnings().map { "\($0)" }
      try context.expect(!texts.isEmpty, "there are warnings")
      for operation in calls.takeOperations() {
        texts += ["\(operation)", operation.summary, operation.statement ?? ""]
      }
      texts += calls.takeTransactions().map { "\($0)" }
      try context.expectEqual(texts.filter { $0.contains("secret") }, [])
    },
    ConformanceCase("an instrument may use the store, and changes no block", "13.5") { context in
      let count = Shared(0)
      let errors = Shared<[String]>([])
      let opened = Shared<(any Store)?>(nil)
      let calls = RecordedCalls { _ in
        guard let store = opened.value else { return }
        let found = (try? store.count(Snack.self)) ?? -1
        count.change { $0 = found }
      } whenRequestEnded: { _ in
        guard let store = opened.value else { return }
        do {
          try store.save(Snack(1_000))
        } catch {
          let code = (error as? StoreError)?.code.rawValue ?? "\(error)"
          errors.change { $0.append(code) }
        }
      }
      let store = try context.open(Snack.self, instrument: calls)
      opened.change { $0 = store }
      try store.write { tx in
        try tx.insert(Snack(1))
        try tx.insert(Snack(2))
      }
      opened.change { $0 = nil }
      try context.expectEqual(count.value, 2, "rows at the end")
      try context.expectEqual(errors.value, ["reentrancy", "reentrancy"])
      // The calls of the instrument are not reported.
      try context.expectEqual(calls.takeTransactions().map(\.operations), [2])
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 2])
      try context.expectComplete(calls)
    },
  ]
}

extension TransactionFacts {
  /// The parts that are the same on every store.
  fileprivate var line: String {
    let name = [access.rawValue, operation?.rawValue ?? "nothing", entity ?? ""]
    return name.joined(separator: " ") + ": \(rowsReturned) returned, \(rowsWritten) written"
  }
}

/// Counts by the async form on the main actor.
@MainActor private func countOnMainActor(_ store: any Store) async throws -> Int {
  try await store.count(Snack.self)
}

/// Counts by the blocking form on the main actor.
@MainActor private func blockMainActor(_ store: any Store) throws {
  let count: () throws -> Int = { try store.count(Snack.self) }
  _ = try count()
}
