internal import ORMStorage
package import OrderedEngine

/// A snapshot that asks the library for each entry.
///
/// It estimates no ranges, for which the library has no call: the engine then counts their first
/// entries.
package final class LMDBLibrarySnapshot: OrderedSnapshot {
  private let map: LMDBMap
  /// The reader, which is another's once the snapshot is over.
  private let reader: LMDBReader
  private var isOver = false

  init(map: LMDBMap, reader: LMDBReader) {
    self.map = map
    self.reader = reader
  }

  deinit { end() }

  @inline(__always)
  private func open() throws -> LMDBTransaction {
    if isOver { throw StoreError(.transactionEnded, "A snapshot was used after it had ended.") }
    return reader.transaction
  }

  package func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    let transaction = try open()
    return try transaction.value(of: key, in: transaction.handle(of: keyspace))
  }

  package func cursor(in keyspace: Keyspace) throws -> LMDBCursor {
    try open().cursor(in: keyspace)
  }

  package func count(of keyspace: Keyspace) throws -> Int {
    let transaction = try open()
    return try transaction.count(of: transaction.handle(of: keyspace))
  }

  /// The number of the commit this snapshot shows.
  package var commitNumber: UInt64? { isOver ? nil : reader.commit }

  package func end() {
    if isOver { return }
    isOver = true
    map.take(back: reader)
  }
}
