import ORMCore

@testable import MemoryBackend
@testable import OrderedEngine

/// A memory map that counts how often a reader seeks in a keyspace: once for each row looked up.
final class CountingMap: OrderedStore {
  let map = MemoryMap()
  fileprivate let counts = Lock<[Keyspace: Int]>([:])
  let maximumKeyLength = Int.max

  func snapshot() throws -> Snapshot { Snapshot(try map.snapshot(), self) }
  func batch(wait: Double) throws -> MemoryBatch { try map.batch(wait: wait) }
  func close() throws { try map.close() }

  /// The seeks in each keyspace while a body runs.
  func seeks(during body: () throws -> Void) rethrows -> [Keyspace: Int] {
    counts.withLock { $0 = [:] }
    try body()
    return counts.withLock { $0 }
  }

  final class Snapshot: OrderedSnapshot {
    private let base: MemorySnapshot
    private let map: CountingMap

    init(_ base: MemorySnapshot, _ map: CountingMap) {
      self.base = base
      self.map = map
    }

    func value(
      of key: UnsafeRawBufferPointer, in keyspace: Keyspace
    ) throws -> UnsafeRawBufferPointer? {
      map.counts.withLock { $0[keyspace, default: 0] += 1 }
      return try base.value(of: key, in: keyspace)
    }

    func cursor(in keyspace: Keyspace) throws -> Cursor {
      Cursor(try base.cursor(in: keyspace), keyspace, map)
    }

    func count(of keyspace: Keyspace) throws -> Int { try base.count(of: keyspace) }
    func end() { base.end() }
  }

  final class Cursor: OrderedCursor {
    private let base: MemoryCursor
    private let keyspace: Keyspace
    private let map: CountingMap

    init(_ base: MemoryCursor, _ keyspace: Keyspace, _ map: CountingMap) {
      self.base = base
      self.keyspace = keyspace
      self.map = map
    }

    func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
      map.counts.withLock { $0[keyspace, default: 0] += 1 }
      return try base.seek(key)
    }

    func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
      map.counts.withLock { $0[keyspace, default: 0] += 1 }
      return try base.value(of: key)
    }

    func seek(before key: UnsafeRawBufferPointer) throws -> Bool { try base.seek(before: key) }
    func seekLast() throws -> Bool { try base.seekLast() }
    func next() throws -> Bool { try base.next() }
    func previous() throws -> Bool { try base.previous() }
    var entry: OrderedEntry { base.entry }
  }
}
