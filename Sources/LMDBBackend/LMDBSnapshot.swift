internal import ORMStorage
package import OrderedEngine

/// A reader of the map, which goes back to the map's pool at the end.
package final class LMDBSnapshot: RestartableSnapshot {
  private let map: LMDBMap
  /// The reader, which is another's once the snapshot is over.
  private var reader: LMDBReader
  private var isOver = false

  init(map: LMDBMap, reader: LMDBReader) {
    self.map = map
    self.reader = reader
  }

  deinit { end() }

  @inline(__always)
  private func withReader<R>(_ body: (LMDBReader) throws -> R) throws -> R {
    if isOver { throw StoreError(.transactionEnded, "A snapshot was used after it had ended.") }
    return try body(reader)
  }

  package func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    try withReader { try $0.value(of: key, in: keyspace) }
  }

  package func cursor(in keyspace: Keyspace) throws -> LMDBPageCursor {
    try withReader { try $0.cursor(in: keyspace) }
  }

  package func count(of keyspace: Keyspace) throws -> Int {
    try withReader { try $0.tree(of: keyspace).entries }
  }

  package func estimatedCount(
    of keyspace: Keyspace, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? {
    try withReader { try $0.estimatedCount(of: keyspace, from: lower, to: upper) }
  }

  /// The number of the commit this snapshot shows; it grows by one with each commit of any process.
  package var commitNumber: UInt64? {
    isOver ? nil : reader.commit
  }

  package func restart() throws -> Bool {
    guard isOver else { return false }
    reader = try map.lendReader()
    isOver = false
    return true
  }

  package func end() {
    if isOver { return }
    isOver = true
    map.take(back: reader)
  }
}
