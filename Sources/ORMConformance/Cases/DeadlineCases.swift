internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 6.4 and 6.10: operations that end before their work is done.
  static let deadlines: [ConformanceCase] = [
    ConformanceCase(async: "a store's limit holds for operations, blocks and batches", "6.10") {
      context in
      var options = StoreOptions()
      options.operationLimit = .seconds(2)
      let store = try await offThePool { [options] in
        try context.openTangles(options: options)
      }
      let deep = try EndlessLoop<ReadTransaction>.combined
      try await offThePool {
        try context.expectEnd(of: "an operation", .deadlineExceeded) {
          _ = try store.fetch(Tangle.all.where(deep))
        }
        try context.expectEnd(of: "a write", .deadlineExceeded) {
          _ = try store.delete(Tangle.all.where(deep))
        }
        // A limit of the block's own replaces it.
        let count = try store.read(within: .seconds(60)) { transaction in
          Thread.sleep(forTimeInterval: 2.1)
          return try transaction.count(Tangle.self)
        }
        try context.expectEqual(count, ConformanceContext.tangles)
      }
      try await context.expectErrorAsync(.deadlineExceeded) {
        try await store.fetch(Tangle.all.where(deep))
      }
      try await context.expectErrorAsync(.deadlineExceeded) {
        for try await _ in store.stream(Tangle.all.where(deep)) {}
      }
      let outcome = await withCheckedContinuation { continuation in
        store.read(within: .milliseconds(100), on: .global()) {
          try $0.count(Tangle.all.where(deep))
        } completion: {
          continuation.resume(returning: $0)
        }
      }
      try context.expectError(.deadlineExceeded) { try outcome.get() }
      // A stream that is idle between two batches uses none of the time.
      var seen = 0
      for try await _ in store.stream(Tangle.all) {
        if seen % 300 == 0 { try await Task.sleep(for: .milliseconds(600)) }
        seen += 1
      }
      try context.expectEqual(seen, ConformanceContext.tangles)
      try await offThePool { try context.expectTangles(store) }
    },
    ConformanceCase(async: "a deadline includes the wait for a turn, and nothing runs then", "6.10")
    { context in
      let store = try context.open(Snack.self)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1)) } }
      let ran = Shared(false)
      try await offThePool {
        _ = try context.expectEnd(of: "a wait", .deadlineExceeded) {
          try store.write(within: .milliseconds(50)) { _ in ran.change { $0 = true } }
        }
      }
      try await context.expectErrorAsync(.deadlineExceeded) {
        try await store.write(within: .milliseconds(50)) { _ in ran.change { $0 = true } }
      }
      let outcome = await withCheckedContinuation { continuation in
        store.write(within: .milliseconds(50), on: .global()) { _ in
          ran.change { $0 = true }
        } completion: {
          continuation.resume(returning: $0)
        }
      }
      try context.expectError(.deadlineExceeded) { try outcome.get() }
      try context.expectEqual(ran.value, false)
      try await offThePool { try held.finish() }
      try context.expectEqual(try await store.fetch(Snack.all).map(\.id), [1])
    },
    ConformanceCase("a block inside of a block ends by the earlier deadline", "6.3", "6.10") {
      context in
      let store = try context.open(Snack.self)
      try store.write { transaction in
        try transaction.save(Snack(1))
        try context.expectError(.deadlineExceeded) {
          try store.write(within: .milliseconds(20)) { inner in
            try inner.save(Snack(2))
            Thread.sleep(forTimeInterval: 0.05)
          }
        }
        // The inner block is undone, and the outer one goes on.
        try transaction.save(Snack(3))
        try context.expectError(.deadlineExceeded) {
          try store.read(within: .milliseconds(20)) { _ in Thread.sleep(forTimeInterval: 0.05) }
        }
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 3])
      try context.expectError(.deadlineExceeded) {
        try store.write(within: .milliseconds(20)) { transaction in
          try transaction.save(Snack(4))
          Thread.sleep(forTimeInterval: 0.05)
          // However long the inner block may take.
          try store.write(within: .seconds(60)) { try $0.save(Snack(5)) }
        }
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 3])
    },
    ConformanceCase("a read that is late throws, whatever its body caught", "6.10") { context in
      let store = try context.open(Snack.self)
      try context.expectError(.deadlineExceeded) {
        try store.read(within: .milliseconds(20)) { transaction in
          Thread.sleep(forTimeInterval: 0.05)
          for _ in 0..<100 { _ = try? transaction.count(Snack.self) }
        }
      }
      try context.expectError(.deadlineExceeded) {
        try store.read(within: .zero) { try $0.count(Snack.self) }
      }
      try context.expectEqual(
        try store.read(within: .seconds(60)) { try $0.count(Snack.self) }, 0)
    },
    ConformanceCase("an error of a block that is late is that of its deadline", "6.10") { context in
      let store = try context.open(Snack.self)
      let limit = Duration.milliseconds(20)
      // As a server answers a statement that was cancelled.
      func fail() throws {
        Thread.sleep(forTimeInterval: 0.05)
        throw StoreError(.busy, "the statement was cancelled")
      }
      try context.expectError(.deadlineExceeded) {
        try store.read(within: limit) { _ in try fail() }
      }
      try context.expectError(.deadlineExceeded) {
        try store.write(within: limit) { _ in try fail() }
      }
      try store.write { transaction in
        try context.expectError(.deadlineExceeded) {
          try store.read(within: limit) { _ in try fail() }
        }
        try context.expectError(.deadlineExceeded) {
          try store.write(within: limit) { _ in try fail() }
        }
        try context.expectError(.deadlineExceeded) {
          try RunningOperation.run(within: limit) { try fail() }
        }
        try transaction.save(Snack(1))
      }
      try context.expectEqual(try store.count(Snack.self), 1)
    },
    ConformanceCase("an error names the store, and says what to do", "7.7", "6.10") { context in
      let store = try context.open(Snack.self)
      do {
        try store.read(within: .zero) { _ = try $0.count(Snack.self) }
        throw context.failure("a read", expected: "deadlineExceeded", got: "success")
      } catch let error as StoreError {
        try context.expectEqual(error.code, .deadlineExceeded)
        try context.expectEqual(error.store, store.runtime.name)
        try context.expect(error.recoverySuggestion != nil, "no remedy")
      }
    },
    ConformanceCase("a scope ends what it runs: openings, checks and writes", "6.10") { context in
      let store = try context.openTangles()
      try context.expectEnd(of: "checks", .deadlineExceeded) {
        try RunningOperation.run(within: .milliseconds(100)) {
          for _ in 0..<10_000 { _ = try store.check() }
        }
      }
      try context.expectEnd(of: "saves", .deadlineExceeded) {
        try RunningOperation.run(within: .milliseconds(100)) {
          for _ in 0..<100_000 { try store.update(Tangle.all) { $0[\.weight] = $0[\.weight] } }
        }
      }
      let isEnded = Shared(false)
      do {
        try RunningOperation.run(unless: { isEnded.value }) {
          isEnded.change { $0 = true }
          try store.save(Fibre(9_000))
        }
        throw context.failure("a save", expected: "CancellationError", got: "success")
      } catch is CancellationError {}
      try context.expectTangles(store)
    },
    ConformanceCase("a scope ends a wait in the queue by its cancellation", "6.10") { context in
      let store = try context.open(Snack.self)
      let held = try HeldWriter(store) { try $0.save(Snack(1)) }
      let asked = Shared(0)
      let begun = ContinuousClock.now
      do {
        try RunningOperation.run(unless: {
          asked.change { $0 += 1 }
          return asked.value > 3
        }) { _ = try store.save(Snack(2)) }
        throw context.failure("a save", expected: "CancellationError", got: "success")
      } catch is CancellationError {}
      let time = ContinuousClock.now - begun
      try held.finish()
      try context.expect(time < .seconds(15), "it waited for \(time)")
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1])
    },
    ConformanceCase("a scope in a block ends its operations, and the block goes on", "6.10") {
      context in
      let store = try context.open(Snack.self)
      let count = 1_500
      try store.insert((1...Int64(count)).map { Snack($0, "a", stock: 0) })
      // Ended when it is asked for the second time, after the beginning.
      func ended(_ body: () throws -> Void) throws -> Bool {
        let asked = Shared(0)
        do {
          try RunningOperation.run(
            unless: {
              asked.change { $0 += 1 }
              return asked.value > 1
            }, body)
          return false
        } catch is CancellationError { return true }
      }
      try store.write { transaction in
        try transaction.save(Snack(2_001, "before"))
        let isEnded = try ended {
          try transaction.update(Snack.where { $0.name == "a" }) {
            $0[\.stock] = $0[\.stock] + 1
          }
        }
        try context.expectEqual(
          try transaction.count(Snack.where { $0.stock == 1 }), isEnded ? 0 : count,
          "all of the update or nothing")
        let isDeleteEnded = try ended { try transaction.delete(Snack.where { $0.name == "a" }) }
        try context.expectEqual(
          try transaction.count(Snack.where { $0.name == "a" }), isDeleteEnded ? count : 0,
          "all of the delete or nothing")
        try transaction.save(Snack(2_002, "after"))
      }
      try context.expectEqual(
        try store.fetch(Snack.where { $0.id > 2_000 }.sorted(by: .ascending(\.id))).map(\.name),
        ["before", "after"])
      try store.read { transaction in
        _ = try ended { _ = try transaction.fetch(Snack.where { $0.name.contains("a") }) }
        try context.expectEqual(
          try transaction.count(Snack.where { $0.id > 2_000 }), 2, "the read goes on")
      }
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase("a migration ends by its deadline, and the store is as it was", "10.4", "6.10")
    {
      context in
      func schema(_ version: Int) throws -> Schema {
        try Schema(
          entities: [
            EntityDescription(
              name: "Row",
              attributes: [AttributeDescription("id", .int64), AttributeDescription("a", .int64)],
              key: ["id"])
          ], version: version)
      }
      let store = try context.open(try schema(1))
      try store.write { transaction in
        try transaction.insert(
          (1...3_000).map { DynamicRow("Row", ["id": .int($0), "a": .int(0)]) })
      }
      let calls = Shared(0)
      let plan = MigrationPlan([
        .version(
          2,
          [
            .rows(of: "Row", named: "slow", revision: 1) { row in
              calls.change { $0 += 1 }
              Thread.sleep(forTimeInterval: 0.003)
              row["a"] = .int(1)
            }
          ])
      ])
      try context.expectError(.deadlineExceeded) {
        try RunningOperation.run(within: .milliseconds(200)) {
          try context.reopen(store, try schema(2), options: .migrating(plan))
        }
      }
      try context.expect(calls.value < 3_000, "the migration went on")
      let again = try context.reopen(store, try schema(1))
      let rows = try again.read { try $0.fetch(DynamicQuery("Row")) }
      try context.expectEqual(rows.count { $0["a"] == .int(0) }, 3_000)
    },
  ]
}
