import Foundation
import ORM
import TestSupport
import Testing

@Suite struct ReadOperationTests {
  func filled(_ kind: StoreKind, _ change: (inout StoreOptions) -> Void = { _ in }) throws
    -> any Store
  {
    let store = try kind.openStore(change)
    try store.save(
      (1...7).map { Snack("s\($0 % 3)", taste: $0 > 4 ? "t" : nil, price: Double($0)) })
    return store
  }

  @Test("3.2, 3.3: order, pages, limits and cursors", arguments: StoreKind.everywhere)
  func paging(_ kind: StoreKind) throws {
    let store = try filled(kind)
    let query = Snack.all.sorted(by: .ascending(\.name), .descending(\.price))
    #expect(try store.fetch(query).map(\.id) == [6, 3, 7, 4, 1, 5, 2])
    #expect(try store.fetch(query.page(1, size: 3)).map(\.id) == [4, 1, 5])
    #expect(try store.fetch(query.limit(2).offset(6)).map(\.id) == [2])
    #expect(try store.count(query.page(2, size: 3)) == 1)
    #expect(fault { _ = try store.fetch(query.page(-1, size: 3)) } == "invalidPage")
    #expect(fault { _ = try store.fetch(query.page(0, size: 1001)) } == "invalidPage")
    #expect(fault { _ = try store.fetch(query.limit(-1)) } == "invalidPage")
    let third = try #require(try store.fetch(query.page(0, size: 3)).last)
    let cursor = try query.cursor(after: third)
    let travelled = try JSONDecoder().decode(
      QueryCursor.self, from: JSONEncoder().encode(cursor))
    try store.save(Snack("s0", price: 100))
    #expect(try store.fetch(query.after(travelled)).map(\.id) == [4, 1, 5, 2])
    #expect(try store.count(query.after(cursor)) == 4)
    #expect(try store.sum(query.after(cursor), \.price) == 12)
    #expect(fault { _ = try store.fetch(Snack.all.after(cursor)) } == "invalidCursor")
    let text = String(decoding: try JSONEncoder().encode(cursor), as: UTF8.self)
    let forged = text.replacing(#"{"string":{"_0":"s1"}}"#, with: #"{"bool":{"_0":true}}"#)
    #expect(forged != text)
    let bad = try JSONDecoder().decode(QueryCursor.self, from: Data(forged.utf8))
    #expect(fault { _ = try store.fetch(query.after(bad)) } == "invalidCursor")
  }

  @Test("4.1: aggregates, first, one, exists", arguments: StoreKind.everywhere)
  func aggregates(_ kind: StoreKind) throws {
    let store = try filled(kind)
    #expect(try store.sum(Snack.all, \.price) == 28)
    #expect(try store.average(Snack.all.where { $0.taste == "t" }, \.price) == 6)
    #expect(try store.min(Snack.all, \.taste) == "t")
    #expect(try store.max(Snack.all.where { $0.id > 99 }, \.price) == nil)
    #expect(try store.sum(Snack.all.where { $0.id > 99 }, \.price) == 0)
    #expect(try store.first(Snack.all.where { $0.price > 3 })?.id == 4)
    #expect(try store.one(Snack.all.where { $0.id == 3 })?.id == 3)
    #expect(fault { _ = try store.one(Snack.all) } == "ambiguous")
    #expect(try store.exists(Snack.all.where { $0.name == "s9" }) == false)
    #expect(try store.find(Snack.self, [7, 99, 1]).map(\.id) == [7, 1])
    #expect(
      fault { _ = try store.fetch(Snack.all.sorted(by: .ascending(\.price, .caseInsensitive))) }
        == "invalidCondition")
  }

  @Test(
    "chunks are of one snapshot; in a write block their body may write",
    arguments: StoreKind.everywhere)
  func chunks(_ kind: StoreKind) throws {
    let store = try filled(kind)
    var sizes: [Int] = []
    try store.chunks(Snack.all, size: 3) { sizes.append($0.count) }
    #expect(sizes == [3, 3, 1])
    try store.write { tx in
      try tx.chunks(Snack.all, size: 2) { snacks in
        for snack in snacks {
          try tx.delete(snack)
          try tx.save(Snack("copy", price: snack.price))
        }
      }
    }
    #expect(try store.fetch(Snack.all).map(\.price) == [1, 2, 3, 4, 5, 6, 7])
    #expect(fault { try store.chunks(Snack.all, size: 0) { _ in } } == "invalidPage")
  }

