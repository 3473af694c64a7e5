import Dispatch
import FoundationEssentials
import Testing

@testable import ORM

/// Waiting at the real gate: order, threads, time (6.1, 6.3, 6.7).
@Suite(.timeLimit(.minutes(30))) struct GateWaitingTests {
  private func gate(
    writerWait: Duration = .seconds(10), readerWait: Duration = .seconds(10), readers: Int = 2,
    streams: Int = 1
  ) -> TransactionGate {
    var options = GateOptions()
    options.writerWait = writerWait
    options.readerWait = readerWait
    options.readers = readers
    options.streams = streams
    return TransactionGate(options: options)
  }

  @Test("6.1: sync, async and completion writers run in the order of their coming")
  func mixedWritersAreFirstComeFirstServed() async throws {
    let gate = gate()
    let release = GateLatch()
    let log = GateLog<Int>()
    try await gate.holdWriter(until: release)
    try await withThrowingTaskGroup { group in
      for number in 0..<30 {
        switch number % 3 {
        case 0:
          group.addTask { try await onOwnThread { try gate.write { _ in log.append(number) } } }
        case 1:
          group.addTask { try await gate.write { _ in log.append(number) } }
        default:
          gate.submitWrite(on: DispatchQueue(label: "done")) { _ in
            log.append(number)
          } completion: { _ in
          }
        }
        try await until { gate.waitingWriters == number + 1 }
      }
      release.open()
      try await group.waitForAll()
    }
    try await until { gate.isAtRest }
    #expect(log.all == Array(0..<30))
  }

  private actor Issuer {
    var issued: [Int] = []
    func write(_ number: Int, to gate: TransactionGate, _ log: GateLog<Int>) async throws {
      issued.append(number)
      try await gate.write { _ in log.append(number) }
    }
  }

  @Test("6.1: an async writer takes its place before its caller is suspended")
  func placesAreTakenBeforeTheHop() async throws {
    let gate = gate()
    let issuer = Issuer()
    let log = GateLog<Int>()
    try await withThrowingTaskGroup { group in
      for number in 0..<300 {
        group.addTask { try await issuer.write(number, to: gate, log) }
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
      let gate = gate()
      let release = GateLatch()
      try await gate.holdWriter(until: release)
      let before = try threadCount()
      let count = try await withThrowingTaskGroup { group in
        for _ in 0..<200 { group.addTask { try await gate.write { _ in } } }
        try await until { gate.waitingWriters == 200 }
        gate.submitWrite(on: .global()) { _ in
        } completion: { _ in
        }
        for _ in 0..<200 { group.addTask { try await gate.read { _ in } } }
        try await until { gate.waitingReaders == 200 }
        let count = try threadCount()
        release.open()
        try await group.waitForAll()
        return count
      }
      // Tests beside this one start threads of their own, a few dozen at most.
      #expect(count - before < 100)
      try await until { gate.isAtRest }
    }
  #endif

  @Test("6.1: async blocks run while sync callers block every thread of the task pool")
  func asyncBlocksNeedNoPooledThread() async throws {
    let gate = gate()
    let release = GateLatch()
    let log = GateLog<Int>()
    try await gate.holdWriter(until: release)
    let task = Task { try await gate.write { _ in log.append(0) } }
    try await until { gate.waitingWriters == 1 }
    // More blocked callers than the global queue has threads.
    for number in 1...40 {
      DispatchQueue.global().async { _ = try? gate.write { _ in log.append(number) } }
    }
    // The pool that runs this test may be the one that is blocked: a thread of its own lets go.
    DispatchQueue(label: "release").asyncAfter(deadline: .now() + .milliseconds(30)) {
      release.open()
    }
    try await task.value
    try await until { log.all.count == 41 }
    #expect(log.all.first == 0)
  }

  @Test("6.3: every kind of writer throws busy after writerWait, and nobody else is disturbed")
  func writersThrowBusy() async throws {
    let gate = gate(writerWait: .milliseconds(40))
    let release = GateLatch()
    try await gate.holdWriter(until: release)
    let start = ContinuousClock.now
    let completed = GateLog<StoreError.Code?>()
    gate.submitWrite(on: .global()) { _ in
    } completion: { result in
      completed.append(code(failure { try result.get() }))
    }
    async let async = asyncFailure { try await gate.write { _ in } }
    async let sync = onOwnThread { code(failure { try gate.write { _ in } }) }
    #expect(try await sync == .busy)
    #expect(code(await async) == .busy)
    try await until { completed.all == [.busy] }
    #expect(ContinuousClock.now - start >= .milliseconds(40))
    #expect(gate.waitingWriters == 0)
    release.open()
    try await until { gate.isAtRest }
    #expect(try await gate.write { _ in 1 } == 1)
  }

  @Test("6.3: every kind of read throws busy after readerWait when the seats stay taken")
  func readersThrowBusy() async throws {
    let gate = gate(readerWait: .milliseconds(40), readers: 1)
    let release = GateLatch()
    let began = GateLatch()
    let holder = Task {
      try await gate.read { _ in
        began.open()
        try release.wait()
      }
    }
    try await began.opened()
    let completed = GateLog<StoreError.Code?>()
    gate.submitRead(on: .global()) { _ in
    } completion: { result in
      completed.append(code(failure { try result.get() }))
    }
    async let async = asyncFailure { try await gate.read { _ in } }
    async let sync = onOwnThread { code(failure { try gate.read { _ in } }) }
    #expect(try await sync == .busy)
    #expect(code(await async) == .busy)
    try await until { completed.all == [.busy] }
    release.open()
    try await holder.value
    try await until { gate.isAtRest }
  }

  @Test("6.1: no more read blocks than seats run at once, and as many as there are seats")
  func readerLimit() async throws {
    let gate = gate(readers: 3)
    let inside = GateLog<Int>()
    let all = GateLatch()
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        let body: @Sendable (TransactionGate.Admission) throws -> Void = { _ in
          inside.append(1)
          if inside.sum == 3 { all.open() }
          try all.wait()
          inside.append(-1)
        }
        group.addTask {
          if number.isMultiple(of: 2) {
            try await gate.read(body)
          } else {
            try await onOwnThread { try gate.read(body) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(inside.all.count == 40)
    #expect(inside.runningSums.max() == 3)
    #expect(gate.isAtRest)
  }

  @Test("6.7: streams are counted; one too many throws busy when it has waited")
  func tooManyStreams() async throws {
    let gate = gate(readerWait: .milliseconds(40), streams: 2)
    let slots = [try await gate.acquireStream(), try await gate.acquireStream()]
    #expect(code(await asyncFailure { _ = try await gate.acquireStream() }) == .busy)
    let sync = try await onOwnThread { code(failure { _ = try gate.acquireStream() }) }
    #expect(sync == .busy)
    for slot in slots { slot.release() }
    #expect(gate.isAtRest)
  }

  @Test("6.7: a stream that waits follows a release, and not when it was cancelled")
  func waitingStreams() async throws {
    let gate = gate(readerWait: .seconds(60), streams: 2)
    let first = try await gate.acquireStream()
    var second: TransactionGate.StreamSlot? = try await gate.acquireStream()
    let waiting = Task { try await gate.acquireStream() }
    let cancelled = Task { try await gate.acquireStream() }
    cancelled.cancel()
    #expect(await asyncFailure { _ = try await cancelled.value } is CancellationError)
    first.release()
    first.release()
    let third = try await waiting.value
    // The last reference gives the place up, too.
    withExtendedLifetime(second) {}
    second = nil
    let fourth = try await onOwnThread { try gate.acquireStream() }
    third.release()
    fourth.release()
    #expect(gate.isAtRest)
  }

  @Test("closing waits for what runs and for promised writes, and then everything throws closed")
  func closing() async throws {
    let gate = gate()
    let release = GateLatch()
    let log = GateLog<String>()
    try await gate.holdWriter(until: release)
    gate.submitWrite(on: .global()) { _ in
      log.append("promised")
    } completion: { _ in
    }
    let ends = GateLog<TransactionGate.StreamSlot>()
    let stream = try await gate.acquireStream {
      log.append("stream")
      for slot in ends.all { slot.release() }
    }
    ends.append(stream)
    let inside = try await gate.read(consistency: .latestCommit) { _ in
      code(failure { try gate.close() })
    }
    #expect(inside == .reentrancy)
    async let closed: Void = onOwnThread {
      try gate.close()
      log.append("closed")
    }
    try await until { log.all == ["stream"] }
    #expect(code(await asyncFailure { try await gate.read { _ in } }) == .closed)
    release.open()
    try await closed
    #expect(log.all == ["stream", "promised", "closed"])
    #expect(code(await asyncFailure { try await gate.write { _ in } }) == .closed)
    let sync = try await onOwnThread {
      [
        code(failure { try gate.write { _ in } }), code(failure { try gate.read { _ in } }),
        code(failure { _ = try gate.acquireStream() }), code(failure { try gate.close() }),
      ]
    }
    #expect(sync == [.closed, .closed, .closed, nil])
    let twin = GateLog<StoreError.Code?>()
    gate.submitRead(on: .global()) { _ in
    } completion: { result in
      twin.append(code(failure { try result.get() }))
    }
    try await until { twin.all == [.closed] }
  }

  @Test("6.3: closing throws busy when a block does not end, and can be tried again")
  func closingThrowsBusy() async throws {
    let gate = gate(writerWait: .milliseconds(30))
    let release = GateLatch()
    try await gate.holdWriter(until: release)
    #expect(try await onOwnThread { code(failure { try gate.close() }) } == .busy)
    async let again: Void = onOwnThread { try? gate.close() }
    release.open()
    try await again
    try await onOwnThread { try gate.close() }
    #expect(gate.isAtRest)
  }
}

extension GateLog<Int> {
  fileprivate var sum: Int { all.reduce(0, +) }
  fileprivate var runningSums: [Int] {
    all.reduce(into: [0]) { sums, next in sums.append((sums.last ?? 0) + next) }
  }
}
