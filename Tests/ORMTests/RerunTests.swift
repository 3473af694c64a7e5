import Dispatch
import Foundation
import ORM
import ORMCore
import ORMSessions
import TestSupport
import Testing

/// Runs of operations and blocks that others come in the way of: how many there are, and their waits.
@Suite(.timeLimit(.minutes(5))) struct RerunTests {
  private func store(_ faults: FaultyStore.Fault...) throws -> FaultyStore {
    let store = FaultyStore(
      try StoreKind.memory.openStore {
        $0.history = .retained(for: .days(1), atMost: 1_000, level: .attributes)
      })
    for fault in faults { store.add(fault) }
    return store
  }

  /// A store whose first request conflicts, and whose next reader begins when the time of an operation is
  /// over, and conflicts.
  private func lateStore() throws -> FaultyStore {
    let wait = Duration.milliseconds(30)
    return FaultyStore(
      try StoreKind.memory.openStore { $0.writerWait = wait }, .conflict(.read, times: .max),
      .call(.reader) { number in
        if number == 1 { return }
        try RunningOperation.sleep(for: wait)
        throw StoreError(.contended, "others came in the way")
      })
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

  @Test("13.5: an instrument gets a notice of each further run")
  func notices() throws {
    let instrument = RecordingInstrument()
    let store = FaultyStore(try StoreKind.memory.openStore { $0.instruments = [instrument] })
    #expect(try store.runs(failing: 3) { try store.save(Snack("a")) } == 4)
    let notices = instrument.seen.notices
    #expect(notices.map(\.kind) == [.retried, .retried, .retried])
    #expect(
      notices.map(\.message)
        == [2, 3, 4].map { "A transaction conflicted with others and begins run \($0)." })
    #expect(notices.map(\.kind.level) == [.notice, .notice, .notice])
  }

  @Test("6.10: the waits between the runs of an operation are a part of its time")
  func deadlines() throws {
    let store = try store(.conflict(times: .max), .conflict(.read, times: .max))
    let saving = #expect(throws: StoreError.self) {
      try RunningOperation.run(within: .milliseconds(60)) { try store.save(Snack("late")) }
    }
    #expect(saving?.code == .deadlineExceeded)
    let reading = #expect(throws: StoreError.self) {
      try store.read(within: .milliseconds(60)) { _ = try $0.fetch(Snack.all) }
    }
    #expect(reading?.code == .deadlineExceeded)
  }

  @Test("6.10: the waits between the runs of an asynchronous operation are a part of its time")
  func asyncDeadlines() async throws {
    let store = try store(.conflict(.read, times: .max))
    let error = await #expect(throws: StoreError.self) {
      try await store.read(within: .milliseconds(60)) { _ = try $0.fetch(Snack.all) }
    }
    #expect(error?.code == .deadlineExceeded)
  }

  @Test("9.5: a reader that begins again late in the time of a read has no time of its own")
  func lateBeginnings() throws {
    let store = try lateStore()
    let block = #expect(throws: StoreError.self) {
      try store.read { _ = try $0.fetch(Snack.all) }
    }
    #expect(block?.code == .contended)
    #expect(store.count(of: .reader) == 2)
    store.reset()
    let operation = #expect(throws: StoreError.self) { try store.fetch(Snack.all) }
    #expect(operation?.code == .contended)
    #expect(store.count(of: .reader) == 2)
  }

  @Test("9.5: a reader of an asynchronous read that begins again late has no time of its own")
  func lateAsyncBeginnings() async throws {
    let store = try lateStore()
    let error = await #expect(throws: StoreError.self) {
      try await store.read { _ = try $0.fetch(Snack.all) }
    }
    #expect(error?.code == .contended)
    #expect(store.count(of: .reader) == 2)
  }

  @Test("6.4: the waits between the runs of an operation end by a cancellation")
  func cancellations() async throws {
    let store = try store(.conflict(times: .max), .conflict(.read, times: .max))
    let saving = Task { try await store.save(Snack("cancelled")) }
    let reading = Task { try await store.fetch(Snack.all) }
    while store.count(of: .writer) == 0 || store.count(of: .reader) == 0 { await Task.yield() }
    saving.cancel()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await saving.value }
    await #expect(throws: CancellationError.self) { try await reading.value }
  }
}

extension FaultyStore {
  private func begin(_ count: Int) {
    heal()
    add(.conflict(times: count))
    reset()
  }

  /// Runs a body whose first commits fail, and returns the number of write transactions.
  fileprivate func runs<Result>(
    failing count: Int, throwing: Bool = false, _ body: () throws -> Result
  ) throws -> Int {
    begin(count)
    if throwing {
      #expect(throws: StoreError.self) { _ = try body() }
    } else {
      _ = try body()
    }
    return self.count(of: .writer)
  }

  /// Runs an asynchronous body whose first commits fail, and returns the number of write transactions.
  fileprivate func asyncRuns<Result>(
    failing count: Int, throwing: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async throws -> Int {
    begin(count)
    if throwing {
      await #expect(throws: StoreError.self) { _ = try await body() }
    } else {
      _ = try await body()
    }
    return self.count(of: .writer)
  }
}
