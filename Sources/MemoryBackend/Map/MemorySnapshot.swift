package import OrderedEngine

import ORMStorage

/// A consistent view of a ``MemoryMap``: a copy of its roots, taken in constant time.
///
/// Pointers handed out stay valid until it ends, whatever is written meanwhile. It ends when it is
/// let go at the latest.
package final class MemorySnapshot: OrderedSnapshot {
  package typealias Cursor = MemoryCursor

  private let map: MemoryMap
  let published: MemoryMap.Published
  private let footing = Footing()

  init(map: MemoryMap, published: MemoryMap.Published) {
    self.map = map
    self.published = published
  }

  deinit { end() }

  package func value(
    of key: UnsafeRawBufferPointer, in space: Space
  ) throws -> UnsafeRawBufferPointer? {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return published.trees[space]?.value(of: key)
  }

  package func cursor(in space: Space) throws -> MemoryCursor {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return MemoryCursor(
      OpenSpace(published.trees[space] ?? BTree(), footing: footing), owner: self, isFixed: true)
  }

  package func count(of space: Space) throws -> Int {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return published.trees[space]?.count ?? 0
  }

  package func estimatedCount(
    of space: Space, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? {
    guard !footing.isOver else { throw MemoryCursor.ended }
    return published.trees[space]?.estimatedCount(from: lower, to: upper) ?? 0
  }

  package func end() {
    guard !footing.isOver else { return }
    footing.end()
    map.close(published.generation)
  }
}
