import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

@testable import MemoryBackend

/// The size of a map, its limits, and the time at which it releases replaced values.
@Suite struct MemoryMapSizeTests {
  @Test func aPutPastTheLimitIsFullAndChangesNothing() throws {
    let map = MemoryMap(limit: 10)
    let batch = try map.batch(wait: 0)
    try batch.put("abc", "1234", in: 1)
    #expect(code { try batch.put("k", "123", in: 1) } == .full)
    try batch.put("k", "12", in: 2)
    #expect(code { _ = try batch.insert("x", "", in: 3) } == .full)
    #expect(code { try batch.put("abc", "12345", in: 1) } == .full)
    #expect(try !batch.insert("abc", "123456789", in: 1), "an insert that is refused needs nothing")
    try batch.put("abc", "123", in: 1)
    #expect(try batch.insert("x", "", in: 3))
    try batch.commit()
    try map.checkInvariants()
    try map.read { snapshot in
      try snapshot.expect([Pair("abc", "123")], in: 1)
      try snapshot.expect([Pair("k", "12")], in: 2)
      try snapshot.expect([Pair("x", "")], in: 3)
    }
    #expect(map.accounts.published.bytes == 10)
    try map.write { (batch) throws in
      #expect(code { try batch.put("y", "", in: 1) } == .full)
      #expect(try batch.remove("k", in: 2))
      try batch.put("y", "ab", in: 1)
      try batch.removeAll(in: 1)
      try batch.put("z", "12345678", in: 9)
    }
    try map.checkInvariants()
  }

  @Test func whatASavepointUndoesIsFreeAgain() throws {
    let map = MemoryMap(limit: 8)
    try map.write { batch in
      try batch.put("a", "123", in: 1)
      #expect(throws: Interruption(number: 0)) {
        try batch.savepoint {
          try batch.put("b", "123", in: 1)
          throw Interruption(number: 0)
        }
      }
      try batch.put("c", "123", in: 1)
    }
    let batch = try map.batch(wait: 0)
    #expect(try batch.remove("a", in: 1))
    batch.end()
    try map.write { (batch) throws in
      #expect(code { try batch.put("d", "", in: 1) } == .full)
    }
    try map.checkInvariants()
  }

  /// Ascending and descending keys fill their leaves; the rest are branches and the last leaf.
  @Test(arguments: [false, true])
  func keysInOrderFillTheirNodes(descending: Bool) throws {
    let map = MemoryMap()
    try map.write { batch in
      for number in 0..<20_000 {
        let key = Pair.key(descending ? 20_000 - number : number)
        try batch.put(key, Bytes(repeating: 1, count: 100), in: 1)
      }
    }
    try map.checkInvariants()
    // 4,072 usable bytes take 34 entries of 108 + 10, so there are 589 leaves, and 8 branches or so.
    #expect((589...604).contains(map.accounts.live))
  }

  /// The goal for a row: its encoded bytes × 1.5 + 64.
  @Test(arguments: [
    (8, 0), (8, 16), (16, 100), (40, 300), (8, 640), (8, 700), (8, 2_000), (600, 10),
  ])
  func aRowInRandomOrderTakesLittleMoreThanItsBytes(keySize: Int, valueSize: Int) throws {
    let map = MemoryMap()
    let rows = 6_000
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    let padding = Bytes(repeating: 9, count: keySize - 8)
    for numbers in Array(0..<rows).shuffled(using: &random).chunked(by: 1_000) {
      try map.write { batch in
        for number in numbers {
          let value = Bytes(repeating: 3, count: valueSize)
          try batch.put(Pair.key(number) + padding, value, in: 1)
        }
      }
    }
    try map.checkInvariants()
    // A value outside the nodes has a header of 16; malloc adds 8 and rounds up by 8 at most.
    let keyIsOutside = keySize > Node.longestKey
    let valueIsOutside = (keyIsOutside ? 8 : keySize) + valueSize > Node.largestEntry
    let blobs = (keyIsOutside ? rows : 0) + (valueIsOutside ? rows : 0)
    let blobBytes = (keyIsOutside ? rows * keySize : 0) + (valueIsOutside ? rows * valueSize : 0)
    let nodes = map.accounts.live - blobs
    let bytes = nodes * (Node.fullCapacity + 16) + blobs * 32 + blobBytes
    let goal = Double(keySize + valueSize) * 1.5 + 64
    #expect(Double(bytes) / Double(rows) <= goal, "seed \(seed)")
  }

  /// However many commits follow, a snapshot holds at most the pieces of its own trees.
  @Test func anOldSnapshotHoldsOnlyWhatItSees() throws {
    let map = MemoryMap()
    try map.write { batch in
      for number in 0..<2_000 { try batch.put(Pair.key(number), Pair.key(number), in: 1) }
    }
    let pieces = map.accounts.live
    let snapshot = try map.snapshot()
    for round in 0..<30 {
      try map.write { batch in
        for number in stride(from: round % 7, to: 2_000, by: 11) {
          try batch.put(Pair.key(number), Pair.key(number + round), in: 1)
        }
      }
      try map.checkInvariants()
    }
    #expect(map.accounts.waiting <= pieces)
    #expect(map.accounts.live <= 2 * pieces + 2)
    try snapshot.checkInvariants()
    try snapshot.expect((0..<2_000).map { Pair(Pair.key($0), Pair.key($0)) }, in: 1)
    snapshot.end()
    try map.checkInvariants()
    #expect(map.accounts.waiting == 0)
  }

  @Test func anEmptiedMapHoldsNothing() throws {
    let map = MemoryMap()
    try map.write { batch in
      for number in 0..<3_000 {
        let value = Bytes(repeating: 1, count: number % 100 == 0 ? 5_000 : 50)
        try batch.put(Pair.key(number), value, in: UInt32(number % 3))
      }
    }
    try map.write { batch in for keyspace in 0..<UInt32(3) { try batch.removeAll(in: keyspace) } }
    #expect(map.accounts.live == 0)
    #expect(map.accounts.published.bytes == 0)
  }
}

extension Array {
  /// The elements in pieces of `size`.
  func chunked(by size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
