import Testing

@testable import ORM
@testable import ORMRows

/// The scheduler's rules as a pure machine: events in, answers and actions out.
@Suite struct SchedulerStateTests {
  private let a = ThreadIdentity(rawValue: 1)
  private let b = ThreadIdentity(rawValue: 2)
  private let c = ThreadIdentity(rawValue: 3)

  private func machine(readers: Int = 2, streams: Int = 1) -> SchedulerState {
    SchedulerState(
      limits: .init(readers: readers, streams: streams, writerWait: 100, readerWait: 50))
  }

  // MARK: 6.3

  private enum Around: CaseIterable {
    case nothing, write, read
  }

  @Test("6.3: what a thread may do inside its own block, by table")
  func reentrancyTable() {
    let write = SchedulerState.Request.write(ticketed: false)
    let read = SchedulerState.Request.read(consistency: .afterPendingWrites)
    let newest = SchedulerState.Request.read(consistency: .latestCommit)
    let table: [(Around, SchedulerState.Request, SchedulerState.Entry)] = [
      (.nothing, write, .outer(.writer)),
      (.nothing, read, .outer(.reader(0))),
      (.nothing, newest, .outer(.reader(0))),
      (.write, write, .nested(.writer)),
      (.write, read, .nested(.writer)),
      (.write, newest, .nested(.writer)),
      (.read, write, .refused(.reentrancy)),
      (.read, read, .nested(.reader(0))),
      (.read, newest, .nested(.reader(0))),
    ]
    for (around, request, expected) in table {
      var state = machine()
      switch around {
      case .nothing: break
      case .write: _ = state.enter(write, thread: a)
      case .read: _ = state.enter(read, thread: a)
      }
      let before = state
      #expect(state.enter(request, thread: a) == expected, "\(request) in \(around)")
      if around != .nothing { #expect(state == before, "a nested block changes nothing") }
      state.checkInvariants()
    }
  }

  @Test("6.3: another thread, and a request without a thread, are never nested")
  func onlyTheThreadItselfIsNested() {
    for thread in [b, nil] {
      var state = machine()
      #expect(state.enter(.write(ticketed: false), thread: a) == .outer(.writer))
      #expect(state.enter(.write(ticketed: false), thread: thread) == .mustWait)
      #expect(
        state.enter(.read(consistency: .afterPendingWrites), thread: thread) == .outer(.reader(0)))
    }
  }

  @Test("6.3: a block that came without a thread is found by the thread it began on")
  func beginNamesTheThread() {
    var state = machine()
    #expect(state.enter(.write(ticketed: false), thread: nil) == .outer(.writer))
    #expect(state.slot(of: a) == nil)
    state.begin(.writer, thread: a)
    #expect(state.slot(of: a) == .writer)
    #expect(state.enter(.write(ticketed: false), thread: a) == .nested(.writer))
    _ = state.leave(.writer)
    #expect(state.slot(of: a) == nil)
  }

  // MARK: 6.1

  @Test("6.1: writers follow one another in the order of their coming")
  func writersAreFirstComeFirstServed() {
    var state = machine()
    #expect(state.enter(.write(ticketed: false), thread: a) == .outer(.writer))
    let first = state.queue(.write(ticketed: false), thread: b, now: 0).id
    let second = state.queue(.write(ticketed: true), thread: nil, now: 1).id
    let third = state.queue(.write(ticketed: false), thread: c, now: 2).id
    state.checkInvariants()
    #expect(state.leave(.writer) == [.admit(first, .writer)])
    #expect(state.slot(of: b) == .writer)
    #expect(state.leave(.writer) == [.admit(second, .writer)])
    #expect(state.leave(.writer) == [.admit(third, .writer)])
    #expect(state.leave(.writer) == [])
    #expect(state.isIdle)
  }

