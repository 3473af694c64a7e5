internal import ORMStorage
package import OrderedEngine

/// A reader of the map, which goes back to the map's pool at the end.
package final class LMDBSnapshot: OrderedSnapshot {
  private let map: LMDBMap
  /// The reader, which is another's once the snapshot is over.
  private let reader: LMDBReader
  @exclusivity(unchecked) private var isOver = false

  init(map: LMDBMap, reader: LMDBReader) {
    self.map = map
    self.reader = reader
  }

  deinit { end() }

  @inline(__always)
  private func open() throws -> LMDBReader {
    if isOver { throw StoreError(.transactionEnded, "A snapshot was used after its end.") }
    return reader
  }

  package func value(
    of key: UnsafeRawBufferPointer, in space: Space
  ) throws -> UnsafeRawBufferPointer? {
    try open().value(of: key, in: space)
  }

  package func cursor(in space: Space) throws -> LMDBPageCursor {
    try open().cursor(in: space)
  }

  package func count(of space: Space) throws -> Int { try open().tree(of: space).entries }

  package func estimatedCount(
    of space: Space, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? {
    try open().estimatedCount(of: space, from: lower, to: upper)
  }

  /// The number of the commit this snapshot shows; it grows by one with each commit of any process.
  package var commitNumber: UInt64? { isOver ? nil : reader.commit }

  package func end() {
    if isOver { return }
    isOver = true
    map.take(back: reader)
  }
}
