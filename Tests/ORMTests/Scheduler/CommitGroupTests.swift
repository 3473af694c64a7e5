import Dispatch
import Foundation
import Testing

@testable import ORM
@testable import ORMRows

/// Operations of several callers in one block: who joins, in what order, and what each gets.
@Suite struct CommitGroupTests {
  private struct Refused: Error {}

  /// A body's view: its name, and the way in which it was admitted.
  private struct Seen: Equatable, Sendable {
    var name: Int
    var how: String

    init(_ name: Int, _ how: String) {
      self.name = name
      self.how = how
    }
  }

  private final class Run: Sendable {
    let scheduler = TransactionScheduler(options: .unhurried)
    let seen = SchedulerLog<Seen>()
    let outcomes = SchedulerLog<String>()

    /// An operation that shares, as the operations' layer writes it; `commit` is what its own commit throws, and
    /// one that `breaksUp` leaves behind what it wrote when it throws.
    func submit(
      _ name: Int, shares: Bool = true, repeatsAlone: Bool = true, breaksUp: Bool = false,
      isBlock: Bool = false,
      operation: @escaping @Sendable () throws -> Void = {},
      commit: @escaping @Sendable () throws -> Void = {}
    ) {
      scheduler.submitWrite(shares: shares, on: .global()) { [seen] admission in
        if isBlock { admission.block.keepFromRepeating() }
        switch admission {
        case .outer(let block):
          seen.append(Seen(name, "outer"))
          try operation()
          try block.beginCommit()
          try block.admitFollowers(repeatsAlone: repeatsAlone)
          seen.append(Seen(name, "commits"))
          try commit()
        case .following(let block):
          seen.append(Seen(name, "follows"))
          do {
            try operation()
          } catch {
            if breaksUp, block.mayRepeat, !block.isRepeated { block.breakUp() }
            throw error
          }
          try block.beginCommit()
        case .nested: seen.append(Seen(name, "nested"))
        }
      } completion: { [outcomes] in
        switch $0 {
        case .success: outcomes.append("\(name)")
        case .failure(let error): outcomes.append("\(name) \(type(of: error))")
        }
      }
    }

    func settle(_ count: Int) async throws {
      try await until { self.outcomes.all.count == count }
      try await until { self.scheduler.isAtRest }
    }
  }

