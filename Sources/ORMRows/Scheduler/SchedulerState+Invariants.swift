extension SchedulerState {
  /// Checks the numbered invariants; tests call it after every event, release builds drop it.
  ///
  /// 1. A writer waits only while every writer slot is taken, or a block with a ticket runs.
  /// 2. A slot is free only while no waiting reader could use it.
  /// 3. `freeReaderSlots` lists exactly the empty reader slots, once each.
  /// 4. A thread is in at most one slot or blocked for one block, never both.
  /// 5. In each queue numbers rise, deadlines do not fall, and all numbers were given.
  /// 6. The tickets are exactly those of the running writer, of its followers and of the queued writers,
  ///    in order.
  /// 7. A reader that waits for tickets is before no reader that does not.
  /// 8. A stream waits only while the limit is reached.
  /// 9. A closed scheduler is at rest, and one that closes is not.
  /// 10. A waiter without a thread is woken by an alarm no later than its deadline.
  func checkInvariants() {
    assert(!mayWriterBegin || writers.isEmpty, "1: a writer waits for an empty slot")
    let ready = readers.elements.prefix { isReady($0) }
    assert(
      freeReaderSlots.isEmpty || ready.isEmpty && latestCommitReaders.isEmpty,
      "2: a reader waits beside a free slot")
    assert(
      freeReaderSlots.sorted() == readerSlots.indices.filter { readerSlots[$0] == nil },
      "3: free readerSlots miscounted")
    let queues = [writers, readers, latestCommitReaders, streams].map(\.elements)
    let threads =
      (([writer] + otherWriters + readerSlots).map { $0?.thread }).compactMap { $0 }
      + queues.dropLast().joined().compactMap(\.thread)
    assert(Set(threads).count == threads.count, "4: a thread holds two slots")
    for queue in queues {
      for (one, next) in zip(queue, queue.dropFirst()) {
        assert(one.id < next.id && one.deadline <= next.deadline, "5: a queue out of order")
      }
      assert(queue.allSatisfy { $0.id < nextID }, "5: a number that was not given")
    }
    assert(
      tickets.elements.map(\.id)
        == ([writer] + otherWriters).compactMap { $0 }.flatMap {
          [$0.ticket].compactMap { $0 } + $0.followers
        } + writers.elements.compactMap(\.ticket), "6: tickets and writers differ")
    assert(
      readers.elements.dropFirst(ready.count).allSatisfy { !isReady($0) },
      "7: a ready reader behind one that waits for tickets")
    assert(
      openStreams >= 0 && openStreams <= limits.streams
        && (streams.isEmpty || openStreams == limits.streams), "8: streams miscounted")
    assert(phase != .closed || isIdle, "9: a closed scheduler with a block in it")
    assert(phase != .closing || !isIdle, "9: an empty scheduler that goes on closing")
    for waiter in queues.joined() where waiter.thread == nil && waiter.deadline != .max {
      assert(alarm ?? .max <= waiter.deadline, "10: a waiter without an alarm")
    }
  }
}
