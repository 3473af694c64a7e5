import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ORM
@testable import ORMRows

/// Everything at once, from threads and tasks, with cancellations: what must hold at any time is
/// checked inside the blocks, and that each call ends exactly once at the end.
@Suite(.timeLimit(.minutes(30))) struct SchedulerStressTests {
  /// The state that the blocks see of one another.
  private final class Witness: Sendable {
    let readerSlots: Int
    let writers = Atomic<Int>(0)
    let readers = Atomic<Int>(0)
    let commits = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let faults = SchedulerLog<String>()

    init(readerSlots: Int) { self.readerSlots = readerSlots }

    func write(_ admission: TransactionScheduler.Admission) throws -> Int {
      if case .outer = admission {
        if writers.add(1, ordering: .sequentiallyConsistent).newValue != 1 {
          faults.append("two writers")
        }
        defer { writers.subtract(1, ordering: .sequentiallyConsistent) }
        try admission.block.beginCommit()
        return commits.add(1, ordering: .sequentiallyConsistent).newValue
      }
      faults.append("a nested block that should be an outer one")
      return 0
    }

    func read(atLeast commit: Int) -> Int {
      if readers.add(1, ordering: .sequentiallyConsistent).newValue > readerSlots {
        faults.append("too many readers")
      }
      defer { readers.subtract(1, ordering: .sequentiallyConsistent) }
      let seen = commits.load(ordering: .sequentiallyConsistent)
      if seen < commit { faults.append("a read saw \(seen), not \(commit)") }
      return seen
    }
  }

  @Test("6.1, 6.2, 6.4: one writer, enough readerSlots, own writes seen, and every call ends once")
  func everythingAtOnce() async throws {
    let seed = runSeed()
    var options = SchedulerOptions()
    options.readers = 3
    options.readerWait = .seconds(3_600)
    options.writerWait = .seconds(3_600)
    let scheduler = TransactionScheduler(options: options)
    let witness = Witness(readerSlots: 3)
    let queues = 8
    let rounds = 150
    try await withThrowingTaskGroup { group in
      for queue in 0..<queues {
        let start = seed &+ UInt64(queue) &* 0x9E37_79B9_7F4A_7C15
        if queue.isMultiple(of: 2) {
          group.addTask { try await tasks(scheduler, witness, rounds: rounds, seed: start) }
        } else {
          group.addTask {
            try await onOwnThread { try threads(scheduler, witness, rounds: rounds, seed: start) }
          }
        }
      }
      try await group.waitForAll()
    }
    try await until {
      witness.ended.load(ordering: .sequentiallyConsistent) == queues * rounds && scheduler.isAtRest
    }
    #expect(witness.faults.all == [], "seed \(seed)")
  }

  @Test("6.3: a turn that comes in the timestamp of giving up is taken or passed on, never lost")
  func turnsAreNotLost() async throws {
    var options = SchedulerOptions()
    options.writerWait = .microseconds(300)
    let scheduler = TransactionScheduler(options: options)
    let ran = SchedulerLog<Int>()
    let reported = SchedulerLog<Int>()
    try await withThrowingTaskGroup { group in
      for queue in 0..<6 {
        let body: @Sendable (Int) -> Void = { number in
          ran.append(number)
          _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(150))
        }
        group.addTask {
          for round in 0..<50 {
            let number = queue * 50 + round
            let error =
              if queue.isMultiple(of: 2) {
                try await onOwnThread {
                  code(failure { try scheduler.write { _ in body(number) } })
                }
              } else {
                code(await asyncFailure { try await scheduler.write { _ in body(number) } })
              }
            if error == nil { reported.append(number) } else { #expect(error == .busy) }
          }
        }
      }
      try await group.waitForAll()
    }
    try await until { scheduler.isAtRest }
    #expect(ran.all.sorted() == reported.all.sorted())
  }

  /// Sync operations, and blocks with a completion handler.
  private func threads(
    _ scheduler: TransactionScheduler, _ witness: Witness, rounds: Int, seed: UInt64
  ) throws {
    var dice = seed
    for _ in 0..<rounds {
      dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      switch (dice >> 33) % 4 {
      case 0:
        let mine = try scheduler.write { try witness.write($0) }
        _ = try scheduler.read { _ in witness.read(atLeast: mine) }
        witness.ended.add(1, ordering: .sequentiallyConsistent)
      case 1:
        // The commit of the overload is one more than what was there at the call, at least.
        let before = witness.commits.load(ordering: .sequentiallyConsistent)
        scheduler.submitWrite(on: .global()) {
          try witness.write($0)
        } completion: { _ in
          witness.ended.add(1, ordering: .sequentiallyConsistent)
        }
        _ = try scheduler.read { _ in witness.read(atLeast: before + 1) }
      case 2:
        scheduler.submitRead(on: .global()) { _ in
          witness.read(atLeast: 0)
        } completion: { _ in
          witness.ended.add(1, ordering: .sequentiallyConsistent)
        }
      default:
        _ = try scheduler.read(consistency: .latestCommit) { _ in
          try scheduler.read { _ in witness.read(atLeast: 0) }
        }
        witness.ended.add(1, ordering: .sequentiallyConsistent)
      }
    }
  }

  /// Async operations, some of them cancelled.
  private func tasks(
    _ scheduler: TransactionScheduler, _ witness: Witness, rounds: Int, seed: UInt64
  ) async throws {
    var dice = seed
    for _ in 0..<rounds {
      dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let task: Task<Int, any Error>
      if (dice >> 33).isMultiple(of: 2) {
        task = Task { try await scheduler.write { try witness.write($0) } }
      } else {
        task = Task { try await scheduler.read { _ in witness.read(atLeast: 0) } }
      }
      if (dice >> 35).isMultiple(of: 3) { task.cancel() }
      do {
        _ = try await task.value
      } catch is CancellationError {
      }
      witness.ended.add(1, ordering: .sequentiallyConsistent)
    }
  }
}
