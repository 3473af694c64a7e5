import Dispatch
import Foundation
import ORMCore
import TestSupport
import Testing

@testable import ORM
@testable import ORMRows

/// Members of a group whose commit is refused, since others came in its way: clauses 6.4 and 6.8.
@Suite(.timeLimit(.minutes(30))) struct RefusedCommitTests {
  private struct Refused: Error {}

  private func save(_ name: String, in store: RefusingStore) -> Task<Snack, any Error> {
    Task { try await store.save(Snack(name)) }
  }

  private func names(_ store: RefusingStore) throws -> [String] {
    try store.read { try $0.fetch(Snack.all.sorted(by: .ascending(\.name))).map(\.name) }
  }

  @Test("6.4: a leader that is cancelled while its commit is refused ends alone")
  func cancelledLeader() async throws {
    let store = try RefusingStore()
    let release = TestLatch()
    try await store.runtime.transactions.holdWriter(until: release)
    let leader = save("leader", in: store)
    try await store.queue(of: 1)
    let follower = save("follower", in: store)
    try await store.queue(of: 2)
    store.onCommit { number in
      if number == 1 { leader.cancel() }
      return number == 1
    }
    release.open()
    await #expect(throws: CancellationError.self) { try await leader.value }
    #expect(try await follower.value.name == "follower")
    #expect(store.commits == 2)
    #expect(try names(store) == ["follower"])
  }

  @Test("6.8: the cancellation of a leader is no error of followers that fail with its commit")
  func cancelledLeaderOfBlock() async throws {
    let store = try RefusingStore()
    let release = TestLatch()
    try await store.runtime.transactions.holdWriter(until: release)
    let leader = save("leader", in: store)
    try await store.queue(of: 1)
    let codes = SchedulerLog<StoreError.Code?>()
    let runs = SchedulerLog<Int>()
    store.write(rows: 1, on: .global()) { transaction in
      runs.append(transaction.attempt)
      try transaction.save(Snack("block"))
    } completion: { result in
      codes.append(code(failure { _ = try result.get() }))
    }
    try await store.queue(of: 2)
    store.onCommit { _ in
      leader.cancel()
      return true
    }
    release.open()
    let error = await asyncFailure { _ = try await leader.value }
    #expect(code(error) == .contended)
    try await until { codes.all.count == 1 }
    // A block never runs twice, so that neither does its group.
    #expect(codes.all == [.contended])
    #expect(runs.all == [1])
    #expect(store.commits == 1)
    #expect(try names(store) == [])
  }

  @Test("6.4: a member that was cancelled after its group was refused does not run alone")
  func cancelledMember() async throws {
    let store = try RefusingStore()
    let release = TestLatch()
    try await store.runtime.transactions.holdWriter(until: release)
    let first = save("first", in: store)
    try await store.queue(of: 1)
    let second = save("second", in: store)
    try await store.queue(of: 2)
    let third = save("third", in: store)
    try await store.queue(of: 3)
    store.onCommit { number in
      // The first runs alone by now.
      if number == 2 { second.cancel() }
      return number == 1
    }
    release.open()
    #expect(try await first.value.name == "first")
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(try await third.value.name == "third")
    #expect(store.commits == 3)
    #expect(try names(store) == ["first", "third"])
  }

  @Test("6.4: members that run alone can be ended while they run, the leader and its followers")
  func endedWhileAlone() async throws {
    for member in 0..<2 {
      let scheduler = TransactionScheduler(options: .unhurried)
      let release = TestLatch()
      try await scheduler.holdWriter(until: release)
      let isAlone = TestLatch()
      let isCancelled = TestLatch()
      let commits = SchedulerLog<Int>()
      var tasks: [Task<Void, any Error>] = []
      for number in 0..<2 {
        let runs = SchedulerLog<Int>()
        tasks.append(
          Task {
            try await scheduler.write(shares: true) { admission in
              runs.append(number)
              if number == member, runs.all.count == 2 {
                isAlone.open()
                try isCancelled.wait()
              }
              try admission.block.beginCommit()
              guard case .outer(let block) = admission else { return }
              try block.admitFollowers(repeatsAlone: true)
              commits.append(number)
              if commits.all.count == 1 { throw Refused() }
            }
          })
        try await until { scheduler.waitingWriters == number + 1 }
      }
      release.open()
      try await isAlone.opened()
      let (ended, other) = (tasks[member], tasks[1 - member])
      ended.cancel()
      isCancelled.open()
      await #expect(throws: CancellationError.self, "\(member)") { try await ended.value }
      try await other.value
      #expect(commits.all == [0, 1 - member], "\(member)")
      try await until { scheduler.isAtRest }
    }
  }

  @Test("6.8: blocks share a commit where one writer writes at a time, and not where many do")
  func blocksOfManyWriters() async throws {
    for (areTogether, expected) in [(false, 1), (true, 3)] {
      let store = try RefusingStore(areTogether: areTogether)
      let release = TestLatch()
      try await store.runtime.transactions.holdWriter(until: release)
      let runs = SchedulerLog<Int>()
      let done = SchedulerLog<String?>()
      for number in 1...3 {
        store.write(rows: 1, on: .global()) { transaction in
          runs.append(transaction.attempt)
          return try transaction.save(Snack("\(number)"))
        } completion: { result in
          done.append(try? result.get().name)
        }
        try await store.queue(of: number)
      }
      release.open()
      try await until { done.all.count == 3 }
      #expect(done.all.compactMap { $0 }.sorted() == ["1", "2", "3"], "\(areTogether)")
      #expect(runs.all == [1, 1, 1], "\(areTogether)")
      #expect(store.commits == expected, "\(areTogether)")
    }
  }

  @Test("9.5: a block that many writers come in the way of runs as often as its attempts say")
  func attempts() async throws {
    let store = try RefusingStore(areTogether: true)
    store.onCommit { _ in true }
    let runs = SchedulerLog<Int>()
    let codes = SchedulerLog<StoreError.Code?>()
    store.write(rows: 1, on: .global()) { transaction in
      runs.append(transaction.attempt)
      try transaction.save(Snack("never"))
    } completion: { result in
      codes.append(code(failure { _ = try result.get() }))
    }
    try await until { codes.all.count == 1 }
    #expect(codes.all == [.contended])
    #expect(runs.all == [1, 2, 3])
    #expect(store.commits == 3)
    #expect(try names(store) == [])
  }
}

