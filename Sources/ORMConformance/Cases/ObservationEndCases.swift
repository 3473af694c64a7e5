internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// An object whose end shows that its holder was released.
private final class HeldToken: Sendable {}

extension ConformanceCase {
  /// Section 11: observations as sequences, and their ends.
  static let observationEnds: [ConformanceCase] = [
    ConformanceCase("an observation that ends frees all that it held", "11.14") { context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      let scheduler = store.runtime.transactions
      weak var token: HeldToken?
      do {
        let held = HeldToken()
        token = held
        let block = try store.observe { tx in
          _ = held
          return try tx.count(Snack.self)
        }.follow()
        let query = try store.observe(Snack.all).follow()
        try context.expectEqual(try block.take(), [1])
        try context.expectEqual(try query.take().count, 1)
        try context.expect(scheduler.recordsChanges, "changes are recorded for observations")
        try context.expectEqual(scheduler.observerCount, 2)
        query.cancel()
        query.cancel()
        try context.expect(query.isEnded, "cancelled")
        try store.insert(Snack(2, "b"))
        try context.expectEqual(try query.take().count, 0, "nothing after the end")
        try context.expectEqual(try block.take(), [2])
      }
      scheduler.drainNotices()
      try context.expect(token == nil, "the block is freed")
      try context.expectEqual(scheduler.observerCount, 0)
      try context.expect(!scheduler.recordsChanges, "no observer asks for changes")
    },
    ConformanceCase("an observation holds no snapshot between values", "11.14") { context in
      var options = StoreOptions()
      options.readers = 1
      options.readerWait = .seconds(5)
      let store = try context.open(Snack.self, options: options)
      try store.insert(Snack(1, "a"))
      let seen = try (0..<20).map { _ in try store.observe(Snack.all).follow() }
      for follower in seen { try context.expectEqual(try follower.take().count, 1) }
      try context.expectEqual(try store.count(Snack.self), 1, "the only reader slot is free")
      try store.insert(Snack(2, "b"))
      for follower in seen { try context.expectEqual(try follower.take().map(\.count), [2]) }
      try store.close()
      store.runtime.transactions.drainNotices()
      try context.expect(seen.allSatisfy(\.isEnded), "a store that is closed ends them")
    },
    ConformanceCase("an observation whose reader waits too long ends with busy", "6.3", "11.14") {
      context in
      var options = StoreOptions()
      options.readers = 1
      options.readerWait = .milliseconds(400)
      let store = try context.open(Snack.self, options: options)
      try store.insert(Snack(1, "a"))
      let other = try store.observe(Snack.all).follow()
      try context.expectEqual(try other.take().map(\.count), [1])
      try store.read { _ in
        let seen = try store.observe(Snack.all).follow()
        try context.expectError(.busy) { try seen.take() }
        try context.expect(seen.isEnded, "it has ended")
      }
      try store.insert(Snack(2, "b"))
      try context.expectEqual(try other.take().map(\.count), [2], "others go on")
    },
    ConformanceCase("an error ends the observation that has it", "11.6", "11.14") { context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      let failing = try store.observe { tx in
        guard try tx.count(Snack.self) < 2 else { throw StoreError(.invalidValue, "two") }
        return 0
      }.follow()
      let other = try store.observe(count: Snack.all).follow()
      try context.expectEqual(try failing.take(), [0])
      try context.expectEqual(try other.take(), [1])
      try store.insert(Snack(2, "b"))
      try context.expectError(.invalidValue) { try failing.take() }
      try context.expect(failing.isEnded, "the error ends it")
      try context.expectEqual(try failing.take(), [], "once")
      try context.expectEqual(try other.take(), [2], "others go on")
      let wrong = try store.observe(Snack.all.page(-1, size: 1)).follow()
      try context.expectError(.invalidPage) { try wrong.take() }
      let missing = try store.observe(Word.all).follow()
      try context.expectError(.unknownEntity) { try missing.take() }
      try context.expectEqual(store.runtime.transactions.observerCount, 1)
    },
    ConformanceCase(async: "an observation is a sequence of values", "11.6", "11.14") { context in
      let store = try context.open(Snack.self)
      try await store.insert(Snack(1, "a"))
      var names = store.observe(Snack.all.select(\.name)).makeAsyncIterator()
      try context.expectEqual(try await names.next(), ["a"])
      for name in ["b", "c", "d"] {
        try await store.update(Snack.all) { $0.name = name }
        try context.expectEqual(try await names.next(), [name])
      }
      let task = Task {
        var counts: [Int] = []
        for try await count in store.observe(count: Snack.all) { counts.append(count) }
        return counts
      }
      try await Task.sleep(for: .milliseconds(30))
      task.cancel()
      try context.expect(try await task.value.count <= 1, "cancelled")
      try await offThePool { try store.close() }
      try context.expect(try await names.next() == nil, "the end")
      try context.expect(try await names.next() == nil, "still the end")
      var late = store.observe(Snack.all).makeAsyncIterator()
      try await context.expectErrorAsync(.closed) { try await late.next() }
    },
    ConformanceCase(async: "a consumer that waits gets each value", "11.6", "11.14") { context in
      let store = try context.open(Snack.self)
      let consumer = Task {
        var seen: [[Int64]] = []
        for try await ids in store.observe(Snack.all.sorted(by: .descending(\.id))) {
          seen.append(ids.map(\.id))
          if ids.count == 5 { break }
        }
        return seen
      }
      for id in Int64(1)...5 { try await store.insert(Snack(id)) }
      let seen = try await consumer.value
      try context.expectEqual(seen.last, [5, 4, 3, 2, 1])
      for (before, after) in zip(seen, seen.dropFirst()) {
        try context.expect(before.count < after.count, "in the order of the commits, none twice")
      }
      store.runtime.transactions.drainNotices()
      try context.expectEqual(store.runtime.transactions.observerCount, 0, "ended by break")
    },
    ConformanceCase(
      async: "a callback has the values on its queue until it is let go", "11.6", "11.14"
    ) {
      context in
      let store = try context.open(Snack.self)
      let queue = DispatchQueue(label: "ORMConformance.callback")
      let counts = Shared<[Int]>([])
      let failures = Shared<[StoreError.Code]>([])
      func wait(_ holds: @escaping @Sendable () -> Bool) async throws {
        for _ in 0..<3_000 where !holds() { try await Task.sleep(for: .milliseconds(10)) }
        try context.expect(holds(), "the handler is called")
      }
      var hold: ObservationHold? = store.observe(count: Snack.all).callback(on: queue) { result in
        if case .success(let count) = result { counts.change { $0.append(count) } }
      }
      try await wait { counts.value == [0] }
      try await store.insert(Snack(1))
      try await wait { counts.value == [0, 1] }
      hold?.cancel()
      hold = nil
      try await store.insert(Snack(2))
      store.runtime.transactions.drainNotices()
      queue.sync {}
      try context.expectEqual(counts.value, [0, 1], "let go")
      let failing = store.observe(Word.all).callback(on: queue) { result in
        if case .failure(let error as StoreError) = result {
          failures.change { $0.append(error.code) }
        }
      }
      try await wait { failures.value == [.unknownEntity] }
      failing.cancel()
    },
  ]
}
