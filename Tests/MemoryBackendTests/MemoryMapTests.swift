import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

@testable import MemoryBackend

/// The memory map keeps the contract of every ordered store, and its own promises.
@Suite struct MemoryMapTests {
  static let contract = OrderedStoreContract<MemoryMap>(
    inspect: { try $0.checkInvariants() }, make: { MemoryMap() })

  @Test(arguments: OrderedStoreContract<MemoryMap>.cases)
  func keepsTheContract(_ item: OrderedStoreContract<MemoryMap>.Case) throws {
    try Self.contract.run(item, seed: runSeed())
  }

  @Test func agreesWithTheModel() throws { try Self.contract.compareWithModel(seed: runSeed()) }

  @Test func aSecondBatchIsBusyUntilTheFirstEnds() throws {
    let map = MemoryMap()
    let batch = try map.batch(wait: 0)
    #expect(code { _ = try map.batch(wait: 0) } == .busy)
    batch.end()
    try map.batch(wait: 0).commit()
    try map.batch(wait: 0).end()
  }

  @Test func aClosedMapRefusesSnapshotsAndBatches() throws {
    let map = MemoryMap()
    try map.letters("a")
    try map.close()
    try map.close()
    #expect(code { _ = try map.snapshot() } == .closed)
    #expect(code { _ = try map.batch(wait: 0) } == .closed)
  }

  /// Clause 6.3: use after the end throws `transactionEnded`.
  @Test func whatHasEndedRefusesEverything() throws {
    let map = MemoryMap()
    try map.letters("a", "b")
    let snapshot = try map.snapshot()
    let cursor = try snapshot.cursor(in: 1)
    #expect(try cursor.seek("a"))
    snapshot.end()
    #expect(try !cursor.next())
    #expect(code { _ = try cursor.seekLast() } == .transactionEnded)
    #expect(code { _ = try snapshot.value("a", in: 1) } == .transactionEnded)
    #expect(code { _ = try snapshot.cursor(in: 1) } == .transactionEnded)
    #expect(code { _ = try snapshot.count(of: 1) } == .transactionEnded)

    let batch = try map.batch(wait: 0)
    let inner = try batch.cursor(in: 1)
    try batch.commit()
    #expect(code { _ = try inner.seekLast() } == .transactionEnded)
    #expect(code { try batch.put("a", "b", in: 1) } == .transactionEnded)
    #expect(code { _ = try batch.remove("a", in: 1) } == .transactionEnded)
    #expect(code { try batch.removeAll(in: 1) } == .transactionEnded)
    #expect(code { try batch.savepoint {} } == .transactionEnded)
    #expect(code { try batch.commit() } == .transactionEnded)
    try map.read { try $0.expect([Pair("a", "a!"), Pair("b", "b!")], in: 1) }
  }

  @Test func aBatchOrSnapshotThatIsLetGoEnds() throws {
    let map = MemoryMap()
    do {
      let batch = try map.batch(wait: 0)
      try batch.put("a", "x", in: 1)
      _ = try map.snapshot()
    }
    try map.checkInvariants()
    try map.letters("b")
    #expect(map.accounts.waiting == 0)
    try map.read { try $0.expect([Pair("b", "b!")], in: 1) }
  }

  @Test func aBatchEndedInsideSavepointsLeavesNothing() throws {
    let map = MemoryMap()
    try map.letters("a")
    let batch = try map.batch(wait: 0)
    #expect(throws: StoreError.self) {
      try batch.savepoint {
        for number in 0..<500 { try batch.put(Pair.key(number), Pair.key(number), in: 1) }
        try batch.savepoint {
          for number in 0..<400 { _ = try batch.remove(Pair.key(number), in: 1) }
          batch.end()
        }
      }
    }
    try map.checkInvariants()
    try map.read { try $0.expect([Pair("a", "a!")], in: 1) }
  }

  /// A scan that writes back what it stands on hands pointers of the map to the map.
  @Test func keysAndValuesMayLieInTheMapItself() throws {
    let map = MemoryMap()
    var pairs: [Pair] = []
    for number in 0..<600 {
      let key = Pair.key(number) + Bytes(repeating: 5, count: number % 50 == 0 ? 900 : 0)
      pairs.append(Pair(key, Bytes(repeating: UInt8(number & 255), count: number % 90)))
    }
    try map.write { batch in for pair in pairs { try batch.put(pair.key, pair.value, in: 1) } }
    try map.write { batch in
      for (index, pair) in pairs.enumerated() {
        // The key from a cursor on this entry, the value from one on another of the same tree.
        let (here, there) = (try batch.cursor(in: 1), try batch.cursor(in: 1))
        let other = pairs[(index + 3) % pairs.count]
        guard try here.seek(pair.key), try there.seek(other.key) else { continue }
        let expected = Bytes(there.value)
        try batch.put(here.key, there.value, in: 1)
        #expect(try batch.value(pair.key, in: 1) == expected)
        pairs[index].value = expected
      }
      try batch.expect(pairs, in: 1)
    }
    try map.checkInvariants()
    try map.write { (batch) throws in
      while case let cursor = try batch.cursor(in: 1), try cursor.seekLast() {
        #expect(try batch.remove(cursor.key, in: 1))
      }
    }
    #expect(map.accounts.live == 0)
  }
}

extension Pair {
  /// A key that orders as its number does.
  static func key(_ number: Int) -> Bytes { OrderedStoreContract<MemoryMap>.key(number) }
}
