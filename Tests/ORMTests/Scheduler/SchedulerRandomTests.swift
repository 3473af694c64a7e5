import TestSupport
import Testing

@testable import ORM
@testable import ORMRows

/// The scheduler's machine against a model that knows the rules only as sentences, on random events.
@Suite struct SchedulerRandomTests {
  @Test(
    "6.1, 6.2, 6.7: on any events, exactly those run that the rules let run",
    .timeLimit(.minutes(30)))
  func machineAgreesWithTheModel() {
    let first = runSeed()
    for number in 0..<40 {
      let seed = first &+ UInt64(number)
      var run = SchedulerRun(seed: seed)
      for step in 0..<300 {
        run.step()
        if let difference = run.difference {
          Issue.record("seed \(seed), step \(step): \(difference)")
          return
        }
      }
      run.drain()
      if let difference = run.difference { Issue.record("seed \(seed), end: \(difference)") }
    }
  }

  @Test("a queue with gaps behaves as a plain list of numbers", .timeLimit(.minutes(30)))
  func queueAgreesWithAList() {
    let first = runSeed()
    for number in 0..<6 {
      let seed = first &+ UInt64(number)
      var random = SeededGenerator(seed: seed)
      var queue = WaitQueue<SchedulerState.Ticket>()
      var list: [UInt64] = []
      var next: UInt64 = 1
      for step in 0..<2_000 {
        // Long phases of growing and of shrinking, so that tidying up is met from both sides.
        let grows = (step / 250).isMultiple(of: 2)
        switch random.below(10) {
        case 0..<(grows ? 6 : 2):
          next += UInt64(1 + random.below(3))
          queue.append(SchedulerState.Ticket(id: next))
          list.append(next)
        case 6, 7:
          let expected = list.isEmpty ? nil : list.removeFirst()
          #expect(queue.popFirst()?.id == expected, "seed \(seed), step \(step)")
        default:
          let id = UInt64(random.below(Int(next) + 2))
          let index = list.firstIndex(of: id)
          if let index { list.remove(at: index) }
          #expect(queue.remove(id)?.id == (index == nil ? nil : id), "seed \(seed), step \(step)")
        }
        guard queue.elements.map(\.id) == list, queue.count == list.count,
          queue.isEmpty == list.isEmpty, queue.first?.id == list.first,
          queue.last?.id == list.last
        else {
          Issue.record("seed \(seed), step \(step): \(queue.elements) is not \(list)")
          return
        }
      }
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ bound: Int) -> Int { number(0...bound - 1) }
}

/// One sequence of random events, given to the machine and to a naive model of plain lists.
private struct SchedulerRun {
  private enum Kind { case write(ticketed: Bool, shares: Bool), read(newest: Bool), stream }

  /// An operation that entered the scheduler, in the words of the semantics.
  private struct Guest {
    var order: Int
    var kind: Kind
    var deadline: UInt64
    /// The tickets that were pending when it came.
    var pending: Set<Int>
    /// The machine's number while it waits.
    var id: UInt64?
    /// The slot in the state machine while it runs; nil for a stream.
    var slot: SchedulerState.Slot?
    /// Those whose writes became part of its own.
    var joined: [Int] = []
  }

  private(set) var difference: String?
  private var dice: SeededGenerator
  private var state: SchedulerState
  private let limits: SchedulerState.Limits
  private var now: UInt64 = 0
  private var comings = 0
  private var threads: UInt = 0
  private var isClosing = false
  private var waiting: [Guest] = []
  private var running: [Guest] = []
  private var tickets: Set<Int> = []

  init(seed: UInt64) {
    dice = SeededGenerator(seed: seed)
    limits = SchedulerState.Limits(
      readers: 1 + dice.below(4), streams: 1 + dice.below(3),
      writerWait: UInt64(20 + dice.below(200)), readerWait: UInt64(20 + dice.below(200)))
    state = SchedulerState(limits: limits)
  }

  mutating func step() {
    now += UInt64(dice.below(6))
    switch dice.below(100) {
    case 0..<20: come(.write(ticketed: false, shares: dice.below(2) == 0))
    case 20..<28: come(.write(ticketed: true, shares: dice.below(2) == 0))
    case 28..<48: come(.read(newest: false))
    case 48..<54: come(.read(newest: true))
    case 54..<60: come(.stream)
    case 60..<88: leave()
    case 88..<93: giveUp()
    case 93..<97: tick()
    case 97: nest()
    case 98: join()
    default: if dice.below(100) == 0 { close() }
    }
    state.checkInvariants()
  }

  /// Lets everybody run to the end.
  mutating func drain() {
    while difference == nil, !running.isEmpty {
      leave()
      state.checkInvariants()
    }
    if !waiting.isEmpty || !state.isIdle { differ("an operation is left") }
    if isClosing, state.phase != .closed { differ("not closed at the end") }
  }

  private mutating func differ(_ text: String) { difference = difference ?? text }

