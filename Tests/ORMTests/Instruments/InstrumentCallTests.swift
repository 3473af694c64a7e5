import Dispatch
import Foundation
import ORM
import ORMCore
import TestSupport
import Testing

/// 13.5: an instrument cannot change or fail what it sees.
@Suite(.timeLimit(.minutes(5))) struct InstrumentCallTests {
  @Test("13.5: calls of an instrument at the end of a transaction work, and are not reported")
  func callbacks() throws {
    let stores = Lock<[any Store]>([])
    let instrument = RecordingInstrument { facts in
      guard facts.access == .write, let store = stores.withLock({ $0.first }) else { return }
      try? store.insert(Line(text: "a write"))
    }
    let store = try StoreKind.memory.openStore { $0.instruments = [instrument] }
    stores.withLock { $0 = [store] }
    try store.save(Snack("Chips"))
    #expect(instrument.takeComplete().transactions.count == 1)
    #expect(try store.count(Line.self) == 1)
    stores.withLock { $0 = [] }
  }

  @Test("13.5: a call that would join the block throws, and the block goes on")
  func joining() throws {
    let stores = Lock<[any Store]>([])
    let faults = Lock<[String]>([])
    let instrument = RecordingInstrument(whenOperationEnded: { _ in
      guard let store = stores.withLock({ $0.first }) else { return }
      let text = fault { try store.save(Snack("joined")) }
      faults.withLock { $0.append(text) }
    })
    let store = try StoreKind.memory.openStore { $0.instruments = [instrument] }
    stores.withLock { $0 = [store] }
    try store.write { try $0.save(Snack("Chips")) }
    stores.withLock { $0 = [] }
    #expect(faults.withLock { $0 } == ["reentrancy"])
    #expect(try store.fetch(Snack.all).map(\.name) == ["Chips"])
  }

  @Test("13.5: an instrument that blocks in one transaction keeps no reader from its turn")
  func blocking() async throws {
    let release = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    let instrument = RecordingInstrument { facts in
      guard facts.access == .write else { return }
      entered.signal()
      release.wait()
    }
    let store = try StoreKind.memory.openStore { $0.instruments = [instrument] }
    let thread = Thread { _ = try? store.save(Snack("Chips")) }
    thread.start()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        entered.wait()
        continuation.resume()
      }
    }
    // The write has given up its turn, and its instrument still runs.
    #expect(try await store.count(Snack.self) == 1)
    store.write(on: .global()) { _ in }
    #expect(try await store.read { try $0.count(Snack.self) } == 1)
    release.signal()
    release.signal()
    try await store.close()
  }

  @Test("13.5: deletes and updates with an instrument give what they give without")
  func results() throws {
    for kind in StoreKind.everywhere {
      let plain = try kind.openStore()
      let reported = try kind.openStore { $0.instruments = [RecordingInstrument()] }
      for store in [plain, reported] {
        try store.save((1...50).map { Snack("Snack \($0)", price: Double($0)) })
        #expect(try store.update(Snack.all.where { $0.price > 40 }) { $0.taste = "sweet" } == 10)
        #expect(try store.delete(Snack.all.where { $0.price <= 5 }) == 5)
      }
      #expect(try plain.fetch(Snack.all) == reported.fetch(Snack.all))
    }
  }

  @Test("4: health says that a store answers, and that it is closed")
  func health() throws {
    let instrument = RecordingInstrument()
    let store = try StoreKind.sqlite.openStore { $0.instruments = [instrument] }
    #expect(store.health().lastCommit == nil)
    try store.save(Snack("Chips"))
    let health = store.health()
    #expect(health.isHealthy)
    #expect(health.isWritable)
    #expect(health.lastCommit != nil)
    #expect(health.openStreams == 0)
    #expect(health.freeBytes ?? 0 > 0)
    try store.close()
    #expect(store.health().errorCode == .closed)
    #expect(!store.health().isHealthy)
  }
}
