import Dispatch
import FoundationEssentials
import TestSupport
import Testing

@testable import ORM
@testable import ORMRows

/// Waiting at the real scheduler: order, threads, time (6.1, 6.3, 6.7).
@Suite(.timeLimit(.minutes(30))) struct SchedulerWaitingTests {
  private func scheduler(
    writerWait: Duration = .seconds(3_600), readerWait: Duration = .seconds(3_600),
    readers: Int = 2, streams: Int = 1
  ) -> TransactionScheduler {
    var options = SchedulerOptions.unhurried
    options.writerWait = writerWait
    options.readerWait = readerWait
    options.readers = readers
    options.streams = streams
    return TransactionScheduler(options: options)
  }

  @Test("6.1: sync, async and completion writers run in the order of their coming")
  func mixedWritersAreFirstComeFirstServed() async throws {
    // On a busy machine it takes a while until all have come.
    let scheduler = scheduler()
    let release = TestLatch()
    let log = SchedulerLog<Int>()
    try await scheduler.holdWriter(until: release)
    try await withThrowingTaskGroup { group in
      for number in 0..<30 {
        switch number % 3 {
        case 0:
          group.addTask {
            try await onOwnThread { try scheduler.write { _ in log.append(number) } }
          }
        case 1:
          group.addTask { try await scheduler.write { _ in log.append(number) } }
        default:
          scheduler.submitWrite(on: DispatchQueue(label: "done")) { _ in
            log.append(number)
          } completion: { _ in
          }
        }
        try await until { scheduler.waitingWriters == number + 1 }
      }
      release.open()
      try await group.waitForAll()
    }
    try await until { scheduler.isAtRest }
    #expect(log.all == Array(0..<30))
  }

  private actor Issuer {
    var issued: [Int] = []
    func write(_ number: Int, to scheduler: TransactionScheduler, _ log: SchedulerLog<Int>)
      async throws
    {
      issued.append(number)
      try await scheduler.write { _ in log.append(number) }
    }
  }

  @Test("6.1: an async writer enters the queue before its caller is suspended")
  func asyncWritersQueueBeforeTheHop() async throws {
    let scheduler = scheduler()
    let issuer = Issuer()
    let log = SchedulerLog<Int>()
    try await withThrowingTaskGroup { group in
      for number in 0..<300 {
        group.addTask { try await issuer.write(number, to: scheduler, log) }
      }
      try await group.waitForAll()
    }
    #expect(log.all == (await issuer.issued))
  }

  /// The threads of this process.
  private func threadCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
  }

  #if os(Linux)
    @Test("6.1: 200 waiting async writers and 200 waiting async readers hold no thread")
    func asyncWaitersHoldNoThread() async throws {
      let scheduler = scheduler()
      let release = TestLatch()
      try await scheduler.holdWriter(until: release)
      let before = try threadCount()
      let count = try await withThrowingTaskGroup { group in
        for _ in 0..<200 { group.addTask { try await scheduler.write { _ in } } }
        try await until { scheduler.waitingWriters == 200 }
        scheduler.submitWrite(on: .global()) { _ in
        } completion: { _ in
        }
        for _ in 0..<200 { group.addTask { try await scheduler.read { _ in } } }
        try await until { scheduler.waitingReaders == 200 }
        let count = try threadCount()
        release.open()
        try await group.waitForAll()
        return count
      }
      // Tests beside this one start threads of their own, a few dozen at most.
      #expect(count - before < 100)
      try await until { scheduler.isAtRest }
    }
  #endif

  @Test("6.1: async blocks run while sync callers block every thread of the task pool")
  func asyncBlocksNeedNoPooledThread() async throws {
    let scheduler = scheduler()
    let release = TestLatch()
    let log = SchedulerLog<Int>()
    try await scheduler.holdWriter(until: release)
    let task = Task { try await scheduler.write { _ in log.append(0) } }
    try await until { scheduler.waitingWriters == 1 }
    // More blocked callers than the global queue has threads.
    for number in 1...40 {
      DispatchQueue.global().async { _ = try? scheduler.write { _ in log.append(number) } }
    }
    // The pool that runs this test may be the one that is blocked: a thread of its own ends the writer.
    DispatchQueue(label: "release").asyncAfter(deadline: .now() + .milliseconds(30)) {
      release.open()
    }
    try await task.value
    try await until { log.all.count == 41 }
    #expect(log.all.first == 0)
  }

  @Test("6.3: every kind of writer throws busy after writerWait, and no other is disturbed")
  func writersThrowBusy() async throws {
    let scheduler = scheduler(writerWait: .milliseconds(40))
    let release = TestLatch()
    try await scheduler.holdWriter(until: release)
    let start = ContinuousClock.now
    let completed = SchedulerLog<StoreError.Code?>()
    scheduler.submitWrite(on: .global()) { _ in
    } completion: { result in
      completed.append(code(failure { try result.get() }))
    }
    async let async = asyncFailure { try await scheduler.write { _ in } }
    async let sync = onOwnThread { code(failure { try scheduler.write { _ in } }) }
    #expect(try await sync == .busy)
    #expect(code(await async) == .busy)
    try await until { completed.all == [.busy] }
    #expect(ContinuousClock.now - start >= .milliseconds(40))
    #expect(scheduler.waitingWriters == 0)
    release.open()
    try await until { scheduler.isAtRest }
    #expect(try await scheduler.write { _ in 1 } == 1)
  }

  @Test("6.3: every kind of read throws busy after readerWait when the readerSlots stay taken")
  func readersThrowBusy() async throws {
    let scheduler = scheduler(readerWait: .milliseconds(40), readers: 1)
    let release = TestLatch()
    let began = TestLatch()
    let owner = Task {
      try await scheduler.read { _ in
        began.open()
        try release.wait()
      }
    }
    try await began.opened()
    let completed = SchedulerLog<StoreError.Code?>()
    scheduler.submitRead(on: .global()) { _ in
    } completion: { result in
      completed.append(code(failure { try result.get() }))
    }
    async let async = asyncFailure { try await scheduler.read { _ in } }
    async let sync = onOwnThread { code(failure { try scheduler.read { _ in } }) }
    #expect(try await sync == .busy)
    #expect(code(await async) == .busy)
    try await until { completed.all == [.busy] }
    release.open()
    try await owner.value
    try await until { scheduler.isAtRest }
  }

  @Test(
    "6.1: no more read blocks than readerSlots run at once, and as many as there are readerSlots")
  func readerLimit() async throws {
    let scheduler = scheduler(readers: 3)
    let inside = SchedulerLog<Int>()
    let all = TestLatch()
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        let body: @Sendable (TransactionScheduler.Admission) throws -> Void = { _ in
          inside.append(1)
          if inside.sum == 3 { all.open() }
          try all.wait()
          inside.append(-1)
        }
        group.addTask {
          if number.isMultiple(of: 2) {
            try await scheduler.read(body)
          } else {
            try await onOwnThread { try scheduler.read(body) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(inside.all.count == 40)
    #expect(inside.runningSums.max() == 3)
    #expect(scheduler.isAtRest)
  }

  @Test("6.7: streams are counted; one too many throws busy when it has waited")
  func tooManyStreams() async throws {
    let scheduler = scheduler(readerWait: .milliseconds(40), streams: 2)
    let slots = [try await scheduler.acquireStream(), try await scheduler.acquireStream()]
    #expect(code(await asyncFailure { _ = try await scheduler.acquireStream() }) == .busy)
    for slot in slots { slot.release() }
    #expect(scheduler.isAtRest)
  }

  @Test("6.7: a stream that waits follows a release, and not when it was cancelled")
  func waitingStreams() async throws {
    let scheduler = scheduler(streams: 2)
    let first = try await scheduler.acquireStream()
    var second: TransactionScheduler.StreamSlot? = try await scheduler.acquireStream()
    let waiting = Task { try await scheduler.acquireStream() }
    let cancelled = Task { try await scheduler.acquireStream() }
    cancelled.cancel()
    #expect(await asyncFailure { _ = try await cancelled.value } is CancellationError)
    first.release()
    first.release()
    let third = try await waiting.value
    // The last reference gives the slot up, too.
    withExtendedLifetime(second) {}
    second = nil
    let fourth = try await scheduler.acquireStream()
    third.release()
    fourth.release()
    #expect(scheduler.isAtRest)
  }

  @Test("closing waits for what runs and for promised writes, and then everything throws closed")
  func closing() async throws {
    let scheduler = scheduler()
    let release = TestLatch()
    let log = SchedulerLog<String>()
    try await scheduler.holdWriter(until: release)
    scheduler.submitWrite(on: .global()) { _ in
      log.append("promised")
    } completion: { _ in
    }
    let ends = SchedulerLog<TransactionScheduler.StreamSlot>()
    let stream = try await scheduler.acquireStream {
      log.append("stream")
      for slot in ends.all { slot.release() }
    }
    ends.append(stream)
    let inside = try await scheduler.read(consistency: .latestCommit) { _ in
      code(failure { try scheduler.close() })
    }
    #expect(inside == .reentrancy)
    async let closed: Void = onOwnThread {
      try scheduler.close()
      log.append("closed")
    }
    try await until { log.all == ["stream"] }
    #expect(code(await asyncFailure { try await scheduler.read { _ in } }) == .closed)
    release.open()
    try await closed
    #expect(log.all == ["stream", "promised", "closed"])
    #expect(code(await asyncFailure { try await scheduler.write { _ in } }) == .closed)
    let sync = try await onOwnThread {
      [
        code(failure { try scheduler.write { _ in } }),
        code(failure { try scheduler.read { _ in } }),
        code(failure { try scheduler.close() }),
      ]
    }
    #expect(sync == [.closed, .closed, nil])
    #expect(code(await asyncFailure { _ = try await scheduler.acquireStream() }) == .closed)
    let overload = SchedulerLog<StoreError.Code?>()
    scheduler.submitRead(on: .global()) { _ in
    } completion: { result in
      overload.append(code(failure { try result.get() }))
    }
    try await until { overload.all == [.closed] }
  }

  @Test("6.3: closing throws busy when a block does not end, and can be tried again")
  func closingThrowsBusy() async throws {
    let scheduler = scheduler(writerWait: .milliseconds(30))
    let release = TestLatch()
    try await scheduler.holdWriter(until: release)
    #expect(try await onOwnThread { code(failure { try scheduler.close() }) } == .busy)
    async let again: Void = onOwnThread { try? scheduler.close() }
    release.open()
    try await again
    // The thread that held the slot may give it up late.
    try await onOwnThread { try patiently { try scheduler.close() } }
    #expect(scheduler.isAtRest)
  }

  @Test("6.10: after its commit point a block has no deadline, for what it waits for as well")
  func passedCommitPoint() throws {
    let scheduler = scheduler()
    try scheduler.write(within: .seconds(600)) { admission in
      #expect(RunningOperation.rest != nil)
      try admission.block.beginCommit()
      #expect(RunningOperation.rest == nil)
    }
    try RunningOperation.run(within: .seconds(600)) {
      try scheduler.write { admission in
        try admission.block.beginCommit()
        #expect(RunningOperation.rest == nil)
      }
      #expect(RunningOperation.rest != nil)
    }
  }

  @Test("6.10: a scope ends the wait for a close")
  func scopes() async throws {
    let scheduler = scheduler(streams: 1)
    let stream = try await scheduler.acquireStream()
    let closing = try await onOwnThread {
      code(
        failure { try RunningOperation.run(within: .milliseconds(30)) { try scheduler.close() } })
    }
    #expect(closing == .deadlineExceeded)
    stream.release()
    try await onOwnThread { try scheduler.close() }
    #expect(scheduler.isAtRest)
  }
}

extension SchedulerLog<Int> {
  fileprivate var sum: Int { all.reduce(0, +) }
  fileprivate var runningSums: [Int] {
    all.reduce(into: [0]) { sums, next in sums.append((sums.last ?? 0) + next) }
  }
}
