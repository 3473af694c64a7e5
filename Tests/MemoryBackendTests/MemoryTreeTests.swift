import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

@testable import MemoryBackend

/// The tree under hostile sizes and orders, its invariants checked after every operation.
@Suite struct MemoryTreeTests {
  /// Entries of every size up to a sixth of a node, and keys and values outside of it.
  @Test(arguments: [2, 8, 60, 399, 401, 655, 3_000])
  func invariantsHoldAfterEveryWrite(largest: Int) throws {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    var model = KeyspaceModel()
    let map = MemoryMap()
    let batch = try map.batch(wait: 0)
    do {
      for step in 0..<500 {
        // Grows at first, shrinks to nothing at the end.
        let shrinks = Int.random(in: 0..<500, using: &random) < step
        if shrinks, let key = model.pairs.randomElement(using: &random)?.key {
          _ = model.remove(key)
          #expect(try batch.remove(key, in: 1))
        } else {
          let isOld = random.chance(4)
          let old = isOld ? model.pairs.randomElement(using: &random)?.key : nil
          let key = old ?? bytes(1...max(2, largest), &random)
          let value = bytes(0...largest, &random)
          model.put(key, value)
          try batch.put(key, value, in: 1)
        }
        try batch.checkInvariants()
      }
      try batch.expect(model.pairs, in: 1, "seed \(seed)")
      try batch.commit()
      try map.checkInvariants()
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }

  /// A node that shrinks by shorter values is merged like one that loses entries.
  @Test func shorterValuesMergeNodes() throws {
    let map = MemoryMap()
    try map.write { batch in
      for number in 0..<4_000 {
        try batch.put(Pair.key(number), Bytes(repeating: 1, count: 200), in: 1)
      }
    }
    let before = map.accounts.live
    try map.write { batch in
      for number in 0..<4_000 { try batch.put(Pair.key(number), [], in: 1) }
    }
    try map.checkInvariants()
    #expect(map.accounts.live * 5 < before)
    try map.read { try $0.expect((0..<4_000).map { Pair(Pair.key($0), []) }, in: 1) }
  }

  @Test func appendTakesOnlyGreaterKeys() throws {
    let edit = Edit(stamp: 1, allowance: .max)
    var tree = BTree()
    func append(_ key: Bytes) throws -> Bool {
      try key.withUnsafeBytes { try tree.append($0, $0, edit) }
    }
    for number in 0..<2_000 {
      let accepted = try append(Pair.key(number))
      #expect(accepted)
    }
    for key in [Pair.key(1_999), Pair.key(3), []] {
      let accepted = try append(key)
      #expect(!accepted)
    }
    #expect(tree.count == 2_000)
    try tree.checkInvariants()
    tree.removeAll(edit)
    #expect(edit.live == 0)
  }

  @Test func comparisonIsByUnsignedBytesThenLength() {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let stem = bytes(0...20, &random)
      let (one, two) = (stem + bytes(0...9, &random), stem + bytes(0...9, &random))
      let order = one.withUnsafeBytes { one in two.withUnsafeBytes { compare(one, $0) } }
      #expect((order < 0) == one.precedes(two), "seed \(seed): \(one) \(two)")
      #expect((order == 0) == (one == two), "seed \(seed): \(one) \(two)")
    }
  }

  /// Few different bytes, so that keys share prefixes and clash.
  private func bytes(_ sizes: ClosedRange<Int>, _ random: inout SeededGenerator) -> Bytes {
    let count = Int.random(in: sizes, using: &random)
    let fill = UInt8.random(in: 0...255, using: &random)
    var bytes = Bytes(repeating: count > 12 ? 7 : fill, count: count)
    for index in bytes.indices.suffix(2) {
      bytes[index] = [0, 1, 128, 255].randomElement(using: &random) ?? 0
    }
    return bytes
  }
}
