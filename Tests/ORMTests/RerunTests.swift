import Dispatch
import Foundation
import ORM
import ORMCore
import ORMSessions
import TestSupport
import Testing

/// Runs of operations and blocks that others come in the way of: how many there are, and their waits.
@Suite(.timeLimit(.minutes(5))) struct RerunTests {
  private func store() throws -> ContendedWrites {
    let base = try TestedStore.memory.openStore {
      $0.history = .retained(for: .days(1), atMost: 1_000, level: .attributes)
    }
    return ContendedWrites(base)
  }

  @Test("9.5: a session is saved again until it is, by its blocking and its asynchronous form")
  func sessions() async throws {
    let store = try store()
    let session = Session(store)
    session.insert(Snack("one"))
    #expect(try store.runs(failing: 3) { try session.save() } == 4)
    session.insert(Snack("two"))
    #expect(try await store.asyncRuns(failing: 3) { try await session.save() } == 4)
    #expect(try await store.fetch(Snack.all).map(\.name) == ["one", "two"])
  }

  @Test(
    "9.5: operations of the library run again in each of their forms, and blocks of a program do not"
  )
  func forms() async throws {
    let store = try store()
    #expect(try store.runs(failing: 3) { try store.save(Snack("a")) } == 4)
    #expect(try await store.asyncRuns(failing: 3) { try await store.save(Snack("b")) } == 4)
    let all = Snack.all.where { $0.id > 0 }
    #expect(
      try store.runs(failing: 3) { try store.update(all) { $0[\.price] = $0[\.price] + 2 } } == 4)
    #expect(
      try await store.asyncRuns(failing: 3) {
        try await store.update(all) { $0[\.price] = $0[\.price] + 1 }
      }
        == 4
    )
    #expect(try store.runs(failing: 3) { _ = try store.historyConsumer("first") } == 4)
    #expect(
      try await store.asyncRuns(failing: 3) { _ = try await store.historyConsumer("second") } == 4)
    let consumer = try await store.historyConsumer("first")
    let token = try consumer.token
    #expect(try store.runs(failing: 3) { try consumer.move(to: token) } == 4)
    #expect(try store.runs(failing: 3) { try consumer.remove() } == 4)
    // One writer at a time runs a block once.
    #expect(
      try store.runs(failing: 1, throwing: true) { try store.write { try $0.save(Snack("c")) } }
        == 1)
    #expect(
      try await store.asyncRuns(failing: 1, throwing: true) {
        try await store.write { try $0.save(Snack("c")) }
      } == 1)
    #expect(try await store.fetch(Snack.all).map(\.name) == ["a", "b"])
    #expect(try await store.fetch(Snack.all).map(\.price) == [3, 3])
  }

  @Test("6.10: the waits between the runs of an operation are a part of its time")
  func deadlines() throws {
    let store = try store()
    store.failures.withLock { $0 = .max }
    let saving = #expect(throws: StoreError.self) {
      try RunningOperation.run(within: .milliseconds(60)) { try store.save(Snack("late")) }
    }
    #expect(saving?.code == .deadlineExceeded)
    store.failsReads.withLock { $0 = true }
    let reading = #expect(throws: StoreError.self) {
      try store.read(within: .milliseconds(60)) { _ = try $0.fetch(Snack.all) }
    }
    #expect(reading?.code == .deadlineExceeded)
  }

  @Test("6.10: the waits between the runs of an asynchronous operation are a part of its time")
  func asyncDeadlines() async throws {
    let store = try store()
    store.failures.withLock { $0 = .max }
    store.failsReads.withLock { $0 = true }
    let error = await #expect(throws: StoreError.self) {
      try await store.read(within: .milliseconds(60)) { _ = try $0.fetch(Snack.all) }
    }
    #expect(error?.code == .deadlineExceeded)
  }

  @Test("9.5: a reader that begins again late in the time of a read has no time of its own")
  func lateBeginnings() throws {
    let store = try LateStore()
    let block = #expect(throws: StoreError.self) {
      try store.read { _ = try $0.fetch(Snack.all) }
    }
    #expect(block?.code == .contended)
    #expect(store.takeReaders() == 2)
    let operation = #expect(throws: StoreError.self) { try store.fetch(Snack.all) }
    #expect(operation?.code == .contended)
    #expect(store.takeReaders() == 2)
  }

  @Test("9.5: a reader of an asynchronous read that begins again late has no time of its own")
  func lateAsyncBeginnings() async throws {
    let store = try LateStore()
    let error = await #expect(throws: StoreError.self) {
      try await store.read { _ = try $0.fetch(Snack.all) }
    }
    #expect(error?.code == .contended)
    #expect(store.takeReaders() == 2)
  }

  @Test("6.4: the waits between the runs of an operation end by a cancellation")
  func cancellations() async throws {
    let store = try store()
    store.failures.withLock { $0 = .max }
    store.failsReads.withLock { $0 = true }
    let saving = Task { try await store.save(Snack("cancelled")) }
    let reading = Task { try await store.fetch(Snack.all) }
    while store.writers.withLock({ $0 }) == 0 || store.readers.withLock({ $0 }) == 0 {
      await Task.yield()
    }
    saving.cancel()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await saving.value }
    await #expect(throws: CancellationError.self) { try await reading.value }
  }
}

