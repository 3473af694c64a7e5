/// The writer slots of a store whose writers run together (clause 9.5).
///
/// Writers begin in the order of their coming, as slots are free. A block with a ticket is seen by
/// every later request: until it has ended, no writer behind it in the queue begins, unless it
/// joins the block.
extension SchedulerState {
  /// Gives a writer a slot; one must be free.
  mutating func takeWriterSlot(_ owner: SlotOwner) -> Slot {
    guard writer != nil, let free = otherWriters.firstIndex(where: { $0 == nil }) else {
      writer = owner
      return .writer
    }
    otherWriters[free] = owner
    return .otherWriter(free)
  }

  /// True if the first in the queue may begin: a slot is free, and no block with a ticket runs.
  var mayWriterBegin: Bool {
    if limits.writers == 1 { return writer == nil }
    return (writer == nil || otherWriters.contains { $0 == nil })
      && !hasTicketedWriter(otherThan: nil)
  }

  /// True if no writer runs.
  var hasNoWriter: Bool {
    writer == nil && (limits.writers == 1 || otherWriters.allSatisfy { $0 == nil })
  }

  /// The block in a writer slot.
  func writer(in slot: Slot) -> SlotOwner? {
    switch slot {
    case .writer: writer
    case .otherWriter(let number): otherWriters[number]
    case .reader: nil
    }
  }

  /// Returns whether the block in a slot may take the first in the queue into its commit.
  func mayLead(_ slot: Slot) -> Bool {
    if limits.writers == 1 { return writer != nil }
    return writer(in: slot) != nil && !hasTicketedWriter(otherThan: slot)
  }

  /// Notes the ticket of one that joined the block in a slot.
  mutating func join(_ slot: Slot, _ ticket: UInt64) {
    switch slot {
    case .writer: writer?.followers.append(ticket)
    case .otherWriter(let number): otherWriters[number]?.followers.append(ticket)
    case .reader: break
    }
  }

  private func hasTicketedWriter(otherThan slot: Slot?) -> Bool {
    if slot != .writer, writer?.isTicketed == true { return true }
    return otherWriters.indices.contains {
      slot != .otherWriter($0) && otherWriters[$0]?.isTicketed == true
    }
  }

  /// The further writer slot whose block runs on a thread.
  func otherWriterSlot(of thread: ThreadIdentity) -> Slot? {
    otherWriters.firstIndex { $0?.thread == thread }.map { .otherWriter($0) }
  }

  /// Empties a writer slot, and ends the tickets of its block.
  mutating func leaveWriterSlot(_ slot: Slot) {
    let owner = writer(in: slot)
    if let ticket = owner?.ticket { _ = tickets.remove(ticket) }
    for ticket in owner?.followers ?? [] { _ = tickets.remove(ticket) }
    if case .otherWriter(let number) = slot { otherWriters[number] = nil } else { writer = nil }
  }

  /// Gives free slots to the first in the queue.
  mutating func admitWriters(_ actions: inout [Action]) {
    while mayWriterBegin, let next = writers.popFirst() {
      let slot = takeWriterSlot(SlotOwner(ticket: next.ticket, thread: next.thread))
      actions.append(.admit(next.id, slot))
    }
  }
}
