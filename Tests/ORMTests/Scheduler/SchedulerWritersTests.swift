import Testing

@testable import ORM
@testable import ORMRows

/// Several writer slots, of a store whose writers run together.
@Suite struct SchedulerWritersTests {
  private let a = ThreadIdentity(rawValue: 1)
  private let b = ThreadIdentity(rawValue: 2)
  private let c = ThreadIdentity(rawValue: 3)
  private let write = SchedulerState.Request.write(ticketed: false)

  private func machine(writers: Int) -> SchedulerState {
    SchedulerState(
      limits: .init(readers: 2, streams: 1, writers: writers, writerWait: 100, readerWait: 50))
  }

  @Test("9.5: writers run together, and further ones begin in the order of their coming")
  func slots() {
    var state = machine(writers: 2)
    #expect(state.enter(write, thread: a) == .outer(.writer))
    #expect(state.enter(write, thread: b) == .outer(.otherWriter(0)))
    #expect(state.slot(of: b) == .otherWriter(0))
    #expect(state.enter(write, thread: b) == .nested(.otherWriter(0)))
    #expect(state.enter(write, thread: c) == .mustWait)
    let first = state.queue(write, thread: c, now: 0).id
    let second = state.queue(write, thread: nil, now: 1).id
    state.checkInvariants()
    #expect(state.leave(.otherWriter(0)) == [.admit(first, .otherWriter(0))])
    #expect(state.slot(of: c) == .otherWriter(0))
    #expect(state.leave(.writer) == [.admit(second, .writer)])
    state.begin(.writer, thread: b)
    #expect(state.slot(of: b) == .writer)
    state.checkInvariants()
    #expect(!state.isIdle)
    #expect(state.leave(.writer) == [])
    #expect(!state.isIdle)
    #expect(state.leave(.otherWriter(0)) == [])
    #expect(state.isIdle)
  }

  @Test("9.5: what comes after a pending write waits for it, whatever slots are free")
  func tickets() {
    var state = machine(writers: 3)
    #expect(state.enter(write, thread: a) == .outer(.writer))
    #expect(state.enter(.write(ticketed: true), thread: nil) == .outer(.otherWriter(0)))
    #expect(state.enter(write, thread: b) == .mustWait)
    let first = state.queue(write, thread: b, now: 0).id
    let second = state.queue(.write(ticketed: true), thread: nil, now: 1).id
    let third = state.queue(write, thread: nil, now: 2).id
    let fourth = state.queue(write, thread: nil, now: 3).id
    state.checkInvariants()
    // The end of one that came before the pending write changes nothing for those behind it.
    #expect(state.leave(.writer) == [])
    state.checkInvariants()
    // The second is pending, too, and holds the third back.
    #expect(
      state.leave(.otherWriter(0)) == [.admit(first, .writer), .admit(second, .otherWriter(0))])
    #expect(state.leave(.writer) == [])
    #expect(
      state.leave(.otherWriter(0)) == [.admit(third, .writer), .admit(fourth, .otherWriter(0))])
    state.checkInvariants()
  }

  @Test("6.8, 9.5: a pending write takes those behind it into its commit, and no other block does")
  func followers() {
    var state = machine(writers: 2)
    let sharing = SchedulerState.Request.write(ticketed: true, shares: true)
    #expect(state.enter(write, thread: a) == .outer(.writer))
    #expect(state.enter(sharing, thread: nil) == .outer(.otherWriter(0)))
    let first = state.queue(sharing, thread: nil, now: 0).id
    let reader = state.queue(.read(consistency: .afterPendingWrites), thread: nil, now: 0).id
    #expect(state.takeFollower(of: .writer) == nil)
    #expect(state.takeFollower(of: .otherWriter(0)) == first)
    #expect(state.takeFollower(of: .otherWriter(0)) == nil)
    state.checkInvariants()
    #expect(state.enter(write, thread: b) == .mustWait)
    #expect(state.leave(.otherWriter(0)) == [.admit(reader, .reader(0))])
    #expect(state.enter(write, thread: b) == .outer(.otherWriter(0)))
    state.checkInvariants()
  }
}