  @Test(
    "6.7: a stream keeps one snapshot beside a writer, in order", arguments: StoreKind.everywhere)
  func streams(_ kind: StoreKind) async throws {
    let store = try kind.openStore()
    try await store.save((1...1000).map { Snack("s", price: Double($0)) })
    var ids: [Int64] = []
    for try await snack in store.stream(Snack.all) {
      if ids.isEmpty { _ = try await store.deleteAll(Snack.self) }
      ids.append(snack.id)
    }
    #expect(ids == Array(1...1000))
    #expect(try await store.count(Snack.self) == 0)
  }

  @Test(
    "6.7: a stream left standing loses its snapshot; a dropped one releases its reader slot",
    arguments: StoreKind.everywhere)
  func streamEnds(_ kind: StoreKind) async throws {
    let store = try kind.openStore {
      $0.streamExpiry = .milliseconds(100)
      $0.streams = 1
    }
    try await store.save((1...1000).map { Snack("s", price: Double($0)) })
    var left = store.stream(Snack.all).makeAsyncIterator()
    _ = try await left.next()
    try await Task.sleep(for: .milliseconds(150))
    let error = await #expect(throws: StoreError.self) {
      while try await left.next() != nil {}
    }
    #expect(error?.code == .snapshotExpired)
    // However slow the machine is, no stream of this store expires.
    let patient = try kind.openStore {
      $0.streamExpiry = .seconds(3_600)
      $0.streams = 1
    }
    try await patient.save((1...1000).map { Snack("s", price: Double($0)) })
    for _ in 0..<3 {
      var dropped = patient.stream(Snack.all).makeAsyncIterator()
      _ = try await dropped.next()
    }
    var open = patient.stream(Snack.all).makeAsyncIterator()
    _ = try await open.next()
    try await patient.close()
    let closed = await #expect(throws: StoreError.self) {
      while try await open.next() != nil {}
    }
    #expect(closed?.code == .closed)
  }

  @Test("6.4: a stream ends in a cancelled task", arguments: StoreKind.everywhere)
  func streamCancellation(_ kind: StoreKind) async throws {
    let store = try kind.openStore()
    try await store.save((1...1000).map { Snack("s", price: Double($0)) })
    let task = Task {
      var seen = 0
      for try await _ in store.stream(Snack.all) {
        seen += 1
        if seen == 1 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    "6.2: a read that asks for the newest commit does not wait for pending writes",
    arguments: StoreKind.everywhere)
  func latestCommit(_ kind: StoreKind) async throws {
    // Between two steps of a test many others may run.
    let store = try kind.openStore {
      $0.readerWait = .milliseconds(100)
      $0.writerWait = .seconds(3_600)
    }
    let isOver = DispatchSemaphore(value: 0)
    try Self.leavePending(store, until: isOver)
    try Self.readNow(store)
    #expect(try await store.count(Snack.self, consistency: .latestCommit) == 1)
    #expect(try await store.fetch(Snack.all, consistency: .latestCommit).map(\.name) == ["first"])
    let found = await withCheckedContinuation { continuation in
      store.read(consistency: .latestCommit, on: .global()) {
        try $0.first(Snack.all)
      } completion: {
        continuation.resume(returning: $0)
      }
    }
    #expect(try found.get()?.name == "first")
    do {
      _ = try await store.count(Snack.self)
      Issue.record("a read that must wait did not")
    } catch let error as StoreError {
      #expect(error.code == .busy, "after readerWait")
    }
    isOver.signal()
    #expect(try await eventually { try store.count(Snack.self, consistency: .latestCommit) == 2 })
  }

  private static func leavePending(_ store: any Store, until isOver: DispatchSemaphore) throws {
    try store.save(Snack("first"))
    // It holds a slot of the scheduler, which has a queue with a thread of its own.
    store.runtime.transactions.submitWrite(on: .global()) { _ in
      isOver.wait()
    } completion: { _ in
    }
    store.write(on: .global()) { try $0.save(Snack("second")) }
  }

  private static func readNow(_ store: any Store) throws {
    #expect(try store.find(Snack.self, 1, consistency: .latestCommit)?.name == "first")
    #expect(
      try store.exists(Snack.all.where { $0.name == "second" }, consistency: .latestCommit) == false
    )
    let (second, count) = try Persistence.with(store) {
      (try Snack.find(2, consistency: .latestCommit), try Snack.count(consistency: .latestCommit))
    }
    #expect(second == nil)
    #expect(count == 1)
  }
}