/// A store whose first commits fail, as if others had come in their way, and all reads if they are to.
private final class ContendedWrites: Store {
  private let base: any Store
  let failures = Lock(0)
  let failsReads = Lock(false)
  let writers = Lock(0)
  let readers = Lock(0)

  init(_ base: any Store) { self.base = base }

  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }

  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    readers.withLock { $0 += 1 }
    let reader = try base.reader(turn)
    return failsReads.withLock { $0 } ? FailingReader(reader) : reader
  }

  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    writers.withLock { $0 += 1 }
    let fails = failures.withLock { failures in
      if failures == 0 { return false }
      failures -= 1
      return true
    }
    return FailingWriter(try base.writer(turn), isContended: fails)
  }

  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }

  private func begin(_ count: Int) {
    failures.withLock { $0 = count }
    writers.withLock { $0 = 0 }
  }

  /// Runs a body whose first commits fail, and returns the number of write transactions.
  func runs<Result>(
    failing count: Int, throwing: Bool = false, _ body: () throws -> Result
  ) throws -> Int {
    begin(count)
    if throwing {
      #expect(throws: StoreError.self) { _ = try body() }
    } else {
      _ = try body()
    }
    return writers.withLock { $0 }
  }

  /// Runs an asynchronous body whose first commits fail, and returns the number of write transactions.
  func asyncRuns<Result>(
    failing count: Int, throwing: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async throws -> Int {
    begin(count)
    if throwing {
      await #expect(throws: StoreError.self) { _ = try await body() }
    } else {
      _ = try await body()
    }
    return writers.withLock { $0 }
  }
}

/// A store whose first reader fails, as if others had come in its way, and whose next one begins when the
/// time of an operation is over, and fails.
private final class LateStore: Store {
  private let base: any Store
  private let readers = Lock(0)

  init() throws {
    base = try TestedStore.memory.openStore { $0.writerWait = .milliseconds(30) }
  }

  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }

  /// The number of readers that were asked for since the last call.
  func takeReaders() -> Int {
    readers.withLock { readers in
      defer { readers = 0 }
      return readers
    }
  }

  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    let number = readers.withLock { number in
      number += 1
      return number
    }
    if number == 1 { return FailingReader(try base.reader(turn)) }
    try RunningOperation.sleep(for: runtime.options.writerWait)
    throw StoreError(.contended, "others came in the way")
  }

  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter { try base.writer(turn) }
  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}

private final class FailingWriter: ForwardingWriter {
  let forwardedWriter: any StoreWriter
  let isContended: Bool

  init(_ base: any StoreWriter, isContended: Bool) {
    forwardedWriter = base
    self.isContended = isContended
  }

  func commit() throws {
    if isContended {
      forwardedWriter.end()
      throw StoreError(.contended, "others came in the way")
    }
    try forwardedWriter.commit()
  }
}

private final class FailingReader: ForwardingReader {
  let forwardedReader: any StoreReader
  var isContended: Bool { true }

  init(_ base: any StoreReader) { forwardedReader = base }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    throw StoreError(.contended, "others came in the way")
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    throw StoreError(.contended, "others came in the way")
  }
}
