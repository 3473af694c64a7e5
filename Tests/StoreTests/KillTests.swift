import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Processes killed at any time lose nothing that was reported, and nothing is ever half there:
/// clauses 5.5, 6.6 and 7.3.
@Suite struct KillTests {
  @Test(
    "After each of twenty kills every reported transaction is there and every one is whole",
    arguments: FileStore.inPlace)
  func killedWriters(_ kind: FileStore) throws {
    let folder = TestFolder()
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let path = folder.file("store")
    var reported = 0
    for _ in 0..<20 {
      let helper = try HelperProcess.store(["number", kind.location(path)])
      // Half of the kills come while the file is opened and repaired.
      if Bool.random(using: &generator) { _ = helper.line() }
      usleep(.random(in: 0...60_000, using: &generator))
      helper.kill()
      reported = helper.lines().compactMap { Int($0) }.last ?? reported
      reported = try Numbered.expect(in: kind.open(path), reported: reported, "seed \(seed)")
    }
    #expect(reported > 20, "seed \(seed)")
  }

  @Test(
    "6.6: after each of twelve kills every reported save of those that share commits is there",
    arguments: FileStore.inPlace)
  func killedCrowds(_ kind: FileStore) throws {
    let folder = TestFolder()
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let path = folder.file("store")
    var reported: Set<Int> = []
    var first = 0
    for round in 0..<12 {
      let helper = try HelperProcess.store(["crowd", kind.location(path), "\(first)"])
      // Half of the kills come soon after the first report.
      for _ in 0..<(round.isMultiple(of: 2) ? 1 : 11) {
        if let line = helper.line().flatMap({ Int($0) }) { reported.insert(line) }
      }
      usleep(.random(in: 0...40_000, using: &generator))
      helper.kill()
      reported.formUnion(helper.lines().compactMap { Int($0) })
      let store = try kind.open(path)
      let counters = try store.fetch(Counter.all)
      #expect(counters.allSatisfy { $0.value == $0.id * 7 }, "seed \(seed)")
      let there = Set(counters.map(\.id))
      #expect(reported.subtracting(there).isEmpty, "seed \(seed)")
      first = (there.max() ?? first) + 1
      try store.close()
    }
    #expect(reported.count > 64, "seed \(seed)")
  }

  @Test("A killed creation leaves a file that can be used, or none", arguments: FileStore.inPlace)
  func killedCreations(_ kind: FileStore) throws {
    let folder = TestFolder()
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    for round in 0..<10 {
      let place = folder.file("\(round)")
      let helper = try HelperProcess.store(["make", kind.location(place)])
      #expect(helper.line() == "0", "seed \(seed)")
      usleep(.random(in: 0...15_000, using: &generator))
      helper.kill()
      let last = helper.lines().compactMap { Int($0) }.last ?? 0
      for number in max(0, last - 1)...last + 1 {
        let store = try kind.open("\(place)/\(number)")
        let rows = try store.fetch(Entry.all)
        if number <= last { #expect(rows.count == 1, "seed \(seed)") }
        try store.insert(Entry(number, 1))
        #expect(try store.count(Entry.self) == rows.count + 1, "seed \(seed)")
        try store.close()
      }
    }
  }
}
