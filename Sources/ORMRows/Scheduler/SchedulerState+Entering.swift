extension SchedulerState {
  /// Admits a block, lets it wait or refuses it.
  ///
  /// The block is to run on the calling thread, or on any if `thread` is nil.
  ///
  /// Only a caller with a thread can be inside a block already (clause 6.3).
  mutating func enter(_ request: Request, thread: ThreadIdentity?) -> Entry {
    if let thread, let held = slot(of: thread) {
      if case .write = request, case .reader = held { return .refused(.reentrancy) }
      return .nested(held)
    }
    guard phase == .open else { return .refused(.closed) }
    guard isFree(for: request) else { return .mustWait }
    switch request {
    case .write(let ticketed, _):
      return .outer(
        takeWriterSlot(SlotOwner(ticket: ticketed ? takeTicket() : nil, thread: thread)))
    case .read:
      return .outer(takeReaderSlot(thread: thread))
    }
  }

  /// Appends a waiter to the queue; gives its number.
  ///
  /// The clock never runs backwards from call to call, so in every queue deadlines are in the order of
  /// arrival.
  mutating func queue(
    _ request: Request, thread: ThreadIdentity?, now: UInt64
  ) -> (id: UInt64, actions: [Action]) {
    let wait: UInt64
    if case .write = request { wait = limits.writerWait } else { wait = limits.readerWait }
    var waiter = newWaiter(thread: thread, now: now, wait: wait)
    switch request {
    case .write(let ticketed, let shares):
      waiter.shares = shares
      if ticketed {
        waiter.ticket = waiter.id
        tickets.append(Ticket(id: waiter.id))
      }
      writers.append(waiter)
    case .read(consistency: .afterPendingWrites):
      waiter.ticket = tickets.last?.id
      readers.append(waiter)
    case .read(consistency: .latestCommit):
      latestCommitReaders.append(waiter)
    }
    return (waiter.id, wake(waiter))
  }

  /// A block that was admitted without a thread has come to one.
  mutating func begin(_ slot: Slot, thread: ThreadIdentity) {
    switch slot {
    case .writer: writer?.thread = thread
    case .otherWriter(let slot): otherWriters[slot]?.thread = thread
    case .reader(let slot): readerSlots[slot]?.thread = thread
    }
  }

  /// The first in the queue of writers joins the one that runs, if it may; gives its number.
  ///
  /// Its ticket ends with the block it joins. No other waiter is concerned: the slot stays taken.
  mutating func takeFollower(of slot: Slot = .writer) -> UInt64? {
    guard hasFollower(of: slot), let next = writers.popFirst() else {
      return nil
    }
    if let ticket = next.ticket { join(slot, ticket) }
    return next.id
  }

  /// Returns whether the first in the queue may join the block of a slot.
  func hasFollower(of slot: Slot) -> Bool { mayLead(slot) && writers.first?.shares == true }

  /// The slot of the block that runs on this thread.
  func slot(of thread: ThreadIdentity) -> Slot? {
    if let writer, writer.thread == thread { return .writer }
    if limits.writers > 1, let slot = otherWriterSlot(of: thread) { return slot }
    guard freeReaderSlots.count < readerSlots.count else { return nil }
    for slot in readerSlots.indices {
      if let owner = readerSlots[slot], owner.thread == thread { return .reader(slot) }
    }
    return nil
  }

  /// Returns whether a newcomer need not wait.
  ///
  /// A waiter that could use the free slot would have it already.
  private func isFree(for request: Request) -> Bool {
    switch request {
    case .write: limits.writers > 1 ? mayWriterBegin && writers.isEmpty : writer == nil
    case .read(let consistency):
      !freeReaderSlots.isEmpty && (consistency == .latestCommit || tickets.isEmpty)
    }
  }

  private mutating func takeTicket() -> UInt64 {
    let id = nextID
    nextID += 1
    tickets.append(Ticket(id: id))
    return id
  }

  /// Gives a reader a slot; one must be free.
  mutating func takeReaderSlot(thread: ThreadIdentity?) -> Slot {
    let slot = freeReaderSlots.removeLast()
    readerSlots[slot] = SlotOwner(thread: thread)
    return .reader(slot)
  }

  /// Makes a waiter with the next number.
  mutating func newWaiter(thread: ThreadIdentity?, now: UInt64, wait: UInt64) -> Waiter {
    let (deadline, overflow) = now.addingReportingOverflow(wait)
    defer { nextID += 1 }
    return Waiter(id: nextID, deadline: overflow ? .max : deadline, thread: thread)
  }

  /// Sets an alarm for a waiter's deadline, unless an earlier one is set; a blocked thread counts its own
  /// time and needs none.
  mutating func wake(_ waiter: Waiter) -> [Action] {
    guard waiter.thread == nil, waiter.deadline < alarm ?? .max else { return [] }
    alarm = waiter.deadline
    return [.alarm(waiter.deadline)]
  }
}
