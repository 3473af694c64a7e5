package import OrderedEngine

import ORMStorage

/// A consistent view of a ``MemoryMap``: a copy of its roots, taken in constant time.
///
/// Its pointers stay valid until it ends, also while commits follow. It ends when it is released at the
/// latest.
package final class MemorySnapshot: RestartableSnapshot {
  package typealias Cursor = MemoryCursor

  private let map: MemoryMap
  @exclusivity(unchecked) private(set) var published: MemoryMap.Published
  private var footing = Footing()

  init(map: MemoryMap, published: MemoryMap.Published) {
    self.map = map
    self.published = published
  }

  deinit { end() }

  package func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return published.trees[keyspace]?.value(of: key)
  }

  package func cursor(in keyspace: Keyspace) throws -> MemoryCursor {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return MemoryCursor(
      OpenKeyspace(published.trees[keyspace] ?? BTree(), footing: footing), owner: self,
      isFixed: true)
  }

  package func count(of keyspace: Keyspace) throws -> Int {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return published.trees[keyspace]?.count ?? 0
  }

  package func estimatedCount(
    of keyspace: Keyspace, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return published.trees[keyspace]?.estimatedCount(from: lower, to: upper) ?? 0
  }

  package func restart() throws -> Bool {
    guard footing.isOver else { return false }
    published = try map.openNewest()
    footing = Footing()
    return true
  }

  package func end() {
    guard !footing.isOver else { return }
    footing.end()
    map.close(published.generation)
  }
}
