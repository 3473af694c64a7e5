internal import Dispatch
internal import ORMStorage
internal import Synchronization

/// The resources of one slot of a scheduler, beside its state.
///
/// They are made once and used by one block after another, so that entering allocates nothing.
// The scheduler's lock admits one block at a time to a slot, and only the thread of that block touches
// `current`, `group`, `pooledReader`, `operation`, `isBound`, `hasLateEnd` and `span`.
package final class BlockSlot: SpanHolder, @unchecked Sendable {
  /// The slot of the scheduler.
  let id: SchedulerState.Slot
  /// The queue on which blocks run that come without a thread.
  ///
  /// A serial queue, because only serial queues are given a thread even while every thread of the
  /// shared pool is blocked.
  let queue: DispatchQueue
  /// The operations layer's transaction.
  var current: AnyObject?
  /// The commit point of the async call whose block this is.
  package var commitPoint: CommitPoint? {
    get { call.commitPoint }
    set { call.commitPoint = newValue }
  }
  /// The operation of the calls whose blocks run in the slot, asked for on their threads.
  private(set) lazy var operation = RunningOperation(
    until: { [call] in call.deadline },
    owning: { [unowned self] in group?.followers.isEmpty ?? true }
  ) { [call] in call.stop }
  /// The operations that joined the running block; nil in a block that does not share its commit.
  @exclusivity(unchecked) var group: CommitGroup?
  /// The engine's reader of the last read block, which has ended, for the next to begin anew; nil where
  /// none was stored.
  package var pooledReader: (any RestartableReader)?
  /// The process in which blocks run in the slot.
  let fork = ForkCheck()
  private let call = SlotCall()
  /// True if the thread of the running block was bound to its operation when the block began.
  private var isBound = false
  /// True if the end of the running block has more to do than others: its thread is bound, or instruments
  /// follow it.
  private(set) var hasLateEnd = false
  /// The transaction that instruments follow; of a group commit that of the operation that runs; nil
  /// without instruments.
  package internal(set) var span: TransactionSpan?
  /// Counts the blocks, so that a handle used too late is known.
  private let generation = Atomic<UInt64>(0)

  init(id: SchedulerState.Slot) {
    self.id = id
    queue = DispatchQueue(label: "ORM.TransactionScheduler.\(id.name)")
  }

  /// A block begins on the calling thread.
  func open(thread: ThreadIdentity, commitPoint: CommitPoint?) -> TransactionScheduler.Block {
    // Blocks in one slot are ordered by the scheduler's lock, so the counter needs no atomic addition.
    let next = generation.load(ordering: .relaxed) &+ 1
    generation.store(next, ordering: .relaxed)
    call.owner.store(thread.rawValue, ordering: .relaxed)
    if let commitPoint { self.commitPoint = commitPoint }
    return TransactionScheduler.Block(slot: self, generation: next)
  }

  /// The block that runs, for its own thread.
  func running() -> TransactionScheduler.Block {
    TransactionScheduler.Block(slot: self, generation: generation.load(ordering: .relaxed))
  }

  /// The block has ended; called on its thread before the slot is given up.
  func end() {
    if current != nil { current = nil }
    if commitPoint != nil { commitPoint = nil }
    if group != nil { group = nil }
    call.owner.store(0, ordering: .relaxed)
  }

  /// Lets the thread of the block that was opened work for its operation, until the block ends.
  func bind() {
    call.outer = RunningOperation.exchange(operation)
    isBound = true
    hasLateEnd = true
  }

  /// Lets instruments follow the block that was opened, until it ends.
  func follow(_ span: TransactionSpan) {
    self.span = span
    hasLateEnd = true
    span.enter()
  }

  /// Returns the thread to the operation that it worked for before the block, and the transaction to report.
  func takeLateEnd() -> TransactionSpan? {
    hasLateEnd = false
    if isBound { unbind() }
    defer { span = nil }
    return span
  }

  private func unbind() {
    isBound = false
    _ = RunningOperation.exchange(call.outer)
    call.outer = nil
  }

  /// Returns whether this block runs, on the calling thread.
  ///
  /// A thread always sees its own last stores, and no other thread stores its name.
  package func isRunning(_ generation: UInt64) -> Bool {
    call.owner.load(ordering: .relaxed) == ThreadIdentity.current.rawValue
      && self.generation.load(ordering: .relaxed) == generation
  }
}

/// The call whose block runs in a slot.
// Only the thread of the block, whose name `owner` has, touches `commitPoint` and `outer`.
private final class SlotCall: @unchecked Sendable {
  /// The thread of the running block; 0 between blocks.
  let owner = Atomic<UInt>(0)
  var commitPoint: CommitPoint?
  /// The operation that the thread worked for when the block began, and of which this is a part.
  var outer: RunningOperation?

  /// The time by which the commit point must be passed; the greatest number once it was.
  var deadline: UInt64 {
    if commitPoint?.isPassed == true { return .max }
    return min(commitPoint?.deadline ?? .max, outer?.deadline ?? .max)
  }

  /// The reason for the block to end before its commit point; nil on other threads.
  var stop: RunningOperation.Stop? {
    guard owner.load(ordering: .relaxed) == ThreadIdentity.current.rawValue, let commitPoint else {
      return nil
    }
    return commitPoint.isPassed ? nil : commitPoint.stop ?? outer?.stop
  }
}