  @Test("6.1: readers beyond the readerSlots wait in turn, and never for a writer")
  func readersBeyondTheSeatsWait() {
    var state = machine(readers: 2)
    let read = SchedulerState.Request.read(consistency: .afterPendingWrites)
    #expect(state.enter(.write(ticketed: false), thread: c) == .outer(.writer))
    #expect(state.enter(read, thread: a) == .outer(.reader(0)))
    #expect(state.enter(read, thread: nil) == .outer(.reader(1)))
    #expect(state.enter(read, thread: b) == .mustWait)
    let first = state.queue(read, thread: b, now: 0).id
    let second = state.queue(.read(consistency: .latestCommit), thread: nil, now: 0).id
    let third = state.queue(read, thread: nil, now: 0).id
    #expect(state.leave(.reader(1)) == [.admit(first, .reader(1))])
    #expect(state.leave(.reader(0)) == [.admit(second, .reader(0))])
    #expect(state.leave(.reader(1)) == [.admit(third, .reader(1))])
    state.checkInvariants()
  }

  // MARK: 6.2

  @Test("6.2: a read waits for the tickets taken before it, not for later ones")
  func readsWaitForEarlierTickets() {
    var state = machine()
    let read = SchedulerState.Request.read(consistency: .afterPendingWrites)
    #expect(state.enter(.write(ticketed: true), thread: nil) == .outer(.writer))
    #expect(state.enter(read, thread: a) == .mustWait)
    let early = state.queue(read, thread: a, now: 0).id
    let ticket = state.queue(.write(ticketed: true), thread: nil, now: 0).id
    let late = state.queue(read, thread: b, now: 0).id
    #expect(
      state.leave(.writer) == [.admit(ticket, .writer), .admit(early, .reader(0))])
    state.checkInvariants()
    #expect(state.leave(.writer) == [.admit(late, .reader(1))])
  }

  @Test("6.2: a read for the newest commit does not wait for tickets")
  func latestCommitDoesNotWait() {
    var state = machine()
    _ = state.enter(.write(ticketed: true), thread: nil)
    #expect(state.enter(.read(consistency: .latestCommit), thread: a) == .outer(.reader(0)))
  }

  @Test("6.2: without completion overloads no read waits for a write")
  func noTicketsNoWaiting() {
    var state = machine()
    _ = state.enter(.write(ticketed: false), thread: a)
    _ = state.queue(.write(ticketed: false), thread: b, now: 0)
    #expect(state.enter(.read(consistency: .afterPendingWrites), thread: c) == .outer(.reader(0)))
  }

  @Test("6.2: a ticket that timed out lets its readers go")
  func expiredTicketFreesReaders() {
    var state = machine()
    _ = state.enter(.write(ticketed: false), thread: a)
    let (ticket, alarm) = state.queue(.write(ticketed: true), thread: nil, now: 10)
    #expect(alarm == [.alarm(110)])
    let (read, _) = state.queue(.read(consistency: .afterPendingWrites), thread: nil, now: 90)
    state.checkInvariants()
    #expect(
      state.tick(now: 110) == [.refuse(ticket, .busy), .admit(read, .reader(0))])
    state.checkInvariants()
  }

  // MARK: Waiting

  @Test("6.3: everybody is refused at the deadline, and one alarm at a time serves all")
  func alarms() {
    var state = machine(readers: 1)
    _ = state.enter(.write(ticketed: false), thread: a)
    _ = state.enter(.read(consistency: .afterPendingWrites), thread: b)
    let (w1, first) = state.queue(.write(ticketed: false), thread: nil, now: 0)
    #expect(first == [.alarm(100)])
    let (w2, second) = state.queue(.write(ticketed: false), thread: nil, now: 10)
    #expect(second == [])
    let (r1, third) = state.queue(.read(consistency: .afterPendingWrites), thread: nil, now: 20)
    #expect(third == [.alarm(70)], "an earlier alarm takes the place of a later")
    #expect(state.tick(now: 70) == [.refuse(r1, .busy), .alarm(100)])
    #expect(state.tick(now: 100) == [.refuse(w1, .busy), .alarm(110)])
    #expect(state.tick(now: 100) == [], "the alarm that was replaced finds nothing to do")
    #expect(state.tick(now: 110) == [.refuse(w2, .busy)])
    #expect(state.alarm == nil)
    state.checkInvariants()
  }

  @Test("a blocked thread needs no alarm, since it counts its own time")
  func threadsNeedNoAlarm() {
    var state = machine()
    _ = state.enter(.write(ticketed: false), thread: a)
    #expect(state.queue(.write(ticketed: false), thread: b, now: 0).actions == [])
    #expect(state.alarm == nil)
    state.checkInvariants()
  }

  @Test("a wait without end never asks for an alarm")
  func endlessWait() {
    var state = SchedulerState(
      limits: .init(readers: 1, streams: 1, writerWait: .max, readerWait: .max))
    _ = state.enter(.write(ticketed: false), thread: a)
    #expect(state.queue(.write(ticketed: false), thread: nil, now: 5).actions == [])
    #expect(state.tick(now: .max - 1) == [])
    state.checkInvariants()
  }

  @Test("6.4: an abandoned operation leaves the order of the others alone, and leaves once")
  func abandoning() {
    var state = machine()
    _ = state.enter(.write(ticketed: false), thread: a)
    let first = state.queue(.write(ticketed: false), thread: nil, now: 0).id
    let second = state.queue(.write(ticketed: false), thread: nil, now: 0).id
    let third = state.queue(.write(ticketed: false), thread: nil, now: 0).id
    #expect(state.abandon(second) == [])
    #expect(state.abandon(second) == nil)
    #expect(state.abandon(999) == nil)
    state.checkInvariants()
    #expect(state.leave(.writer) == [.admit(first, .writer)])
    #expect(state.abandon(first) == nil, "it runs, and waits no more")
    #expect(state.leave(.writer) == [.admit(third, .writer)])
  }

  // MARK: 6.7 and closing

  @Test("6.7: streams are counted against their limit")
  func streams() {
    var state = machine(streams: 1)
    #expect(state.enterStream() == .opened)
    #expect(state.enterStream() == .mustWait)
    let (id, alarm) = state.queueStream(thread: nil, now: 0)
    #expect(alarm == [.alarm(50)])
    #expect(state.enterStream() == .mustWait)
    #expect(state.leaveStream() == [.open(id)])
    #expect(state.leaveStream() == [])
    #expect(state.enterStream() == .opened)
    state.checkInvariants()
  }

  @Test("closing admits no new operation, runs the waiting ones, and ends with the last")
  func closing() {
    var state = machine(streams: 1)
    _ = state.enter(.write(ticketed: false), thread: a)
    _ = state.enterStream()
    let write = state.queue(.write(ticketed: true), thread: nil, now: 0).id
    let read = state.queue(.read(consistency: .afterPendingWrites), thread: nil, now: 0).id
    let stream = state.queueStream(thread: nil, now: 0).id
    let (answer, actions) = state.close(thread: b)
    #expect(answer == .mustWait)
    #expect(actions == [.refuse(stream, .closed)])
    #expect(state.enter(.write(ticketed: true), thread: nil) == .refused(.closed))
    #expect(state.enter(.read(consistency: .latestCommit), thread: b) == .refused(.closed))
    #expect(state.enterStream() == .refused(.closed))
    #expect(state.enter(.write(ticketed: false), thread: a) == .nested(.writer))
    #expect(state.leave(.writer) == [.admit(write, .writer)])
    #expect(state.leave(.writer) == [.admit(read, .reader(0))])
    #expect(state.leave(.reader(0)) == [])
    state.checkInvariants()
    #expect(state.leaveStream() == [.idle])
    #expect(state.phase == .closed)
    #expect(state.close(thread: b).answer == .closed)
    state.checkInvariants()
  }

  @Test("closing inside a block would wait for itself, and is refused")
  func closingInsideABlock() {
    var state = machine()
    _ = state.enter(.read(consistency: .afterPendingWrites), thread: a)
    #expect(state.close(thread: a).answer == .refused(.reentrancy))
    #expect(state.phase == .open)
    #expect(state.leave(.reader(0)) == [])
    #expect(state.close(thread: a).answer == .closed)
  }
}