/// A store whose commits are refused where a closure says so, as if others had come in their way.
private final class RefusingStore: Store {
  private let base: FaultyStore
  let runtime: StoreRuntime

  /// Opens a store in memory.
  ///
  /// - Parameter areTogether: true if its writers run together, so that a block has three attempts.
  init(areTogether: Bool = false) throws {
    // The machine's load is not to decide who joins a commit.
    base = FaultyStore(try StoreKind.memory.openStore { $0.joining = .seconds(3_600) })
    guard areTogether else {
      runtime = base.runtime
      return
    }
    runtime = StoreRuntime(models: base.runtime.models, options: base.runtime.options)
    runtime.runWritersTogether(ConcurrentWriters(maximum: 1, attempts: 3, rerunsHooks: false))
  }

  var schema: StoredSchema { base.schema }

  /// The number of commits, those that were refused among them.
  var commits: Int { base.count(of: .commit) }

  /// Calls a closure at each commit from now on, with its number; true refuses it.
  func onCommit(_ refuses: @escaping @Sendable (Int) -> Bool) {
    base.add(
      .call(.commit) { number in
        if refuses(number) { throw StoreError(.contended, "others came in the way") }
      })
  }

  /// Waits until so many operations wait for the writer.
  func queue(of count: Int) async throws {
    try await until { self.runtime.transactions.waitingWriters == count }
  }

  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader { try base.reader(turn) }

  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter { try base.writer(turn) }

  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}
