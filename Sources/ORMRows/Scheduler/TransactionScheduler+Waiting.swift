internal import Dispatch

/// A waiter for a slot.
protocol SlotWaiter: AnyObject, Sendable {
  /// Takes the answer, once, outside the scheduler's lock.
  func take(
    _ answer: TransactionScheduler.Answer<SchedulerState.Slot>, in scheduler: TransactionScheduler)
  /// Itself, where it may join the writer before it.
  var sharing: (any SharingJob)? { get }
}

extension TransactionScheduler {
  /// A piece of work to perform once the lock is released.
  typealias Effect = @Sendable () -> Void
  /// The outcome for a waiter, delivered once.
  typealias Answer<Grant> = Result<Grant, SchedulerState.Refusal>

  /// Rings for all schedulers.
  ///
  /// It does nothing but answer, so that no scheduler delays another's.
  static let alarms = DispatchQueue(label: "ORM.TransactionScheduler.alarms")

  /// The clock of every deadline.
  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Performs, outside the lock, the effects that were decided under it.
  func perform(_ effects: [Effect]) {
    for effect in effects { effect() }
  }

  /// Changes the state and performs its actions.
  func update(_ change: (inout SchedulerState) -> [SchedulerState.Action]) {
    let effects = guarded.withLock { guarded -> [Effect]? in
      let actions = change(&guarded.state)
      return actions.isEmpty ? nil : prepare(actions, in: &guarded)
    }
    if let effects { perform(effects) }
  }

  /// Turns the state's actions into effects, and removes the waiters that they answer.
  func prepare(_ actions: [SchedulerState.Action], in guarded: inout Guarded) -> [Effect] {
    var effects: [Effect] = []
    for action in actions {
      switch action {
      case .admit(let id, let slot):
        if let waiter = guarded.waiters.removeValue(forKey: id) {
          effects.append { waiter.take(.success(slot), in: self) }
        }
      case .open(let id):
        if let answer = guarded.streamWaiters.removeValue(forKey: id) {
          effects.append { answer(.success(())) }
        }
      case .refuse(let id, let refusal):
        if let waiter = guarded.waiters.removeValue(forKey: id) {
          effects.append { waiter.take(.failure(refusal), in: self) }
        } else if let answer = guarded.streamWaiters.removeValue(forKey: id) {
          effects.append { answer(.failure(refusal)) }
        }
      case .alarm(let time):
        effects.append { [weak self] in
          Self.alarms.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self] in
            // A timer that rings a little early counts as being on time.
            self?.update { $0.tick(now: max(time, Self.now)) }
          }
        }
      case .idle:
        for closer in guarded.closers.values { effects.append { closer(.success(())) } }
        guarded.closers = [:]
      }
    }
    return effects
  }

  /// Removes a waiter from the queues; false if it was admitted or refused already, or does not wait.
  ///
  /// The number is read under the lock.
  func abandon(_ waiterID: @autoclosure () -> UInt64?) -> Bool {
    let effects = guarded.withLock { guarded -> [Effect]? in
      guard let id = waiterID(), let actions = guarded.state.abandon(id) else { return nil }
      guarded.waiters[id] = nil
      guarded.streamWaiters[id] = nil
      return self.prepare(actions, in: &guarded)
    }
    guard let effects else { return false }
    perform(effects)
    return true
  }

  /// Appends a thread that is in no block to the queue, and blocks it until its turn.
  ///
  /// The deadline ends the wait, and so does the operation of which this is a part, by its deadline or
  /// its cancellation.
  func waitForSlot(
    _ request: SchedulerState.Request, thread: ThreadIdentity, until deadline: UInt64
  ) throws -> SchedulerState.Slot {
    let parked = ParkedThread<SchedulerState.Slot>()
    let id = guarded.withLock { guarded -> UInt64? in
      switch guarded.state.enter(request, thread: thread) {
      case .outer(let slot), .nested(let slot):
        parked.resume(.success(slot))
      case .refused(let refusal):
        parked.resume(.failure(refusal))
      case .mustWait:
        let id = guarded.state.queue(request, thread: thread, now: Self.now).id
        guarded.waiters[id] = parked
        return id
      }
      return nil
    }
    let wait = if case .write = request { limits.writerWait } else { limits.readerWait }
    let operation = RunningOperation.current
    let (now, end) = (Self.now, min(deadline, operation?.deadline ?? .max))
    let rest = end > now ? end - now : 0
    switch answer(to: parked, id: id, within: min(wait, rest), of: operation) {
    case .success(let slot): return slot
    case .failure(.busy) where rest <= wait && Self.now >= end:
      throw RunningOperation.Stop.deadline.error
    case .failure(let refusal):
      if refusal == .busy { try operation?.check() }
      throw refusal.error(for: request)
    }
  }

  /// Blocks the calling thread until it is answered or its time is over.
  ///
  /// - Throws: `deadlineExceeded`, `CancellationError` where the operation that the thread works for ends
  ///   first.
  func operationAnswer<Grant>(
    to parked: ParkedThread<Grant>, id: UInt64?, _ wait: UInt64
  ) throws -> Answer<Grant> {
    guard let operation = RunningOperation.current else {
      return answer(to: parked, id: id, within: wait)
    }
    let now = Self.now
    let rest = operation.deadline > now ? operation.deadline - now : 0
    let answer = answer(to: parked, id: id, within: min(wait, rest), of: operation)
    if case .failure(.busy) = answer { try operation.check() }
    return answer
  }

  /// The time after which a thread that waits asks its operation whether it is to end early.
  private static var look: UInt64 { 25_000_000 }

  /// Blocks the calling thread until it is answered or its time is over, or until its operation is to end
  /// early; `id` is nil when nothing needs to be taken out of a queue then.
  func answer<Grant>(
    to parked: ParkedThread<Grant>, id: UInt64?, within wait: UInt64,
    of operation: RunningOperation? = nil
  ) -> Answer<Grant> {
    let (deadline, overflow) = Self.now.addingReportingOverflow(wait)
    let time = overflow ? DispatchTime.distantFuture : DispatchTime(uptimeNanoseconds: deadline)
    if let operation {
      while !operation.isStopped, case let next = Self.now &+ Self.look, overflow || next < deadline
      {
        if let answer = parked.wait(until: DispatchTime(uptimeNanoseconds: next)) { return answer }
      }
    }
    let end = operation?.isStopped == true ? .now() : time
    if let answer = parked.wait(until: end) { return answer }
    if let id, !abandon(id) {
      // The answer was decided while the time ran out, and will come.
      return parked.wait(until: .distantFuture) ?? .failure(.busy)
    }
    return .failure(.busy)
  }
}

extension SchedulerState.Refusal {
  /// The error for a caller that asked to run a block.
  func error(for request: SchedulerState.Request) -> StoreError {
    if case .write = request, self == .busy {
      return StoreError(.busy, "Another writer held the store for longer than `writerWait`.")
    }
    return error
  }

  /// The error for any other caller.
  var error: StoreError {
    switch self {
    case .busy:
      StoreError(.busy, "Pending writes, reads or streams took longer than `readerWait`.")
    case .closed: StoreError(.closed, "The store was closed.")
    case .reentrancy:
      StoreError(
        .reentrancy,
        "A write block cannot begin inside a read block; write after the read block, or read in "
          + "the write block.")
    }
  }
}