  @Test(
    "6.1: those who wait in the queue join the first, in their order; a block that does not share ends the line"
  )
  func neighboursJoin() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    for name in 1...3 { run.submit(name) }
    run.submit(4, shares: false)
    for name in 5...6 { run.submit(name) }
    release.open()
    try await run.settle(6)
    #expect(
      run.seen.all == [
        Seen(1, "outer"), Seen(2, "follows"), Seen(3, "follows"), Seen(1, "commits"),
        Seen(4, "outer"), Seen(4, "commits"),
        Seen(5, "outer"), Seen(6, "follows"), Seen(5, "commits"),
      ])
    #expect(Set(run.outcomes.all) == ["1", "2", "3", "4", "5", "6"])
  }

  @Test("6.4: a follower that throws fails alone")
  func followerFailsAlone() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    run.submit(1)
    run.submit(2, operation: { throw Refused() })
    run.submit(3)
    release.open()
    try await run.settle(3)
    #expect(Set(run.outcomes.all) == ["1", "2 Refused", "3"])
  }

  @Test("6.4: a leader that throws has no group, and the next one leads")
  func leaderFailsAlone() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    run.submit(1, operation: { throw Refused() })
    for name in 2...3 { run.submit(name) }
    release.open()
    try await run.settle(3)
    #expect(
      run.seen.all == [
        Seen(1, "outer"), Seen(2, "outer"), Seen(3, "follows"), Seen(2, "commits"),
      ])
    #expect(Set(run.outcomes.all) == ["1 Refused", "2", "3"])
  }

  @Test("6.4: when the shared commit fails each runs alone, in order")
  func eachRunsAlone() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    let commits = SchedulerLog<Int>()
    for name in 1...3 {
      run.submit(
        name,
        commit: {
          commits.append(name)
          // The shared one fails, and so does the third's own.
          if commits.all == [1] || name == 3 { throw Refused() }
        })
    }
    release.open()
    try await run.settle(3)
    #expect(
      run.seen.all == [
        Seen(1, "outer"), Seen(2, "follows"), Seen(3, "follows"), Seen(1, "commits"),
        Seen(1, "outer"), Seen(1, "commits"), Seen(2, "outer"), Seen(2, "commits"),
        Seen(3, "outer"), Seen(3, "commits"),
      ])
    #expect(commits.all == [1, 1, 2, 3])
    #expect(Set(run.outcomes.all) == ["1", "2", "3 Refused"])
  }

  @Test("6.8: blocks lead and join, and a follower that throws behind one undoes itself")
  func blocksJoin() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    run.submit(1)
    run.submit(2, isBlock: true)
    run.submit(3, breaksUp: true, operation: { throw Refused() })
    run.submit(4, isBlock: true)
    release.open()
    try await run.settle(4)
    #expect(
      run.seen.all == [
        Seen(1, "outer"), Seen(2, "follows"), Seen(3, "follows"), Seen(4, "follows"),
        Seen(1, "commits"),
      ])
    #expect(Set(run.outcomes.all) == ["1", "2", "3 Refused", "4"])
  }

  @Test("6.8: a shared commit with a block fails for all, and none runs again")
  func blocksRunOnce() async throws {
    for block in 1...3 {
      let run = Run()
      let release = TestLatch()
      try await run.scheduler.holdWriter(until: release)
      for name in 1...3 {
        run.submit(name, isBlock: name == block, commit: { throw Refused() })
      }
      release.open()
      try await run.settle(3)
      #expect(
        run.seen.all == [
          Seen(1, "outer"), Seen(2, "follows"), Seen(3, "follows"), Seen(1, "commits"),
        ], "\(block)")
      #expect(Set(run.outcomes.all) == ["1 Refused", "2 Refused", "3 Refused"], "\(block)")
    }
  }

  @Test("6.8: a block behind a follower that breaks its group up runs once")
  func blockBehindBreaking() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    run.submit(1)
    run.submit(2)
    run.submit(3, breaksUp: true, operation: { throw Refused() })
    run.submit(4, isBlock: true)
    release.open()
    try await run.settle(4)
    #expect(run.seen.all.filter { $0.name == 4 && $0.how != "commits" }.count == 1)
    #expect(Set(run.outcomes.all) == ["1", "2", "3 Refused", "4"])
  }

  @Test("6.8: no operation runs again if the shared commit may have been done")
  func unknownOutcome() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    run.submit(1, commit: { throw StoreError(.outcomeUnknown, "the answer was lost") })
    run.submit(2)
    run.submit(3, operation: { throw Refused() })
    run.submit(4)
    release.open()
    try await run.settle(4)
    #expect(
      run.seen.all == [Seen(1, "outer")] + (2...4).map { Seen($0, "follows") } + [
        Seen(1, "commits")
      ])
    #expect(
      Set(run.outcomes.all) == ["1 StoreError", "2 StoreError", "3 Refused", "4 StoreError"])
  }

  @Test("6.4: a follower that leaves something behind rolls its group back, and all run once more")
  func groupIsRetried() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    for name in 1...2 { run.submit(name) }
    run.submit(3, breaksUp: true, operation: { throw Refused() })
    run.submit(4)
    release.open()
    try await run.settle(4)
    let all = [Seen(1, "outer"), Seen(2, "follows"), Seen(3, "follows")]
    #expect(run.seen.all.filter { $0.name < 4 } == all + all + [Seen(1, "commits")])
    // The fourth had not begun, and joins the second run if it had joined the first.
    #expect(run.seen.all.count { $0.name == 4 && $0.how != "commits" } == 1)
    #expect(Set(run.outcomes.all) == ["1", "2", "3 Refused", "4"])
  }

  @Test("6.4: when the commit of a group that was rolled back fails, each runs alone")
  func brokenUpCommitFails() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    let commits = SchedulerLog<Int>()
    run.submit(
      1,
      commit: {
        commits.append(1)
        if commits.all == [1] { throw SchedulerTestTimeout() }
      })
    run.submit(2)
    run.submit(3, breaksUp: true, operation: { throw Refused() })
    run.submit(4)
    release.open()
    try await run.settle(4)
    let all = [Seen(1, "outer"), Seen(2, "follows"), Seen(3, "follows")]
    #expect(
      run.seen.all.filter { $0.name < 4 } == all + all + [
        Seen(1, "commits"), Seen(1, "outer"), Seen(1, "commits"), Seen(2, "outer"),
        Seen(2, "commits"), Seen(3, "outer"),
      ])
    // The fourth joins the second run if it had joined the first.
    #expect(
      run.seen.all.filter { $0.name == 4 }.suffix(2) == [Seen(4, "outer"), Seen(4, "commits")])
    #expect(Set(run.outcomes.all) == ["1", "2", "3 Refused", "4"])
  }

  @Test("6.4: operations that must not run twice all fail when their group is rolled back")
  func brokenUpWithoutRepeating() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    run.submit(1, repeatsAlone: false)
    run.submit(2, repeatsAlone: false, breaksUp: true, operation: { throw Refused() })
    run.submit(3)
    release.open()
    try await run.settle(3)
    // The third had not joined yet.
    #expect(Set(run.outcomes.all) == ["1 StoreError", "2 Refused", "3"])
  }

  @Test("6.1: more than join at once still join in their order, up to one that does not share")
  func manyJoin() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    for name in 1...40 { run.submit(name) }
    run.submit(41, shares: false)
    release.open()
    try await run.settle(41)
    #expect(
      run.seen.all == [Seen(1, "outer")] + (2...40).map { Seen($0, "follows") } + [
        Seen(1, "commits"), Seen(41, "outer"), Seen(41, "commits"),
      ])
  }

  @Test("6.4: operations that must not run twice all fail with the shared commit")
  func nobodyRunsTwice() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    run.submit(1, repeatsAlone: false, commit: { throw Refused() })
    run.submit(2, operation: { throw SchedulerTestTimeout() })
    run.submit(3)
    release.open()
    try await run.settle(3)
    #expect(Set(run.outcomes.all) == ["1 Refused", "2 SchedulerTestTimeout", "3 Refused"])
    #expect(run.seen.all.count { $0.how != "commits" } == 3)
  }

  @Test("6.4: a follower cancelled while it runs is undone alone; afterwards it is reported done")
  func cancelledFollower() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let release = TestLatch()
    try await scheduler.holdWriter(until: release)
    let isRunning = TestLatch()
    let isCancelled = TestLatch()
    let kept = SchedulerLog<Int>()
    let leader = Task {
      try await scheduler.write(shares: true) { admission in
        try admission.block.beginCommit()
        try admission.block.admitFollowers(repeatsAlone: true)
        kept.append(1)
      }
    }
    try await until { scheduler.waitingWriters == 1 }
    let follower = Task {
      try await scheduler.write(shares: true) { admission in
        isRunning.open()
        try isCancelled.wait()
        try admission.block.beginCommit()
        kept.append(2)
      }
    }
    try await until { scheduler.waitingWriters == 2 }
    release.open()
    try await isRunning.opened()
    follower.cancel()
    isCancelled.open()
    try await leader.value
    await #expect(throws: CancellationError.self) { try await follower.value }
    #expect(kept.all == [1])
    try await until { scheduler.isAtRest }
  }

  @Test("6.2: a read issued after a write that joined another begins after their commit")
  func readsWaitForTheSharedCommit() async throws {
    let run = Run()
    let release = TestLatch()
    try await run.scheduler.holdWriter(until: release)
    let committed = SchedulerLog<Int>()
    run.submit(
      1,
      commit: {
        usleep(20_000)
        committed.append(1)
      })
    run.submit(2)
    let read = Task { try await run.scheduler.read { _ in committed.all } }
    try await until { run.scheduler.waitingReaders == 1 }
    release.open()
    #expect(try await read.value == [1])
    try await run.settle(2)
  }
}
