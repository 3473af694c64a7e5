internal import Dispatch

/// A block that comes without a thread: an async operation's, or that of a block with a completion handler.
///
/// The scheduler decides once whether it runs or is refused. Until then it is a value in the scheduler's
/// queue and an entry in its table, and holds no thread. The result of the body is stored elsewhere
/// (``PendingResult``), so that this class is not generic: looking up generic metadata takes longer than
/// the work of a job.
// `waiterID` is guarded by the scheduler's lock; that lock hands `body`, `failure` and `hasRun` to
// the one thread that runs or refuses the job.
final class SchedulerJob: CommitPoint, @unchecked Sendable {
  let request: SchedulerState.Request
  /// Takes the outcome, once, after the block's slot was released.
  private let finish: @Sendable ((any Error)?) -> Void
  private var body: ((TransactionScheduler.Admission) throws -> Void)?
  /// The error that the body threw when it last ran; nil if it succeeded.
  ///
  /// Before the body has run, it is a `CancellationError`.
  private var failure: (any Error)? = CancellationError()
  /// True once the body was to run.
  private var hasRun = false
  /// The number under which it waits, or waited; nil before.
  private var waiterID: UInt64?

  init(
    _ request: SchedulerState.Request, deadline: UInt64 = .max,
    body: sending @escaping (TransactionScheduler.Admission) throws -> Void,
    finish: @escaping @Sendable ((any Error)?) -> Void
  ) {
    self.request = request
    self.body = body
    self.finish = finish
    super.init(deadline: deadline)
  }

  /// Asks for a slot, once; the order of these calls is the order of the blocks.
  func submit(to scheduler: TransactionScheduler) {
    do { try scheduler.forkCheck.check() } catch { return end(error) }
    var effects: [TransactionScheduler.Effect] = []
    let entry = scheduler.guarded.withLock { guarded in
      let entry = guarded.state.enter(request, thread: nil)
      guard entry == .mustWait else { return entry }
      let (id, actions) = guarded.state.queue(request, thread: nil, now: TransactionScheduler.now)
      waiterID = id
      guarded.waiters[id] = self
      effects = scheduler.prepare(actions, in: &guarded)
      return entry
    }
    scheduler.perform(effects)
    switch entry {
    case .outer(let slot): run(in: scheduler, id: slot)
    case .refused(let refusal): end(refusal.error(for: request))
    case .mustWait:
      if stop != nil { leaveQueue(of: scheduler) } else { watchDeadline(in: scheduler) }
    case .nested: break
    }
  }

  /// Cancels the block: before its turn it leaves the queue; later the block learns of it, unless
  /// it has passed its commit point.
  ///
  /// May be called while another thread submits the job: the mark is set before the queue is
  /// looked at, and ``submit(to:)`` looks at the mark once the job is in the queue.
  func cancel(in scheduler: TransactionScheduler) {
    cancel()
    leaveQueue(of: scheduler)
  }

  /// Ends a job that still waits; one that the scheduler has answered is left to its answer.
  private func leaveQueue(of scheduler: TransactionScheduler) {
    if scheduler.abandon(waiterID) { end(stop?.error ?? CancellationError()) }
  }

  /// Takes a job that waits out of the queue at its deadline.
  private func watchDeadline(in scheduler: TransactionScheduler) {
    if deadline == .max { return }
    TransactionScheduler.alarms.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: deadline)) {
      [weak self, weak scheduler] in
      guard let self, let scheduler else { return }
      if RunningOperation.now < self.deadline { return self.watchDeadline(in: scheduler) }
      if self.stop != nil { self.leaveQueue(of: scheduler) }
    }
  }

  /// True if it may be committed with others.
  private var shares: Bool {
    if case .write(_, shares: true) = request { true } else { false }
  }

  /// Runs the block on its slot's queue: one hop for the whole transaction.
  private func run(in scheduler: TransactionScheduler, id: SchedulerState.Slot) {
    let slot = scheduler.blockSlot(id)
    slot.queue.async { [self] in
      let thread = ThreadIdentity.current
      scheduler.guarded.withLock { $0.state.begin(id, thread: thread) }
      let block = slot.open(thread: thread, commitPoint: self)
      slot.operation.bind { run(block, in: scheduler, thread) }
    }
  }

  private func run(
    _ block: TransactionScheduler.Block, in scheduler: TransactionScheduler,
    _ thread: ThreadIdentity
  ) {
    let slot = block.slot
    if shares { slot.group = CommitGroup(scheduler: scheduler, slot: slot.id) }
    attempt(.outer(block))
    if let group = slot.group, group.isRolledBack, group.repeatsAlone {
      slot.end()
      let again = slot.open(thread: thread, commitPoint: self)
      slot.group = CommitGroup(repeating: group)
      attempt(.outer(again))
    }
    let followers = slot.group?.followers ?? []
    if let failure, let group = slot.group, !followers.isEmpty {
      // Only the commit comes after the followers, unless they ran before. One that may have been done is
      // never repeated.
      let mayBeDone = (failure as? StoreError)?.code == .outcomeUnknown
      if group.repeatsAlone, !mayBeDone {
        runAlone(in: slot, thread: thread)
        for follower in followers { follower.runAlone(in: slot, thread: thread) }
      } else {
        for follower in followers { follower.commitFailed(failure) }
      }
    }
    scheduler.leave(.outer(block))
    conclude()
    for follower in followers { follower.conclude() }
  }

  /// Runs the body, unless the task was cancelled or the deadline has passed before its turn.
  ///
  /// Stores that stop a running request, and stores that run it to its end, report both alike.
  private func attempt(_ admission: TransactionScheduler.Admission) {
    // The commit of the run before was refused: until the next one it may be ended again.
    if hasRun { reopen() }
    hasRun = true
    do {
      try admission.block.checkStop()
      guard let body else { throw CancellationError() }
      try body(admission)
      // A read has no commit point.
      if case .read = request { try admission.block.checkStop() }
      failure = nil
    } catch {
      failure = error is StoreError ? admission.block.stop?.error ?? error : error
    }
  }

  /// Ends without having run.
  private func end(_ error: any Error) {
    failure = error
    conclude()
  }
}

extension SchedulerJob: SlotWaiter {
  func take(
    _ answer: TransactionScheduler.Answer<SchedulerState.Slot>, in scheduler: TransactionScheduler
  ) {
    switch answer {
    case .success(let slot): run(in: scheduler, id: slot)
    case .failure(let refusal): end(refusal.error(for: request))
    }
  }

  var sharing: (any SharingJob)? { shares ? self : nil }
}

extension SchedulerJob: SharingJob {
  func follow(in block: TransactionScheduler.Block) {
    // The commit point is each operation's own: a cancellation concerns the operation of its caller alone.
    let leading = block.slot.commitPoint
    block.slot.commitPoint = self
    attempt(.following(block))
    block.slot.commitPoint = leading
  }

  func runAlone(in slot: BlockSlot, thread: ThreadIdentity) {
    slot.end()
    attempt(.outer(slot.open(thread: thread, commitPoint: self)))
  }

  func commitFailed(_ error: any Error) {
    if failure == nil || !hasRun { failure = error }
  }

  func conclude() {
    body = nil
    finish(failure)
  }
}
