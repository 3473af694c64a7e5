import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// The history across processes and kills: clauses 11.4 and 11.5.
@Suite struct HistoryProcessTests {
  @Test(
    "11.5: a consumer handles every commit exactly once, however often it is killed",
    arguments: FileStore.inPlace)
  func killedConsumer(_ kind: FileStore) throws {
    let kills = ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 12
    let folder = TestFolder()
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let path = folder.file("store")
    let store = try kind.open(path) { $0.history = .retained(atMost: 100_000_000) }
    let start = try store.historyToken
    _ = try store.historyConsumer("journal", of: Counter.self)
    var count = 0
    var handled = 0
    var killed = 0
    // On a busy machine, a consumer may need longer to begin than it is given.
    while killed < kills || handled == 0 && killed < 20 * kills {
      killed += 1
      let helper = try HelperProcess.store(["consume", kind.location(path)])
      // Some kills come while the file is opened.
      if Int.random(in: 0..<4, using: &generator) > 0 { _ = helper.line() }
      let end = ContinuousClock.now + .milliseconds(.random(in: 0...30, using: &generator))
      repeat {
        count += 1
        try store.save(Counter(count % 10, value: count))
      } while ContinuousClock.now < end
      helper.kill()
      #expect(helper.lines().filter { Int($0) == nil && $0 != "ready" } == [], "seed \(seed)")
      handled = try store.count(Journal.self)
    }
    let consumer = try store.historyConsumer("journal", of: Counter.self)
    try consumer.handlePending { set, tx in
      try tx.insert(Journal(Int(set.commit.number), greatest: 0))
    }
    var written: [Int] = []
    var token = start
    while true {
      let sets = try store.history(after: token)
      written += sets.filter { $0[entity: "Counter"] != nil }.map { Int($0.commit.number) }
      guard let last = sets.last?.commit.token else { break }
      token = last
    }
    #expect(written.count == count, "seed \(seed)")
    #expect(try store.fetch(Journal.all).map(\.id) == written, "seed \(seed)")
    #expect(handled > 0, "seed \(seed)")
    try store.close()
  }

  @Test(
    "11.5: two processes that write and follow get the same commits in the same order",
    arguments: FileStore.inPlace)
  func followers(_ kind: FileStore) async throws {
    let folder = TestFolder()
    let path = folder.file("store")
    let store = try kind.open(path) {
      $0.history = .retained(level: .keys)
      $0.noticeInterval = .milliseconds(5)
    }
    try await store.save(Counter(0))
    let token = try store.historyToken
    var changes = store.changes(of: Counter.self).makeAsyncIterator()
    let helper = try HelperProcess.store([
      "follow", kind.location(path), token.description, "40",
    ])
    #expect(helper.line() == "ready")
    for number in 1...20 { try await store.save(Counter(number)) }
    var lines: [String] = []
    for _ in 0..<40 {
      guard let set = try await changes.next() else { break }
      let keys = set[Counter.self].rows.map(\.row.key)
      if case .int(let id)? = keys.first?.first {
        #expect(set.commit.isFromOtherProcess == (id > 20), "\(id)")
      }
      lines.append("\(set.commit.number) \(keys)")
    }
    #expect(helper.lines() == lines + ["ok"])
    #expect(helper.exits())
    try await store.close()
  }
}
