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
    if isOver { throw StoreError(.transactionEnded, "A snapshot was used after it had ended.") }
    return reader
  }

  package func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    try open().value(of: key, in: keyspace)
  }

  package func cursor(in keyspace: Keyspace) throws -> LMDBPageCursor {
    try open().cursor(in: keyspace)
  }

  package func count(of keyspace: Keyspace) throws -> Int { try open().tree(of: keyspace).entries }

  package func estimatedCount(
    of keyspace: Keyspace, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? {
    try open().estimatedCount(of: keyspace, from: lower, to: upper)
  }

  /// The number of the commit this snapshot shows; it grows by one with each commit of any process.
  package var commitNumber: UInt64? { isOver ? nil : reader.commit }

  package func end() {
    if isOver { return }
    isOver = true
    map.take(back: reader)
  }
}
