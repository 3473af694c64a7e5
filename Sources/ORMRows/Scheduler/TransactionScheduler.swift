/// The only entry point to a store's transactions: writers one at a time in the order of their
/// coming, and readers up to a number at once.
///
/// It keeps everything that clause 6 of the contract says of waiting, reentrance, cancellation and
/// commit notices.
///
/// If the store itself keeps writers apart, several of them run at once.
///
/// The scheduler knows nothing of stores: it runs bodies. The operations keep a transaction in the
/// ``Block/current`` of its block, where a nested body finds it:
///
/// <!-- not compiled: the scheduler is visible in this package only -->
/// ```swift
/// let count = try scheduler.write { admission in
///   switch admission {
///   case .outer(let block):
///     let transaction = try begin()
///     block.current = transaction
///     let result = try body(transaction)
///     try block.beginCommit()
///     try transaction.commit()
///     scheduler.announce(CommitNotice(entities: transaction.entities))
///     return result
///   case .nested(let block):
///     return try savepoint(in: block.current, body)
///   }
/// }
/// ```
///
/// The rules are in `SchedulerState`, a value; this class holds one under its lock and performs its
/// actions. Entering and leaving without waiting costs two passages of that lock and no allocation.
package final class TransactionScheduler: Sendable {
  /// The state that the lock protects.
  struct Guarded {
    var state: SchedulerState
    /// The waiters for a slot, by their numbers.
    var waiters: [UInt64: any SlotWaiter] = [:]
    /// The waiters for a stream.
    var streamWaiters: [UInt64: @Sendable (Answer<Void>) -> Void] = [:]
    /// The open streams, each with the closure that ends it when the scheduler closes.
    var streams: [UInt64: @Sendable () -> Void] = [:]
    var lastStream: UInt64 = 0
    /// The callers that close the scheduler, by their numbers.
    var closers: [UInt64: @Sendable (Answer<Void>) -> Void] = [:]
    var lastCloser: UInt64 = 0
  }

  /// The options the scheduler was made with.
  package let options: SchedulerOptions
  /// The store's instruments; nil for a store without any.
  let monitor: StoreMonitor?
  /// True if a block on a calling thread always takes the longer path: it has a deadline, or instruments
  /// follow it.
  private let isWatched: Bool
  let limits: SchedulerState.Limits
  let guarded: Lock<Guarded>
  package let notices = CommitNotices()
  let watch = CommitWatch()
  package let listeners = ChangeListeners()
  package let observers = ObserverRegistry()
  package let forkCheck = ForkCheck()
  private let writerSlot = BlockSlot(id: .writer)
  private let otherWriterSlots: [BlockSlot]
  private let readerSlots: [BlockSlot]

  /// Makes an open scheduler.
  package init(options: SchedulerOptions = SchedulerOptions(), monitor: StoreMonitor? = nil) {
    let limits = options.limits
    self.options = options
    self.monitor = monitor
    isWatched = options.operationLimit != nil || monitor != nil
    self.limits = limits
    guarded = Lock(Guarded(state: SchedulerState(limits: limits)))
    otherWriterSlots = (1..<limits.writers).map { BlockSlot(id: .otherWriter($0 - 1)) }
    readerSlots = (0..<limits.readers).map { BlockSlot(id: .reader($0)) }
  }

  /// Ends the listeners of a store that was released without being closed: no commit comes any more.
  deinit {
    guard listeners.isListening, !forkCheck.isInherited else { return }
    notices.afterNotices { [listeners] in listeners.close() }
  }

  /// The number of write blocks that may run at once.
  package var limitOfWriters: Int { limits.writers }
  /// The number of writers that wait in the queue.
  package var waitingWriters: Int { guarded.withLock { $0.state.writers.count } }

  /// Runs a write block on the calling thread, after every writer that came before.
  ///
  /// The thread is blocked while it waits. Inside a write block of this thread the body runs at
  /// once, nested. Errors of the body are thrown unchanged; besides, `reentrancy` is
  /// thrown inside a read block of this thread, `busy` after `writerWait`, `closed`, and `forked`.
  /// Tasks and their cancellation do not concern it.
  @inlinable
  package func write<T>(
    within: Duration? = nil, _ body: (Admission) throws -> T
  ) throws -> T {
    let admission = try enterWrite(within: within)
    do {
      let result = try body(admission)
      leave(admission)
      return result
    } catch {
      leave(admission, after: error)
      throw error
    }
  }

  /// Runs a read block on the calling thread, after the writes that are pending through
  /// blocks with a completion handler, unless the newest commit will do (clause 6.2).
  ///
  /// The thread is blocked while it waits for those or for a slot. Inside a block of this thread,
  /// write or read, the body runs at once, nested. Errors of the body are thrown
  /// unchanged; besides, `busy` is thrown after `readerWait`, `closed`, and `forked`.
  @inlinable
  package func read<T>(
    consistency: ReadConsistency = .afterPendingWrites, _ body: (Admission) throws -> T
  ) throws -> T {
    let admission = try enterRead(consistency: consistency)
    do {
      let result = try body(admission)
      leave(admission)
      return result
    } catch {
      leave(admission, after: error)
      throw error
    }
  }

  /// The block of this scheduler that runs on the calling thread, if any.
  package func currentBlock() -> Block? {
    guard !forkCheck.isInherited else { return nil }
    let thread = ThreadIdentity.current
    return guarded.withLock { $0.state.slot(of: thread) }.map { blockSlot($0).running() }
  }

  @usableFromInline
  package func enterWrite(within: Duration? = nil) throws -> Admission {
    try enter(.write(ticketed: false), within: within)
  }

  @usableFromInline
  package func enterRead(
    consistency: ReadConsistency, within: Duration? = nil
  ) throws -> Admission {
    try enter(.read(consistency: consistency), within: within)
  }

  /// Ends a body on its thread; the outermost releases the block's slot.
  ///
  /// It consumes the admission: a copy would cost a third of the whole passage.
  @usableFromInline
  package func leave(_ admission: consuming Admission) {
    guard case .outer(let block) = admission else { return }
    leave(block.slot)
  }

  /// Ends a body that threw, on its thread.
  @usableFromInline
  package func leave(_ admission: consuming Admission, after error: any Error) {
    guard case .outer(let block) = admission else { return }
    block.slot.span?.fail(error)
    leave(block.slot)
  }

  /// Ends the outermost body of a block on its thread.
  package func leave(_ slot: BlockSlot) {
    if slot.hasLateEnd { return leaveLate(slot) }
    leaveNow(slot)
  }

  /// Ends a block whose thread works for its operation, or which instruments follow: they are called once
  /// its slot is released.
  @inline(never)
  private func leaveLate(_ slot: BlockSlot) {
    let span = slot.takeLateEnd()
    leaveNow(slot)
    // In a child, another thread of its parent may have held a lock of an instrument.
    if forkCheck.isInherited { span?.abandon() } else { span?.end(nil) }
  }

  @inline(__always)
  private func leaveNow(_ slot: BlockSlot) {
    slot.end()
    // In a child, another thread of its parent may have held the lock.
    if forkCheck.isInherited { return }
    let id = slot.id
    update { $0.leave(id) }
  }

  /// Returns the resources of a slot.
  func blockSlot(_ slot: SchedulerState.Slot) -> BlockSlot {
    switch slot {
    case .writer: writerSlot
    case .otherWriter(let number): otherWriterSlots[number]
    case .reader(let number): readerSlots[number]
    }
  }

  /// Enters on the calling thread.
  ///
  /// - Parameter within: the time that the block may take, from now on; the store's own limit unless
  ///   given. A block inside of another is part of it: its own time is the caller's to watch.
  private func enter(
    _ request: SchedulerState.Request, within: Duration?
  ) throws -> Admission {
    try forkCheck.check()
    if within != nil || isWatched || RunningOperation.hasScopes {
      return try enter(request, until: deadline(within))
    }
    let thread = ThreadIdentity.current
    let entry = guarded.withLock { $0.state.enter(request, thread: thread) }
    switch entry {
    case .outer(let slot):
      return .outer(blockSlot(slot).open(thread: thread, commitPoint: nil))
    case .nested(let slot):
      return .nested(blockSlot(slot).running())
    case .mustWait:
      let slot = try waitForSlot(request, thread: thread, until: .max)
      return .outer(blockSlot(slot).open(thread: thread, commitPoint: nil))
    case .refused(let refusal):
      throw refusal.error(for: request)
    }
  }

  /// The deadline of a block that may take a duration; nil stands for the store's limit.
  package func deadline(_ within: Duration?) -> UInt64 {
    (within ?? options.operationLimit).map(RunningOperation.deadline) ?? .max
  }

  /// Enters with a deadline, by which the block has passed its commit point, or with instruments.
  @inline(never)
  private func enter(
    _ request: SchedulerState.Request, until deadline: UInt64
  ) throws -> Admission {
    let span = try beginSpan(request)
    do {
      let thread = ThreadIdentity.current
      let slot: SchedulerState.Slot
      switch guarded.withLock({ $0.state.enter(request, thread: thread) }) {
      case .outer(let free): slot = free
      case .nested(let slot): return .nested(blockSlot(slot).running())
      case .mustWait: slot = try waitForSlot(request, thread: thread, until: deadline)
      case .refused(let refusal): throw refusal.error(for: request)
      }
      let resources = blockSlot(slot)
      let mayEndEarly = deadline < .max || RunningOperation.hasScopes
      let block = resources.open(
        thread: thread, commitPoint: mayEndEarly ? CommitPoint(deadline: deadline) : nil)
      if mayEndEarly { resources.bind() }
      if let span { resources.follow(span) }
      return .outer(block)
    } catch {
      span?.end(error)
      throw error
    }
  }
}
