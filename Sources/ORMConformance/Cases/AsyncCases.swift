internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 6.4 and 6.7, and the asynchronous operations.
  static let asynchronous: [ConformanceCase] = [
    ConformanceCase(async: "the asynchronous operations do as the synchronous ones", "5.1", "6.2") {
      context in
      let store = try context.open(Snack.self, Ticket.self)
      let saved = try await store.save(Snack(1, "a", stock: 2))
      try context.expectEqual(saved, Snack(1, "a", stock: 2))
      let result = try await store.save([Snack(2, "b", stock: 3), Snack(1, "a", stock: 2)])
      try context.expectEqual(result.unchanged, 1)
      try context.expectEqual(try await store.find(Snack.self, 2)?.name, "b")
      try context.expectEqual(try await store.fetch(Snack.all).map(\.id), [1, 2])
      try context.expectEqual(try await store.count(Snack.self), 2)
      try context.expectEqual(try await store.sum(Snack.all, \.stock), 5)
      try context.expectEqual(
        try await store.update(Snack.all) { $0[\.stock] = $0[\.stock] + 1 }, 2)
      try context.expectEqual(try await store.max(Snack.all, \.stock), 4)
      try context.expectEqual(try await store.save(Ticket("t")).id, 1)
      try await context.expectErrorAsync(.duplicate) { try await store.insert(Snack(1)) }
      try await context.expectErrorAsync(.notFound) { try await store.update(Snack(9)) }
      let count = try await store.write { tx in
        try tx.save(Snack(3))
        return try tx.count(Snack.self)
      }
      try context.expectEqual(count, 3)
      try context.expectEqual(try await store.read { try $0.count(Snack.self) }, 3)
      try context.expectEqual(try await store.delete(Snack.all.where { $0.id < 3 }), 2)
      try context.expectEqual(try await store.deleteAll(Snack.self), 1)
    },
    ConformanceCase(async: "a read of any freshness sees what this process committed", "9.7") {
      context in
      let store = try context.open(Snack.self)
      let freshnesses: [ReadFreshness] = [.newest, .own, .within(.zero), .within(.seconds(60))]
      for (number, freshness) in freshnesses.enumerated() {
        try await store.save(Snack(Int64(number), "a", stock: 1))
        let count = try await store.read(freshness: freshness) { try $0.count(Snack.self) }
        try context.expectEqual(count, number + 1)
        let found = try await offThePool {
          try store.write { tx in
            try tx.save(Snack(Int64(number), "b", stock: 2))
            // In a block of its thread a read shares the view.
            return try store.read(freshness: freshness) { inner in
              try inner.find(Snack.self, Int64(number))?.name
            }
          }
        }
        try context.expectEqual(found, "b")
        let name = try await offThePool {
          try store.read(freshness: freshness) { try $0.find(Snack.self, Int64(number))?.name }
        }
        try context.expectEqual(name, "b")
        let handed = await withCheckedContinuation { continuation in
          store.read(freshness: freshness, on: .global()) { tx in
            try tx.sum(Snack.all, \.stock)
          } completion: {
            continuation.resume(returning: $0)
          }
        }
        try context.expectEqual(try handed.get(), (number + 1) * 2)
      }
    },
    ConformanceCase(async: "many tasks write; every write is stored", "6.1", "6.2") { context in
      let store = try context.open(Snack.self)
      try await store.save(Snack(0, stock: 0))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...40 {
          group.addTask {
            try await store.save(Snack(Int64(number)))
            try await store.update(Snack.all.where { $0.id == 0 }) {
              $0[\.stock] = $0[\.stock] + 1
            }
            guard try await store.find(Snack.self, Int64(number)) != nil else {
              throw context.failure("a read after a write", expected: "the row", got: "nil")
            }
          }
        }
        try await group.waitForAll()
      }
      try context.expectEqual(try await store.find(Snack.self, 0)?.stock, 40)
      try context.expectEqual(try await store.count(Snack.self), 41)
    },
    ConformanceCase(async: "a task cancelled while it waits writes nothing", "6.4") { context in
      let store = try context.open(Snack.self)
      let held = try await offThePool { try HeldWriter(store) { try $0.save(Snack(1)) } }
      let task = Task { try await store.save(Snack(2)) }
      try await Task.sleep(for: .milliseconds(30))
      task.cancel()
      let outcome = await task.result
      try context.expect(Self.isCancelled(outcome), "CancellationError, got \(outcome)")
      try await offThePool { try held.finish() }
      try context.expectEqual(try await store.fetch(Snack.all).map(\.id), [1])
    },
    ConformanceCase(async: "a task cancelled before its commit rolls back", "6.4") { context in
      let store = try context.open(Snack.self)
      let begun = Latch()
      let cancelled = Latch()
      let task = Task {
        try await store.write { tx in
          try tx.save(Snack(1))
          begun.open()
          try cancelled.wait()
        }
      }
      try await offThePool { try begun.wait() }
      task.cancel()
      cancelled.open()
      let outcome = await task.result
      try context.expect(Self.isCancelled(outcome), "CancellationError, got \(outcome)")
      try context.expectEqual(try await store.count(Snack.self), 0)
      try await store.save(Snack(2))
      try context.expectEqual(try await store.count(Snack.self), 1)
    },
    ConformanceCase(async: "a read cancelled before its end throws CancellationError", "6.4") {
      context in
      let store = try context.open(Snack.self)
      try await store.save((0..<20).map { Snack(Int64($0)) })
      let begun = Latch()
      let cancelled = Latch()
      let task = Task {
        try await store.read { tx in
          let count = try tx.count(Snack.self)
          begun.open()
          try cancelled.wait()
          return count
        }
      }
      try await offThePool { try begun.wait() }
      task.cancel()
      cancelled.open()
      let outcome = await task.result
      try context.expect(Self.isCancelled(outcome), "CancellationError, got \(outcome)")
      for number in 0..<30 {
        let task = Task { try await store.fetch(Snack.all).count }
        for _ in 0..<(number % 10) { await Task.yield() }
        task.cancel()
        switch await task.result {
        case .success(let count): try context.expectEqual(count, 20)
        case .failure(let error):
          try context.expect(error is CancellationError, "CancellationError, got \(error)")
        }
      }
      try context.expectEqual(try await store.count(Snack.self), 20)
    },
    ConformanceCase(async: "a task cancelled at any time reports what happened", "6.4") {
      context in
      let store = try context.open(Snack.self)
      for number in 0..<60 {
        let task = Task { try await store.save(Snack(Int64(number))) }
        for _ in 0..<(number % 12) { await Task.yield() }
        if number % 3 == 0 { try await Task.sleep(for: .microseconds(number * 20)) }
        task.cancel()
        let outcome = await task.result
        let isThere = try await store.find(Snack.self, Int64(number)) != nil
        switch outcome {
        case .success: try context.expect(isThere, "a save reported done is there")
        case .failure(let error):
          try context.expect(error is CancellationError, "CancellationError, got \(error)")
          try context.expect(!isThere, "a save reported cancelled is not there")
        }
      }
    },
    ConformanceCase(async: "a stream gives every row of one snapshot, in order", "6.7") { context in
      let store = try context.open(Snack.self)
      try await store.save((1...700).map { Snack(Int64($0), stock: 700 - $0) })
      var seen: [Int64] = []
      for try await snack in store.stream(Snack.all.where { $0.stock < 650 }) {
        if seen.count == 10 {
          try await store.deleteAll(Snack.self)
          try await store.save(Snack(10_000, stock: 1))
        }
        seen.append(snack.id)
      }
      try context.expectEqual(seen, Array(51...700))
      seen = []
      for try await snack in store.stream(Snack.all) { seen.append(snack.id) }
      try context.expectEqual(seen, [10_000], "another iteration takes another snapshot")
    },
    ConformanceCase(
      async: "chunks of any size and streams give each row once, in order", "3.2", "6.7"
    ) {
      context in
      let store = try context.open(Snack.self)
      try await store.save((1...1_000).map { Snack(Int64($0), stock: $0 % 10) })
      let all = Array(Int64(1)...1_000)
      for size in [1, 7, 63, 64, 65, 255, 256, 257, 999, 1_000, 1_001] {
        let chunks = try Self.chunks(of: store, size)
        try context.expectEqual(Array(chunks.joined()), all, "chunks of \(size)")
        try context.expect(
          chunks.dropLast().allSatisfy { $0.count == size }, "all but the last have \(size)")
      }
      var limited: [Int64] = []
      for try await snack in store.stream(Snack.all.offset(100).limit(700)) {
        limited.append(snack.id)
      }
      try context.expectEqual(limited, Array(101...800), "a stream of a page")
      try context.expectEqual(try await Self.streamOnMain(store), all, "a stream on the main actor")
    },
    ConformanceCase(async: "streams beyond the limit wait until one is dropped", "6.7") { context in
      var options = StoreOptions()
      options.streams = 1
      let store = try context.open(Snack.self, options: options)
      try await store.save((1...600).map { Snack(Int64($0)) })
      let isSecondDone = Shared(false)
      var second: Task<Int, any Error>?
      for try await _ in store.stream(Snack.all) {
        second = Task {
          var count = 0
          for try await _ in store.stream(Snack.all) { count += 1 }
          isSecondDone.change { $0 = true }
          return count
        }
        try await Task.sleep(for: .milliseconds(50))
        try context.expect(!isSecondDone.value, "the second stream waits")
        break
      }
      try context.expectEqual(try await second?.value, 600)
    },
    ConformanceCase(async: "a stream left standing loses its snapshot", "6.7") { context in
      var options = StoreOptions()
      options.streamExpiry = .milliseconds(40)
      let store = try context.open(Snack.self, options: options)
      try await store.save((1...2_000).map { Snack(Int64($0)) })
      var iterator = store.stream(Snack.all).makeAsyncIterator()
      let first = try await iterator.next()
      try context.expectEqual(first?.id, 1)
      try await Task.sleep(for: .milliseconds(80))
      do {
        var count = 1
        while try await iterator.next() != nil { count += 1 }
        try context.expect(false, "snapshotExpired, got \(count) rows")
      } catch let error as StoreError {
        try context.expectEqual(error.code, .snapshotExpired)
      }
      try context.expectEqual(try await store.count(Snack.self), 2_000)
    },
    ConformanceCase(async: "a stream of a store that closes throws closed", "6.7", "8.1") {
      context in
      let store = try context.open(Snack.self)
      try await store.save((1...1_000).map { Snack(Int64($0)) })
      var iterator = store.stream(Snack.all).makeAsyncIterator()
      _ = try await iterator.next()
      try await offThePool { try store.close() }
      do {
        while try await iterator.next() != nil {}
        try context.expect(false, "closed")
      } catch let error as StoreError {
        try context.expectEqual(error.code, .closed)
      }
    },
  ]

  private static func chunks(of store: any Store, _ size: Int) throws -> [[Int64]] {
    var chunks: [[Int64]] = []
    try store.chunks(Snack.all, size: size) { chunks.append($0.map(\.id)) }
    return chunks
  }

  @MainActor
  private static func streamOnMain(_ store: any Store) async throws -> [Int64] {
    var seen: [Int64] = []
    for try await snack in store.stream(Snack.all) { seen.append(snack.id) }
    return seen
  }

  private static func isCancelled<Value>(_ outcome: Result<Value, any Error>) -> Bool {
    if case .failure(let error) = outcome { error is CancellationError } else { false }
  }
}
