internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Clause 11.5: consumers of the history, and streams that begin in it.
  static let historyConsumers: [ConformanceCase] = [
    ConformanceCase("a consumer handles every commit exactly once", "11.5") { context in
      let options = StoreOptions.keepingHistory()
      var store = try context.open(Snack.self, Word.self, options: options)
      try store.insert(Snack(100))
      var consumer = try store.historyConsumer("words", of: Snack.self)
      try context.expectEqual(try consumer.handlePending { _, _ in }, 0, "nothing is new")
      for number in Int64(1)...3 { try store.insert(Snack(number)) }
      struct Refused: Error {}
      var seen: [UInt64] = []
      func handle(failing: Int? = nil) throws -> Int {
        try consumer.handlePending { set, tx in
          try tx.insert(Word(Int64(set.commit.number), "n"))
          if seen.count == failing { throw Refused() }
          seen.append(set.commit.number)
        }
      }
      do {
        _ = try handle(failing: 1)
        throw context.failure("a handler that throws", expected: "Refused", got: "no error")
      } catch is Refused {}
      try context.expectEqual(try store.count(Word.self), 1, "the second was undone")
      try context.expectEqual(try handle(), 2)
      try context.expectEqual(seen, seen.sorted())
      try context.expectEqual(Set(seen).count, 3)
      try context.expectEqual(try store.count(Word.self), 3)
      let token = try consumer.token
      try store.insert(Snack(4))
      store = try context.reopen(store, Snack.self, Word.self, options: options)
      consumer = try store.historyConsumer("words", of: Snack.self)
      try context.expectEqual(try consumer.token, token)
      try context.expectEqual(try handle(), 1)
      try context.expectEqual(try store.count(Word.self), 4)
      try context.expectEqual(Array(try store.historyConsumers.keys), ["words"])
      try consumer.remove()
      try context.expectEqual(try store.historyConsumers.count, 0)
      try context.expectError(.notFound) { try consumer.token }
      try context.expectError(.notFound) { try consumer.handlePending { _, _ in } }
    },
    ConformanceCase("a block that is undone undoes what a consumer handled in it", "11.5") {
      context in
      let store = try context.open(Snack.self, Word.self, options: .keepingHistory())
      let consumer = try store.historyConsumer("c", of: Snack.self)
      try store.insert(Snack(1))
      let token = try consumer.token
      try? store.write { tx in
        _ = try consumer.handlePending { _, tx in try tx.insert(Word(1, "a")) }
        throw StoreError(.denied, "undone")
      }
      try context.expectEqual(try consumer.token, token)
      try store.write { tx in
        try? tx.savepoint { _ in
          _ = try consumer.handlePending { _, tx in try tx.insert(Word(1, "a")) }
          throw StoreError(.denied, "undone")
        }
        try tx.insert(Word(2, "b"))
      }
      try context.expectEqual(try consumer.token, token)
      try context.expectEqual(
        try consumer.handlePending { _, tx in try tx.insert(Word(1, "a")) }, 1)
      try context.expectEqual(try store.count(Word.self), 2)
    },
    ConformanceCase("a history keeps what the slowest consumer needs", "11.5") { context in
      let store = try context.open(
        Snack.self, options: .keepingHistory(atMost: 2, atMostForConsumers: 6))
      let start = try store.historyToken
      let slow = try store.historyConsumer("slow")
      let fast = try store.historyConsumer("fast")
      var handled = 0
      for number in Int64(1)...5 {
        try store.insert(Snack(number))
        handled += try fast.handlePending { _, _ in }
      }
      try context.expectEqual(handled, 5)
      try context.expectEqual(try store.history(after: start).count, 5, "the slow one needs them")
      try context.expectEqual(try slow.handlePending { _, _ in }, 5)
      try store.insert(Snack(6))
      try context.expectError(.historyTruncated) { try store.history(after: start) }
      // Past the hard limit, history waits for no consumer.
      for number in Int64(7)...14 { try store.insert(Snack(number)) }
      try context.expectError(.historyTruncated) { try slow.handlePending { _, _ in } }
      try context.expectError(.historyTruncated) { try fast.handlePending { _, _ in } }
      try slow.move(to: store.historyToken)
      try fast.remove()
      try store.insert(Snack(15))
      try context.expectEqual(try slow.handlePending { _, _ in }, 1)
      try context.expectError(.historyTruncated) { try slow.move(to: start) }
    },
    ConformanceCase(async: "a consumer is a sequence, and handles what comes", "11.5") { context in
      let store = try context.open(Snack.self, Word.self, options: .keepingHistory())
      let consumer = try await store.historyConsumer("sequence", of: Snack.self)
      let start = try await store.read { try $0.historyToken }
      try await store.insert(Snack(1))
      try await store.insert(Snack(2))
      var sets = consumer.makeAsyncIterator()
      try context.expectEqual(try await sets.next()?.words, ["Snack inserted 1"])
      try context.expectEqual(try await consumer.position(), start, "the first is not handled yet")
      try context.expectEqual(try await sets.next()?.words, ["Snack inserted 2"])
      var again = consumer.makeAsyncIterator()
      try context.expectEqual(
        try await again.next()?.words, ["Snack inserted 2"], "it was not handled yet")
      let handler = try await store.historyConsumer("handler", of: Snack.self, after: start)
      let task = Task {
        try await handler.handle { set, tx in try tx.insert(Word(Int64(set.commit.number), "n")) }
      }
      try await store.insert(Snack(3))
      var words = store.observe(count: Word.all).makeAsyncIterator()
      while let count = try await words.next(), count < 3 {}
      task.cancel()
      do { try await task.value } catch is CancellationError {}
      try context.expectEqual(try await store.count(Word.self), 3)
    },
    ConformanceCase(async: "a stream goes on from a token without a gap", "11.5", "11.2") {
      context in
      let store = try context.open(Snack.self, Word.self, options: .keepingHistory())
      let start = try await store.read { try $0.historyToken }
      try await store.insert(Snack(1))
      try await store.insert(Word(1, "a"))
      try await store.insert(Snack(2))
      var changes = store.changes(of: Snack.self, level: .values, after: start).makeAsyncIterator()
      try await store.insert(Snack(3))
      for number in Int64(1)...3 {
        let set = try context.unwrap(try await changes.next(), "set \(number)")
        try context.expectEqual(set.words, ["Snack inserted \(number)"])
      }
      for number in Int64(4)...6 {
        try await store.insert(Snack(number))
        let set = try context.unwrap(try await changes.next(), "set \(number)")
        try context.expectEqual(set.words, ["Snack inserted \(number)"])
        try context.expectEqual(try set[Snack.self].rows[0].value(\.id), number)
      }
      let other = try context.open(Snack.self, Word.self, options: .keepingHistory(level: .keys))
      try await expectFirst(.wrongStore, other.changes(after: start), context)
      let token = try await other.read { try $0.historyToken }
      try await expectFirst(.historyOff, other.changes(level: .values, after: token), context)
      let none = try context.open(Snack.self)
      try await expectFirst(.historyOff, none.changes(after: token), context)
    },
    ConformanceCase(async: "a slow reader goes on from the history", "11.5", "11.2") { context in
      let store = try context.open(
        Snack.self, options: .keepingHistory(atMost: 100_000, level: .keys))
      var changes = store.changes().makeAsyncIterator()
      var lost = store.changes().makeAsyncIterator()
      try await offThePool {
        for number in Int64(1)...1_030 { try store.insert(Snack(number)) }
        store.runtime.transactions.drainNotices()
      }
      for number in Int64(1)...1_030 {
        let set = try context.unwrap(try await changes.next(), "set \(number)")
        try context.expectEqual(set.words, ["Snack inserted \(number)"])
        try context.expectEqual(set.commit.number, UInt64(number))
      }
      try await store.insert(Snack(2_000))
      try context.expectEqual(try await changes.next()?.words, ["Snack inserted 2000"])
      // A range that is no longer recorded is reported as everything.
      let short = try await offThePool {
        try context.reopen(store, Snack.self, options: .keepingHistory(atMost: 1, level: .keys))
      }
      while let set = try await lost.next(), set.commit.number < 1_030 {}
      var late = short.changes().makeAsyncIterator()
      try await offThePool {
        for number in Int64(3_001)...4_030 { try short.insert(Snack(number)) }
        short.runtime.transactions.drainNotices()
      }
      try context.expectEqual(try await late.next()?.words, ["Snack everything"])
      try await short.insert(Snack(5_000))
      try context.expectEqual(try await late.next()?.words, ["Snack inserted 5000"])
    },
  ]
}

extension HistoryConsumer {
  /// The position, off the cooperative pool.
  fileprivate func position() async throws -> HistoryToken {
    let consumer = self
    return try await offThePool { try consumer.token }
  }
}

private func expectFirst(
  _ code: StoreError.Code, _ stream: ChangeStream, _ context: ConformanceContext
) async throws {
  var iterator = stream.makeAsyncIterator()
  do {
    _ = try await iterator.next()
    throw context.failure("the first set", expected: code.rawValue, got: "no error")
  } catch let error as StoreError {
    try context.expectEqual(error.code, code)
  }
}
