extension SchedulerState {
  /// Ends the block in this slot, with or without success, and admits the next waiters.
  mutating func leave(_ slot: Slot) -> [Action] {
    switch slot {
    case .writer:
      if let ticket = writer?.ticket { _ = tickets.remove(ticket) }
      for ticket in writer?.followers ?? [] { _ = tickets.remove(ticket) }
      writer = nil
    case .otherWriter: leaveWriterSlot(slot)
    case .reader(let slot):
      readerSlots[slot] = nil
      freeReaderSlots.append(slot)
    }
    if isQuiet { return [] }
    var actions: [Action] = []
    admitWriters(&actions)
    admitReaders(&actions)
    settle(&actions)
    return actions
  }

  /// True if the end of a block concerns no waiter and no closing.
  private var isQuiet: Bool {
    phase == .open && writers.isEmpty && readers.isEmpty && latestCommitReaders.isEmpty
  }

  /// Removes a waiter whose time is over, or whose task was cancelled.
  ///
  /// Nil, with nothing changed, when it does not wait any more.
  mutating func abandon(_ id: UInt64) -> [Action]? {
    var actions: [Action] = []
    if let waiter = writers.remove(id) {
      if let ticket = waiter.ticket { _ = tickets.remove(ticket) }
    } else if readers.remove(id) == nil, latestCommitReaders.remove(id) == nil,
      streams.remove(id) == nil
    {
      return nil
    }
    admitReaders(&actions)
    settle(&actions)
    return actions
  }

  /// Handles an alarm: waiters whose deadlines have passed are refused.
  mutating func tick(now: UInt64) -> [Action] {
    var actions: [Action] = []
    for waiter in Self.removeExpired(from: &writers, now: now) {
      if let ticket = waiter.ticket { _ = tickets.remove(ticket) }
      actions.append(.refuse(waiter.id, .busy))
    }
    let others =
      Self.removeExpired(from: &readers, now: now)
      + Self.removeExpired(from: &latestCommitReaders, now: now)
      + Self.removeExpired(from: &streams, now: now)
    actions += others.map { .refuse($0.id, .busy) }
    admitReaders(&actions)
    settle(&actions)
    // An alarm that was replaced by an earlier one still rings, and finds nothing to do.
    if let alarm, alarm <= now {
      let heads = [writers.first, readers.first, latestCommitReaders.first, streams.first]
      let next = heads.compactMap { $0?.deadline }.min() ?? .max
      self.alarm = next == .max ? nil : next
      if next != .max { actions.append(.alarm(next)) }
    }
    return actions
  }

  private static func removeExpired(
    from queue: inout WaitQueue<Waiter>, now: UInt64
  ) -> [Waiter] {
    var expired: [Waiter] = []
    while let first = queue.first, first.deadline <= now, let waiter = queue.popFirst() {
      expired.append(waiter)
    }
    return expired
  }

  /// Gives slots to the readers that have no write left to wait for, in the order of their arrival.
  private mutating func admitReaders(_ actions: inout [Action]) {
    while !freeReaderSlots.isEmpty, let next = popReader() {
      actions.append(.admit(next.id, takeReaderSlot(thread: next.thread)))
    }
  }

  private mutating func popReader() -> Waiter? {
    let patient = readers.first.flatMap { isReady($0) ? $0.id : nil }
    let newest = latestCommitReaders.first?.id
    guard let patient else { return latestCommitReaders.popFirst() }
    return newest ?? .max < patient ? latestCommitReaders.popFirst() : readers.popFirst()
  }

  /// Returns whether every ticket that a read waits for is done.
  func isReady(_ reader: Waiter) -> Bool {
    guard let last = reader.ticket, let pending = tickets.first else { return true }
    return pending.id > last
  }

  /// Ends the closing once no block or stream is open and no waiter is left.
  mutating func settle(_ actions: inout [Action]) {
    guard phase == .closing, isIdle else { return }
    phase = .closed
    actions.append(.idle)
  }

  /// True if every slot is empty.
  ///
  /// Then no waiter is left, either.
  var isIdle: Bool {
    hasNoWriter && freeReaderSlots.count == readerSlots.count && openStreams == 0
  }
}
