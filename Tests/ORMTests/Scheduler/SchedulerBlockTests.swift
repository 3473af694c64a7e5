import Dispatch
import Testing

@testable import ORM
@testable import ORMRows
@testable import ORMStorage

/// Blocks of the real scheduler on one thread: nesting, the current transaction, errors (6.3, 5.5).
@Suite(.timeLimit(.minutes(30))) struct SchedulerBlockTests {
  private struct Failure: Error, Equatable { var number: Int }
  private final class Marker { let name: String; init(_ name: String) { self.name = name } }

  @Test("6.3: the table of blocks inside blocks of one thread")
  func reentrancy() throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    try scheduler.write { outer in
      #expect(!outer.isNested && outer.block.kind == .write)
      try scheduler.write { inner in #expect(inner.isNested && inner.block.kind == .write) }
      try scheduler.read { inner in #expect(inner.isNested && inner.block.kind == .write) }
      try scheduler.read(consistency: .latestCommit) { inner in #expect(inner.block.kind == .write)
      }
    }
    try scheduler.read { outer in
      #expect(!outer.isNested && outer.block.kind == .read)
      try scheduler.read { inner in #expect(inner.isNested && inner.block.kind == .read) }
      #expect(code(failure { try scheduler.write { _ in } }) == .reentrancy)
    }
    #expect(scheduler.isAtRest)
  }

  @Test("6.3: blocks of two schedulers on one thread know nothing of one another")
  func gatesAreApart() throws {
    let one = TransactionScheduler(options: .unhurried)
    let other = TransactionScheduler(options: .unhurried)
    try one.read { _ in
      #expect(other.currentBlock() == nil)
      try other.write { admission in #expect(!admission.isNested) }
    }
  }

  @Test("5.5: what a body throws comes out as it was thrown, and the scheduler goes on")
  func errorsComeOut() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    #expect(
      failure { try scheduler.write { _ in throw Failure(number: 1) } } as? Failure
        == .init(number: 1))
    #expect(
      failure { try scheduler.read { _ in throw Failure(number: 2) } } as? Failure
        == .init(number: 2))
    let third = await asyncFailure { try await scheduler.write { _ in throw Failure(number: 3) } }
    #expect(third as? Failure == .init(number: 3))
    #expect(scheduler.isAtRest)
    #expect(try await scheduler.write { _ in 4 } == 4)
  }

  @Test("6.3: the current transaction is its thread's, and found by nested bodies")
  func currentTransaction() throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    #expect(scheduler.currentBlock() == nil)
    weak var kept: Marker?
    try scheduler.write { outer in
      #expect(outer.block.current == nil)
      let marker = Marker("outer")
      kept = marker
      outer.block.current = marker
      try scheduler.read { inner in #expect((inner.block.current as? Marker)?.name == "outer") }
      #expect((scheduler.currentBlock()?.current as? Marker)?.name == "outer")
      let other = DispatchQueue(label: "other")
      let seen = TestLatch()
      other.async {
        if scheduler.currentBlock() == nil { seen.open() }
      }
      try seen.wait()
    }
    #expect(kept == nil, "the scheduler releases a transaction with its block")
    #expect(scheduler.currentBlock() == nil)
    try scheduler.read { outer in #expect(outer.block.current == nil) }
  }

  @Test("6.3: a block is of no use after its end, nor on another thread")
  func blocksEnd() throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    var kept: TransactionScheduler.Block?
    try scheduler.write { admission in
      kept = admission.block
      try admission.block.checkRunning()
      nonisolated(unsafe) let block = admission.block
      let codes = SchedulerLog<StoreError.Code?>()
      let done = TestLatch()
      DispatchQueue(label: "other").async {
        codes.append(code(failure { try block.checkRunning() }))
        codes.append(code(failure { try block.beginCommit() }))
        done.open()
      }
      try done.wait()
      #expect(codes.all == [.transactionEnded, .transactionEnded])
    }
    let block = try #require(kept)
    #expect(code(failure { try block.checkRunning() }) == .transactionEnded)
    // The same slot, taken again by the same thread, is another block.
    try scheduler.write { admission in
      admission.block.current = Marker("second")
      #expect(code(failure { try block.beginCommit() }) == .transactionEnded)
      #expect(block.current == nil)
      block.current = Marker("stale")
      #expect((admission.block.current as? Marker)?.name == "second")
    }
  }

  @Test(
    "6.3: a sync operation inside the body of an async one is nested, since the thread is the same")
  func asyncBodiesNest() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let nested = try await scheduler.write { _ in
      try scheduler.write { inner in try scheduler.read { $0.isNested && inner.isNested } }
    }
    #expect(nested)
    let refused = try await scheduler.read { _ in code(failure { try scheduler.write { _ in } }) }
    #expect(refused == .reentrancy)
  }

  @Test("6.4: sync blocks belong to no task, and pass their commit point")
  func syncBlocksIgnoreTasks() async throws {
    let scheduler = TransactionScheduler(options: .unhurried)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      func sync() throws -> Bool {
        try scheduler.write { admission in
          try admission.block.checkStop()
          try admission.block.beginCommit()
          try admission.block.beginCommit()
          return admission.block.isCancelled
        }
      }
      return try sync()
    }
    #expect(try await task.value == false)
  }

  @Test("a guard knows a child from its parent, and nothing else")
  func forkCheck() throws {
    let generation = ForkCheck.Generation()
    let parent = ForkCheck(generation: generation)
    try parent.check()
    generation.childBegan()
    #expect(parent.isInherited)
    #expect(code(failure { try parent.check() }) == .forked)
    let child = ForkCheck(generation: generation)
    try child.check()
    try ForkCheck().check()
  }
}

extension TransactionScheduler.Admission {
  /// True if the body runs inside another.
  fileprivate var isNested: Bool {
    if case .nested = self { true } else { false }
  }
}
