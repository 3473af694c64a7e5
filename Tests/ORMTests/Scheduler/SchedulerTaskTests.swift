import Dispatch
import TestSupport
import Testing

@testable import ORM
@testable import ORMRows

/// Cancellation, completion handlers and commit notices (6.2, 6.4, 6.5).
@Suite(.timeLimit(.minutes(30))) struct SchedulerTaskTests {
  // MARK: 6.4

  @Test("6.4: a task cancelled while it waits leaves the queue, and the others keep their order")
  func cancelledBeforeAdmission() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let release = TestLatch()
    let log = SchedulerLog<Int>()
    try await scheduler.holdWriter(until: release)
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<5 {
      tasks.append(Task { try await scheduler.write { _ in log.append(number) } })
      try await until { scheduler.waitingWriters == number + 1 }
    }
    tasks[1].cancel()
    tasks[4].cancel()
    for number in [1, 4] {
      #expect(await asyncFailure { try await tasks[number].value } is CancellationError)
    }
    #expect(scheduler.waitingWriters == 3)
    release.open()
    for number in [0, 2, 3] { try await tasks[number].value }
    #expect(log.all == [0, 2, 3])
    try await until { scheduler.isAtRest }
  }

  @Test("6.4: a cancelled task's operation throws at once, without waiting")
  func cancelledBeforeTheCall() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let release = TestLatch()
    try await scheduler.holdWriter(until: release)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let write = await asyncFailure { try await scheduler.write { _ in } }
      let read = await asyncFailure { try await scheduler.read { _ in } }
      return write is CancellationError && read is CancellationError
    }
    #expect(await task.value)
    #expect(scheduler.waitingWriters == 0)
    release.open()
    try await until { scheduler.isAtRest }
  }

  @Test(
    "6.4: a task cancelled around its submission, before it is suspended, leaves the queue",
    arguments: [true, false])
  func cancelledAroundTheSubmission(isSubmittedFirst: Bool) async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let release = TestLatch()
    try await scheduler.holdWriter(until: release)
    let outcome = AsyncOutcome()
    let job = SchedulerJob(.write(ticketed: false)) { _ in
      Issue.record("a cancelled block ran")
    } finish: {
      outcome.resolve($0)
    }
    // The write before it suspends, and its cancellation handler.
    if isSubmittedFirst {
      job.submit(to: scheduler)
      #expect(scheduler.waitingWriters == 1)
    }
    job.cancel(in: scheduler)
    if !isSubmittedFirst { job.submit(to: scheduler) }
    #expect(scheduler.waitingWriters == 0)
    #expect(await asyncFailure { try await outcome.success() } is CancellationError)
    release.open()
    try await until { scheduler.isAtRest }
  }

  @Test("the first outcome counts, and later ones are ignored", arguments: [true, false])
  func outcomesAfterTheFirst(isFirstAFailure: Bool) async throws {
    struct Failure: Error {}
    let known = AsyncOutcome()
    known.resolve(isFirstAFailure ? Failure() : nil)
    known.resolve(isFirstAFailure ? nil : Failure())
    let failure = await asyncFailure { try await known.success() }
    #expect((failure is Failure) == isFirstAFailure)
    known.resolve(Failure())
  }

  @Test("6.4: cancelled before the commit point, the block learns of it and must not commit")
  func cancelledBeforeTheCommitPoint() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let began = TestLatch()
    let cancelled = TestLatch()
    let committed = SchedulerLog<Bool>()
    let task = Task {
      try await scheduler.write { admission in
        #expect(!admission.block.isCancelled)
        try admission.block.checkStop()
        began.open()
        try cancelled.wait()
        #expect(admission.block.isCancelled)
        // A nested body is in the same block.
        #expect(try scheduler.read { $0.block.isCancelled })
        #expect(failure { try admission.block.checkStop() } is CancellationError)
        try admission.block.beginCommit()
        committed.append(true)
      }
    }
    try await began.opened()
    task.cancel()
    cancelled.open()
    #expect(await asyncFailure { try await task.value } is CancellationError)
    #expect(committed.all.isEmpty)
    // The same slot's next block is not cancelled.
    #expect(try await scheduler.write { $0.block.isCancelled } == false)
  }

  @Test("6.4: a block that starts at once learns of every cancellation before its commit point")
  func cancelledAsSoonAsItRuns() async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<16 {
        group.addTask {
          let scheduler = TransactionScheduler(options: .unhurried)
          for _ in 0..<200 {
            let task = SchedulerLog<@Sendable () -> Void>()
            let isKnown = TestLatch()
            let writing = Task {
              try await isKnown.opened()
              try await scheduler.write { admission in
                task.all[0]()
                try admission.block.beginCommit()
              }
            }
            task.append { writing.cancel() }
            isKnown.open()
            #expect(await asyncFailure { try await writing.value } is CancellationError)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("6.4: cancelled after the commit point, the write is reported done")
  func cancelledAfterTheCommitPoint() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let began = TestLatch()
    let cancelled = TestLatch()
    let task = Task {
      try await scheduler.write { admission in
        try admission.block.beginCommit()
        began.open()
        try cancelled.wait()
        #expect(!admission.block.isCancelled)
        try admission.block.beginCommit()
        return "done"
      }
    }
    try await began.opened()
    task.cancel()
    cancelled.open()
    #expect(try await task.value == "done")
  }

  @Test("6.4: whenever a task is cancelled, a write is reported done exactly when it committed")
  func outcomesAreTrue() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let seed = runSeed()
    let committed = SchedulerLog<Int>()
    let reported = SchedulerLog<Int>()
    await withTaskGroup { group in
      for number in 0..<300 {
        let pause = (seed &* 31 &+ UInt64(number) &* 7919) % 400
        group.addTask {
          let task = Task {
            try await scheduler.write { admission in
              try admission.block.checkStop()
              try admission.block.beginCommit()
              committed.append(number)
            }
          }
          if number.isMultiple(of: 3) { try? await Task.sleep(for: .microseconds(pause)) }
          if !number.isMultiple(of: 2) { task.cancel() }
          do {
            try await task.value
            reported.append(number)
          } catch is CancellationError {
          } catch {
            Issue.record("\(error), seed \(seed)")
          }
        }
      }
    }
    #expect(committed.all.sorted() == reported.all.sorted(), "seed \(seed)")
    #expect(Set(stride(from: 0, to: 300, by: 2)).isSubset(of: Set(committed.all)))
    #expect(scheduler.isAtRest)
  }

  @Test("6.4: a task cancelled while it asks for its turn never waits for the writer")
  func cancelledDuringSubmission() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let release = TestLatch()
    try await scheduler.holdWriter(until: release)
    for number in 0..<60 {
      let started = TestLatch()
      let task = Task {
        started.open()
        try await scheduler.write { _ in }
      }
      try started.wait()
      for _ in 0..<number * 20 { _ = scheduler.isAtRest }
      task.cancel()
      #expect(await asyncFailure { try await task.value } is CancellationError)
    }
    #expect(scheduler.waitingWriters == 0)
    release.open()
    try await until { scheduler.isAtRest }
  }

  // MARK: 6.2

  @Test("6.2: after a completion overload was called, every read on any thread sees its write")
  func readsSeePendingWrites() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let written = SchedulerLog<Int>()
    for round in 1...10 {
      scheduler.submitWrite(on: .global()) { _ in
        Thread.pause(milliseconds: 5)
        written.append(round)
      } completion: { _ in
      }
      let seen = try await withThrowingTaskGroup(of: Int.self) { group in
        for reader in 0..<12 {
          group.addTask {
            switch reader % 3 {
            case 0:
              return try await onOwnThread { try scheduler.read { _ in written.all.last ?? 0 } }
            case 1:
              return try await scheduler.read { _ in written.all.last ?? 0 }
            default:
              return try await withCheckedThrowingContinuation { continuation in
                scheduler.submitRead(on: .global()) { _ in
                  written.all.last ?? 0
                } completion: {
                  continuation.resume(with: $0)
                }
              }
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(seen == Array(repeating: round, count: 12))
    }
  }

  @Test("6.2: a read waits for pending writes that fail, too, and not for later ones")
  func readsWaitForFailures() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let first = TestLatch()
    let second = TestLatch()
    let log = SchedulerLog<String>()
    scheduler.submitWrite(on: .global()) { _ in
      try first.wait()
      log.append("failing write")
      throw SchedulerTestTimeout()
    } completion: { (_: Result<Void, any Error>) in
    }
    let read = Task { try await scheduler.read { _ in log.append("read") } }
    try await until { scheduler.waitingReaders == 1 }
    scheduler.submitWrite(on: .global()) { _ in
      try second.wait()
    } completion: { _ in
    }
    first.open()
    try await read.value
    #expect(log.all == ["failing write", "read"])
    second.open()
    try await until { scheduler.isAtRest }
  }

  @Test("6.2: a read for the newest commit, and one inside a block, do not wait")
  func readsThatDoNotWait() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let release = TestLatch()
    let inside = TestLatch()
    let nested = Task {
      try await onOwnThread {
        try scheduler.read { _ in
          inside.open()
          try release.wait()
          return try scheduler.read { _ in 1 }
        }
      }
    }
    try await inside.opened()
    let hold = TestLatch()
    scheduler.submitWrite(on: .global()) { _ in
      try hold.wait()
    } completion: { _ in
    }
    #expect(try await scheduler.read(consistency: .latestCommit) { _ in 2 } == 2)
    release.open()
    #expect(try await nested.value == 1)
    hold.open()
    try await until { scheduler.isAtRest }
  }

  @Test("6.2: a completion handler may read and write at once, on whatever queue")
  func handlersMayCallTheScheduler() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let queue = DispatchQueue(label: "handlers")
    let log = SchedulerLog<Int>()
    scheduler.submitWrite(on: queue) { _ in
      1
    } completion: { result in
      scheduler.submitWrite(on: queue) { _ in
        2
      } completion: { _ in
      }
      log.append((try? scheduler.read { _ in (try? result.get()) ?? 0 }) ?? -1)
      log.append((try? scheduler.write { _ in 3 }) ?? -1)
    }
    try await until { log.all == [1, 3] }
  }

  @Test("6.2: a completion overload called inside a write block comes after the block")
  func overloadsInsideABlock() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let log = SchedulerLog<String>()
    try await onOwnThread {
      try scheduler.write { _ in
        scheduler.submitWrite(on: .global()) { admission in
          if case .outer = admission { log.append("overload") }
        } completion: { _ in
        }
        Thread.pause(milliseconds: 5)
        try scheduler.read { _ in log.append("nested read") }
        log.append("end of block")
      }
      try scheduler.read { _ in log.append("read") }
    }
    #expect(log.all == ["nested read", "end of block", "overload", "read"])
  }

  // MARK: 6.5

  @Test("6.5: commits are announced once each, in the order of commits")
  func noticesComeInOrder() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let committed = SchedulerLog<String>()
    let first = SchedulerLog<CommitNotice>()
    let second = SchedulerLog<CommitNotice>()
    let one = scheduler.observeCommits { first.append($0) }
    var other: CommitObservation? = scheduler.observeCommits { second.append($0) }
    try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          try await scheduler.write { _ in
            committed.append("\(number)")
            scheduler.announce(CommitNotice(entities: ["\(number)"]))
          }
        }
      }
      try await group.waitForAll()
    }
    try await until { first.all.count == 100 && second.all.count == 100 }
    #expect(first.all.map(\.sequence) == Array(1...100))
    #expect(first.all.map(\.entities) == committed.all.map { [$0] })
    #expect(first.all == second.all)
    withExtendedLifetime(other) {}
    other = nil
    scheduler.announce(CommitNotice(entities: [], isFromOtherProcess: true))
    try await until { first.all.count == 101 }
    #expect(first.all.last?.isFromOtherProcess == true)
    one.cancel()
    one.cancel()
    #expect(scheduler.announce(CommitNotice(entities: [])) == 102)
    let late = SchedulerLog<CommitNotice>()
    let third = scheduler.observeCommits { late.append($0) }
    scheduler.announce(CommitNotice(entities: []))
    try await until { late.all.map(\.sequence) == [103] }
    #expect(first.all.count == 101 && second.all.count == 100)
    withExtendedLifetime(third) {}
  }
}

/// Sleeping where a body is synchronous.
private enum Thread {
  static func pause(milliseconds: Int) {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(milliseconds))
  }
}
