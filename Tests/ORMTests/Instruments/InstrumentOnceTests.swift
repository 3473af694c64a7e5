import Dispatch
import Foundation
import ORM
import ORMCore
import ORMSessions
import TestSupport
import Testing

/// 13.5: an instrument sees each transaction and each operation once.
@Suite(.timeLimit(.minutes(5))) struct InstrumentOnceTests {
  private func opened(
    _ instrument: RecordingInstrument, on kind: StoreKind = .memory,
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> any Store {
    try kind.openStore {
      $0.instruments = [instrument]
      change(&$0)
    }
  }

  @Test(
    "13.5: blocking operations are one transaction with their requests",
    arguments: StoreKind.everywhere)
  func blocking(_ kind: StoreKind) throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument, on: kind)
    let chips = try store.save(Snack("Chips"))
    var calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.write])
    #expect(calls.transactions.map(\.isOperation) == [true])
    #expect(calls.operations.map(\.operation) == [.save])
    #expect(calls.operations.map(\.entity) == ["Snack"])
    #expect(calls.operations.map(\.rows) == [1])

    #expect(try store.find(Snack.self, chips.id)?.name == "Chips")
    calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.read])
    #expect(calls.operations.map(\.operation) == [.find])
    #expect(calls.operations.map(\.rows) == [1])

    #expect(try store.count(Snack.self) == 1)
    calls = instrument.takeComplete()
    #expect(calls.operations.map(\.operation) == [.aggregate])

    try store.write { tx in
      try tx.save(Snack("Nuts"))
      // An operation inside of the block is a part of it.
      #expect(try store.fetch(Snack.all).count == 2)
    }
    calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.isOperation) == [false])
    #expect(calls.transactions.map(\.operations) == [2])
    #expect(calls.transactions.map(\.rowsReturned) == [2])
    #expect(calls.transactions.map(\.rowsWritten) == [1])
    #expect(calls.operations.map(\.operation) == [.save, .fetch])
  }

  @Test("13.5: asynchronous operations and handlers are one transaction each")
  func asynchronous() async throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    try await store.save(Snack("Chips"))
    var calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.isOperation) == [true])
    #expect(calls.operations.map(\.operation) == [.save])
    _ = try await store.read { try $0.fetch(Snack.all) }
    calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.read])
    #expect(calls.transactions.map(\.isOperation) == [false])
    let count = try await withCheckedThrowingContinuation { continuation in
      store.read(on: .global()) {
        try $0.count(Snack.self)
      } completion: {
        continuation.resume(with: $0)
      }
    }
    #expect(count == 1)
    calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.read])
    let saved = try await withCheckedThrowingContinuation { continuation in
      store.write(rows: 1, on: .global()) {
        try $0.save(Snack("Nuts"))
      } completion: {
        continuation.resume(with: $0)
      }
    }
    #expect(saved.name == "Nuts")
    calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.write])
    #expect(calls.operations.map(\.operation) == [.save])
  }

  @Test("13.5: what throws ends once, with its code")
  func throwing() async throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    try await store.save(Note(id: 1, code: "a"))
    instrument.takeComplete()
    #expect(fault { try store.save(Note(id: 2, code: "a")) }.hasPrefix("duplicate"))
    var calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.errorCode) == [.duplicate])
    #expect(calls.operations.map(\.errorCode) == [.duplicate])
    #expect(throws: ProgramError.self) { try store.write { _ in throw ProgramError() } }
    #expect(throws: ProgramError.self) { try store.read { _ in throw ProgramError() } }
    await #expect(throws: ProgramError.self) {
      try await store.write { _ in throw ProgramError() }
    }
    calls = instrument.takeComplete()
    #expect(
      calls.transactions.map(\.errorCode?.rawValue) == Array(repeating: "ProgramError", count: 3))
    #expect(calls.operations.isEmpty)
    #expect(fault { try store.read { _ in try store.save(Snack("x")) } }.hasPrefix("reentrancy"))
    calls = instrument.takeComplete()
    // The write was asked for inside of the read, and is no transaction of its own.
    #expect(calls.transactions.map(\.errorCode?.rawValue) == ["reentrancy"])
    try await store.close()
    #expect(fault { _ = try store.count(Snack.self) }.hasPrefix("closed"))
    calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.errorCode) == [.closed])
    #expect(calls.transactions.map(\.attempts) == [0])
  }

  @Test("13.5: a caller that gives up in the queue ends once")
  func waiting() async throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    let (entered, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    store.write(on: .global()) { _ in
      entered.signal()
      release.wait()
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        entered.wait()
        continuation.resume()
      }
    }
    #expect(fault { try store.write(within: .milliseconds(5)) { _ in } } == "deadlineExceeded")
    let task = Task { try await store.save(Snack("late")) }
    while store.runtime.transactions.waitingWriters == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.save(Snack("never"))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    release.signal()
    #expect(try await store.count(Snack.self) == 0)
    let calls = instrument.takeComplete()
    let codes = calls.transactions.compactMap(\.errorCode?.rawValue)
    #expect(codes == ["deadlineExceeded", "cancelled", "cancelled"])
  }

  @Test("13.5: operations that share a commit end once each, with their own requests")
  func followers() async throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument) { $0.joining = .seconds(60) }
    try await store.save(Note(id: 0, code: "taken"))
    instrument.takeComplete()
    let (entered, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    store.write(on: .global()) { _ in
      entered.signal()
      release.wait()
    }
    let failures = await withTaskGroup(of: Bool.self) { group in
      for id in 1...20 {
        group.addTask {
          do {
            try await store.save(Note(id: id, code: id == 7 ? "taken" : "\(id)"))
            return false
          } catch { return true }
        }
      }
      while store.runtime.transactions.waitingWriters < 20 { await Task.yield() }
      release.signal()
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 1)
    #expect(try await store.count(Note.self) == 20)
    let calls = instrument.takeComplete()
    let saves = calls.transactions.filter { $0.entity == "Note" && $0.access == .write }
    #expect(saves.count == 20)
    #expect(saves.count { $0.errorCode == .duplicate } == 1)
    // Each has the requests of its own runs, and no others.
    for save in saves { #expect(save.operations == save.attempts) }
  }

  @Test(
    "13.5: a stream is one transaction with one operation, however it ends",
    arguments: StoreKind.everywhere)
  func streams(_ kind: StoreKind) async throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument, on: kind)
    try await store.save((1...1_000).map { Snack("Snack \($0)") })
    instrument.takeComplete()
    var count = 0
    for try await _ in store.stream(Snack.all) { count += 1 }
    #expect(count == 1_000)
    var calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.stream])
    #expect(calls.operations.map(\.rows) == [1_000])
    for try await _ in store.stream(Snack.all) { break }
    // The work on a batch may release the iteration after the loop.
    while instrument.seen.transactions.isEmpty { await Task.yield() }
    calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.stream])
    #expect(calls.transactions.map(\.errorCode) == [nil])
  }

  @Test("13.5: chunks end their operation once, also if the body throws")
  func cursors() throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    try store.save((1...10).map { Snack("Snack \($0)") })
    instrument.takeComplete()
    try store.read { tx in try tx.chunks(Snack.all, size: 3) { _ in } }
    var calls = instrument.takeComplete()
    #expect(calls.operations.map(\.rows) == [10])
    #expect(throws: ProgramError.self) {
      try store.read { tx in try tx.chunks(Snack.all, size: 3) { _ in throw ProgramError() } }
    }
    calls = instrument.takeComplete()
    #expect(calls.operations.map(\.rows) == [3])
  }

  @Test("13.5: a session's save is one transaction")
  func sessions() throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    let session = Session(store)
    session.insert(Snack("one"))
    #expect(try session.save())
    let calls = instrument.takeComplete()
    #expect(calls.transactions.map(\.access) == [.write])
    #expect(calls.transactions.map(\.rowsWritten) == [1])
  }
}
