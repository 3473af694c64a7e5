import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ORM
@testable import ORMRows

/// When a scheduler looks for the commits of others, and what it says: clause 6.5.
@Suite struct SchedulerWatchTests {
  /// A number to be looked at, and how often it was.
  private final class Source: Sendable {
    let number = Atomic<UInt64>(0)
    let looks = Atomic(0)
    let fails = Atomic(false)

    func look() throws -> UInt64? {
      looks.add(1, ordering: .relaxed)
      if fails.load(ordering: .relaxed) { throw StoreError(.inputOutput, "no") }
      return number.load(ordering: .relaxed)
    }

    var count: Int { looks.load(ordering: .relaxed) }

    /// Waits until it was looked at twice more, so that one look began and ended in between.
    func waitForLook() {
      let before = count
      #expect(waited { count >= before + 2 })
    }
  }

  private final class Errors: Sendable {
    private let seen = Lock<[String]>([])
    func add(_ error: any Error) { seen.withLock { $0.append("\(error)") } }
    var count: Int { seen.withLock { $0.count } }
  }

  private final class Sink: Sendable {
    private let seen = Lock<[CommitNotice]>([])
    func add(_ notice: CommitNotice) { seen.withLock { $0.append(notice) } }
    var all: [CommitNotice] { seen.withLock { $0 } }
    func wait(for count: Int) -> [Bool] {
      waited { all.count >= count }
      return all.map(\.isFromOtherProcess)
    }
  }

  private func scheduler(
    _ source: Source, every interval: Duration = .milliseconds(2), errors: Errors = Errors()
  ) -> TransactionScheduler {
    let scheduler = TransactionScheduler()
    scheduler.watchOthers(every: interval, by: { try source.look() }, onError: { errors.add($0) })
    return scheduler
  }

  @Test("6.5: the store is not polled while no one listens, before and after")
  func nobodyListens() throws {
    let source = Source()
    let scheduler = scheduler(source)
    try scheduler.write { _ in scheduler.noticeOthers() }
    Thread.sleep(forTimeInterval: 0.02)
    #expect(source.count == 0)
    let observation = scheduler.observeCommits { _ in }
    source.waitForLook()
    observation.cancel()
    let before = source.count
    Thread.sleep(forTimeInterval: 0.04)
    // One look may be under way, and one turn finds that no listener is left.
    #expect(source.count <= before + 1)
  }

  @Test("6.5: a change is announced once, and what was before the listening not at all")
  func announcedOnce() {
    let source = Source()
    source.number.store(5, ordering: .relaxed)
    let scheduler = scheduler(source)
    let sink = Sink()
    let observation = scheduler.observeCommits { sink.add($0) }
    source.waitForLook()
    #expect(sink.all.isEmpty)
    source.number.store(9, ordering: .relaxed)
    #expect(sink.wait(for: 1) == [true])
    source.waitForLook()
    #expect(sink.all.map(\.entities) == [[]])
    observation.cancel()
  }

  @Test(
    "6.5: before our own commit is announced, the others' before it are; no look runs in a write")
  func beforeOurs() throws {
    let source = Source()
    let scheduler = scheduler(source)
    let sink = Sink()
    let observation = scheduler.observeCommits { sink.add($0) }
    try scheduler.write { _ in
      let looks = source.count
      source.number.store(1, ordering: .relaxed)
      Thread.sleep(forTimeInterval: 0.02)
      #expect(source.count == looks)
      scheduler.noticeOthers()
      scheduler.announce(CommitNotice(entities: ["a"]))
    }
    source.waitForLook()
    #expect(sink.wait(for: 2) == [true, false])
    observation.cancel()
  }

  @Test("6.5: who begins to listen inside a write is notified of what comes after it")
  func listeningInAWrite() throws {
    let source = Source()
    let scheduler = scheduler(source, every: .seconds(3_600))
    let sink = Sink()
    var observation: CommitObservation?
    try scheduler.write { _ in
      source.number.store(1, ordering: .relaxed)
      observation = scheduler.observeCommits { sink.add($0) }
      scheduler.noticeOthers()
      scheduler.announce(CommitNotice(entities: ["a"]))
    }
    source.number.store(2, ordering: .relaxed)
    try scheduler.write { _ in scheduler.noticeOthers() }
    #expect(sink.wait(for: 2) == [false, true])
    observation?.cancel()
  }

  @Test("8.1: a look that fails is reported once, and looking goes on")
  func failures() {
    let source = Source()
    let errors = Errors()
    let scheduler = scheduler(source, errors: errors)
    let sink = Sink()
    let observation = scheduler.observeCommits { sink.add($0) }
    source.fails.store(true, ordering: .relaxed)
    source.waitForLook()
    source.waitForLook()
    #expect(errors.count == 1)
    source.number.store(1, ordering: .relaxed)
    source.fails.store(false, ordering: .relaxed)
    #expect(sink.wait(for: 1) == [true])
    observation.cancel()
  }

  @Test("6.5: a scheduler that was closed looks no more")
  func closing() throws {
    let source = Source()
    let scheduler = scheduler(source)
    let observation = scheduler.observeCommits { _ in }
    source.waitForLook()
    try scheduler.close()
    let after = source.count
    Thread.sleep(forTimeInterval: 0.02)
    #expect(source.count == after)
    observation.cancel()
  }
}
