import ORMConformance
import ORMCore
import Testing

@testable import MemoryBackend
@testable import OrderedEngine

/// Clause 1.6: keys of any length, over a map that takes 24 bytes; so 13 are long already.
@Suite struct OverflowKeyTests {
  private static let plain = OverflowKeys(limit: 24)
  /// With two hashes in all, so that counters are needed everywhere.
  private static let colliding = OverflowKeys(limit: 24) { _, count in UInt64(count & 1) }

  @Test(arguments: [false, true])
  func aMapOfLongKeysIsAMap(collides: Bool) throws {
    let overflowKeys = collides ? Self.colliding : Self.plain
    try withSeed { rows in
      for _ in 0..<6 { try walk(&rows, overflowKeys) }
    }
  }

  /// Keys share stems around the limit's length, so that buckets are many and full.
  private func randomKey(_ rows: inout RandomRows) -> Bytes {
    let stems: [Bytes] = [
      [], Bytes(repeating: 5, count: 11), Bytes(repeating: 5, count: 12),
      Bytes(repeating: 0xFF, count: 12), Bytes(repeating: 5, count: 30),
    ]
    let tail = (0..<Int.random(in: 1...3, using: &rows.random)).map { _ in
      rows.pick([0, 4, 5, 6, 255] as [UInt8])
    }
    return rows.pick(stems) + tail
  }

  private func walk(_ rows: inout RandomRows, _ overflowKeys: OverflowKeys) throws {
    let map = MemoryMap()
    let batch = try map.batch(wait: 1)
    defer { batch.end() }
    var model = KeyspaceModel()
    for step in 0..<400 {
      let key = randomKey(&rows)
      let value: Bytes = [UInt8(step & 0xFF), UInt8(step >> 8)]
      switch rows.pick([0, 0, 1, 2, 3]) {
      case 0:
        let isNew = model.value(key) == nil
        if isNew { model.put(key, value) }
        #expect(try set(batch, key, value, overflowKeys, onlyNew: true) == isNew)
      case 1:
        model.put(key, value)
        _ = try set(batch, key, value, overflowKeys, onlyNew: false)
      case 2:
        let removed = try key.withUnsafeBytes { try batch.remove($0, in: 1, overflowKeys) }
        #expect(removed == model.remove(key))
      default:
        let found = try key.withUnsafeBytes { try batch.get($0, in: 1, overflowKeys) { Bytes($0) } }
        #expect(found == model.value(key))
      }
    }
    let raw = try batch.cursor(in: 1)
    var stands = try raw.seek([])
    while stands {
      #expect(raw.key.count <= 24)
      stands = try raw.next()
    }
    try stroll(KeyCursor(try batch.cursor(in: 1), overflowKeys), model, &rows)
    try batch.commit()
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    try stroll(KeyCursor(try snapshot.cursor(in: 1), overflowKeys), model, &rows)
  }

  private func set(
    _ batch: MemoryBatch, _ key: Bytes, _ value: Bytes, _ overflowKeys: OverflowKeys, onlyNew: Bool
  ) throws -> Bool {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes {
        try batch.set(key, $0, in: 1, overflowKeys, onlyNew: onlyNew)
      }
    }
  }

  /// Seeks everywhere and walks to and fro.
  private func stroll(
    _ cursor: KeyCursor, _ model: KeyspaceModel, _ rows: inout RandomRows
  ) throws {
    for _ in 0..<60 {
      let key = rows.pick([true, false]) ? randomKey(&rows) : rows.pick(model.pairs).key
      var index = model.index(of: key)
      var stands: Bool
      switch rows.pick([0, 1, 2]) {
      case 0: stands = try key.withUnsafeBytes { try cursor.seek($0) }
      case 1:
        index -= 1
        stands = try key.withUnsafeBytes { try cursor.seek(before: $0) }
      default:
        index = model.pairs.count - 1
        stands = try cursor.seekLast()
      }
      for _ in 0..<40 {
        try #require(stands == model.pairs.indices.contains(index))
        guard stands else { break }
        #expect(Bytes(cursor.key) == model.pairs[index].key)
        #expect(Bytes(cursor.value) == model.pairs[index].value)
        if rows.pick([true, false, false]) {
          let count = rows.pick([-40, -3, -1, 0, 1, 2, 5, 40])
          let target = index + count
          let isThere = model.pairs.indices.contains(target)
          // One short of the step that would leave the map.
          let expected =
            isThere ? abs(count) : (count < 0 ? index : model.pairs.count - 1 - index)
          #expect(try cursor.move(by: count) == expected)
          index = target
          stands = isThere
          continue
        }
        let forwards = rows.pick([true, true, false])
        if rows.pick([true, false, false]) {
          let room = rows.pick([1, 2, 3, 20])
          let read = try withUnsafeTemporaryAllocation(of: OrderedEntry.self, capacity: room) {
            let count = try cursor.read($0, forwards: forwards)
            return $0[..<count].map { Pair(Bytes($0.key), Bytes($0.value)) }
          }
          #expect(read == model.pairs(after: index, forwards: forwards, read.count))
          index += forwards ? read.count : -read.count
          let isLast = index == (forwards ? model.pairs.count - 1 : 0)
          #expect(read.isEmpty ? isLast : read.count <= room)
          if isLast { break }
          continue
        }
        index += forwards ? 1 : -1
        stands = try forwards ? cursor.next() : cursor.previous()
      }
    }
  }

  @Test func aMapWithoutLimitNeverHasOverflowKeys() {
    let overflowKeys = OverflowKeys(limit: .max)
    #expect(![UInt8](repeating: 1, count: 5000).withUnsafeBytes { overflowKeys.isLong($0) })
  }
}