  private mutating func come(_ kind: Kind) {
    comings += 1
    threads += 1
    let thread = dice.below(2) == 0 ? ThreadIdentity(rawValue: threads) : nil
    var guest = Guest(order: comings, kind: kind, deadline: 0, pending: [])
    let entry: SchedulerState.Entry?
    let streamEntry: SchedulerState.StreamEntry?
    switch kind {
    case .stream:
      entry = nil
      streamEntry = state.enterStream()
    case .write, .read:
      entry = state.enter(request(kind), thread: thread)
      streamEntry = nil
    }
    if isClosing {
      if entry != .refused(.closed), streamEntry != .refused(.closed) { differ("let in closing") }
      return
    }
    if case .write = kind {
      guest.deadline = now + limits.writerWait
    } else {
      guest.deadline = now + limits.readerWait
    }
    if case .read(newest: false) = kind { guest.pending = tickets }
    if case .write(ticketed: true, _) = kind { tickets.insert(comings) }
    if mayRun(guest, behind: waiting) {
      if case .outer(let slot) = entry { guest.slot = slot }
      if guest.slot == nil, streamEntry != .opened { return differ("\(guest) must wait") }
      running.append(guest)
      if thread == nil, let slot = guest.slot {
        threads += 1
        state.begin(slot, thread: ThreadIdentity(rawValue: threads))
      }
    } else {
      guard entry == .mustWait || streamEntry == .mustWait else { return differ("\(guest) runs") }
      if case .stream = kind {
        guest.id = state.queueStream(thread: thread, now: now).id
      } else {
        guest.id = state.queue(request(kind), thread: thread, now: now).id
      }
      waiting.append(guest)
    }
  }

  private func request(_ kind: Kind) -> SchedulerState.Request {
    switch kind {
    case .write(let ticketed, let shares): .write(ticketed: ticketed, shares: shares)
    case .read(let newest): .read(consistency: newest ? .latestCommit : .afterPendingWrites)
    case .stream: .read(consistency: .latestCommit)
    }
  }

  /// The rules, word for word; `others` came before.
  private func mayRun(_ guest: Guest, behind others: [Guest]) -> Bool {
    switch guest.kind {
    case .write:
      return !(running + others).contains { if case .write = $0.kind { true } else { false } }
    case .read:
      let readers = running.filter { if case .read = $0.kind { true } else { false } }
      return readers.count < limits.readers && guest.pending.isDisjoint(with: tickets)
    case .stream:
      let streams = running.filter { if case .stream = $0.kind { true } else { false } }
      return streams.count < limits.streams
    }
  }

  private mutating func leave() {
    guard !running.isEmpty else { return }
    let guest = running.remove(at: dice.below(running.count))
    tickets.remove(guest.order)
    tickets.subtract(guest.joined)
    check(guest.slot.map { state.leave($0) } ?? state.leaveStream())
  }

  private mutating func giveUp() {
    guard let guest = waiting.randomElement(using: &dice), let id = guest.id else {
      if state.abandon(UInt64(dice.below(50))) != nil {
        differ("there was no operation to abandon")
      }
      return
    }
    waiting.removeAll { $0.order == guest.order }
    tickets.remove(guest.order)
    guard let actions = state.abandon(id) else { return differ("\(guest) could not give up") }
    check(actions)
  }

  private mutating func tick() {
    let late = waiting.filter { $0.deadline <= now }
    waiting.removeAll { $0.deadline <= now }
    for guest in late { tickets.remove(guest.order) }
    let actions = state.tick(now: now)
    let refused = actions.compactMap { if case .refuse(let id, .busy) = $0 { id } else { nil } }
    if Set(refused) != Set(late.compactMap(\.id)) { differ("\(refused) refused, not \(late)") }
    check(actions.filter { if case .refuse = $0 { false } else { true } })
  }

  /// The first writer in the queue becomes part of the one that runs, if it shares.
  private mutating func join() {
    let isWrite = { (guest: Guest) in if case .write = guest.kind { true } else { false } }
    let first = waiting.firstIndex(where: isWrite)
    guard let leader = running.firstIndex(where: isWrite), let first,
      case .write(_, shares: true) = waiting[first].kind
    else {
      if let id = state.takeFollower() { differ("\(id) joined") }
      return
    }
    let guest = waiting.remove(at: first)
    running[leader].joined.append(guest.order)
    if state.takeFollower() != guest.id { differ("\(guest) did not join") }
  }

  private mutating func nest() {
    guard let owner = state.writer, let thread = owner.thread else { return }
    let before = state
    if state.enter(.read(consistency: .afterPendingWrites), thread: thread) != .nested(.writer)
      || state != before
    {
      differ("not nested")
    }
  }

  private mutating func close() {
    threads += 1
    let streams = waiting.filter { if case .stream = $0.kind { true } else { false } }
    waiting.removeAll { if case .stream = $0.kind { true } else { false } }
    let (answer, actions) = state.close(thread: ThreadIdentity(rawValue: threads))
    isClosing = true
    if (answer == .closed) != running.isEmpty { differ("closed with \(running)") }
    if actions != streams.map({ .refuse($0.id ?? 0, .closed) }) { differ("streams wait on") }
  }

  /// Lets the model's next guests run, and compares with what the machine says.
  private mutating func check(_ actions: [SchedulerState.Action]) {
    var expected: [UInt64] = []
    while let index = waiting.indices.first(where: {
      mayRun(waiting[$0], behind: Array(waiting[..<$0]))
    }) {
      var guest = waiting.remove(at: index)
      let id = guest.id ?? 0
      expected.append(id)
      for case .admit(id, let slot) in actions { guest.slot = slot }
      running.append(guest)
    }
    var admitted: [UInt64] = []
    for action in actions {
      switch action {
      case .admit(let id, _), .open(let id): admitted.append(id)
      case .refuse: differ("an unexpected \(action)")
      case .idle: if !running.isEmpty || !isClosing { differ("idle too early") }
      case .alarm(let time): if time <= now { differ("an alarm in the past") }
      }
    }
    // Between a writer and a reader that begin together there is no order.
    if admitted.sorted() != expected.sorted() { differ("\(admitted) run, not \(expected)") }
  }
}
