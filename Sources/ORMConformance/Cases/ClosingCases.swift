internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clause 6.11: the end of a store, and the question whether it answers.
  static let closing: [ConformanceCase] = [
    ConformanceCase("a store answers a ping, also in blocks, and not once it is closed", "6.11") {
      context in
      let store = try context.open(Snack.self)
      try store.ping()
      try store.insert(Snack(1))
      try store.ping(within: .seconds(60))
      try store.read { _ in try store.ping() }
      try store.write { transaction in
        try transaction.save(Snack(2))
        try store.ping()
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 2])
      try context.expectError(.deadlineExceeded) { try store.ping(within: .nanoseconds(1)) }
      try store.ping()
      try store.close()
      try context.expectError(.closed) { try store.ping() }
    },
    ConformanceCase(async: "a ping does not wait for pending writes", "6.11", "6.2") { context in
      let store = try context.open(Snack.self)
      let release = Latch()
      let outcome = Shared<Result<Void, any Error>?>(nil)
      store.write(on: .global()) { transaction in
        try release.wait()
        try transaction.save(Snack(1))
      } completion: { result in
        outcome.change { $0 = result }
      }
      try await store.ping(within: .seconds(60))
      try await offThePool { try store.ping(within: .seconds(60)) }
      try context.expect(outcome.value == nil, "the write is pending")
      release.open()
      try context.expectEqual(try await store.count(Snack.self), 1)
      try await store.close()
      try await context.expectErrorAsync(.closed) { try await store.ping() }
    },
    ConformanceCase(
      async: "tasks that close a store wait for what runs, and hold no thread", "6.11"
    ) { context in
      let store = try context.open(Snack.self)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1)) } }
      let ended = Shared(0)
      // More tasks than the pool has threads.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<64 {
          group.addTask {
            try await store.close()
            ended.change { $0 += 1 }
          }
        }
        try await context.waitUntilClosed(store)
        try context.expectEqual(ended.value, 0)
        try await context.expectErrorAsync(.closed) { try await store.save(Snack(2)) }
        // The writes that were begun are committed.
        try await offThePool { try held.finish() }
        try await group.waitForAll()
      }
      try context.expectEqual(ended.value, 64)
      try await store.close()
      try await offThePool { try store.close() }
      try await context.expectErrorAsync(.closed) { try await store.count(Snack.self) }
    },
    ConformanceCase(
      async: "a store that cannot be closed yet lets nothing in, and is closed later", "6.11"
    ) { context in
      var options = StoreOptions()
      options.writerWait = .milliseconds(300)
      let store = try context.open(Snack.self, options: options)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1)) } }
      try await context.expectErrorAsync(.busy) { try await store.close() }
      try await context.expectErrorAsync(.closed) { try await store.count(Snack.self) }
      let task = Task { try await store.close() }
      task.cancel()
      do {
        try await task.value
        throw context.failure("a closing", expected: "CancellationError", got: "success")
      } catch is CancellationError {}
      try await offThePool { try held.finish() }
      try await store.close()
    },
  ]
}

extension ConformanceContext {
  /// Waits until a store lets nothing new in.
  fileprivate func waitUntilClosed(_ store: any Store) async throws {
    for _ in 0..<10_000 {
      do {
        try await store.ping()
        try await Task.sleep(for: .milliseconds(1))
      } catch let error as StoreError where error.code == .closed {
        return
      }
    }
    try expect(false, "the store is closed")
  }
}
