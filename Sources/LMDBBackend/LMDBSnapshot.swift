internal import ORMCore
package import OrderedEngine

/// A reader of the map: a renewed transaction, which goes back to the map's pool at the end.
package final class LMDBSnapshot: OrderedSnapshot {
  private let map: LMDBMap
  @exclusivity(unchecked) private var transaction: LMDBTransaction?

  init(map: LMDBMap, transaction: LMDBTransaction) {
    self.map = map
    self.transaction = transaction
  }

  deinit { end() }

  @inline(__always)
  private func open() throws -> LMDBTransaction {
    guard let transaction else {
      throw StoreError(.transactionEnded, "A snapshot was used after its end.")
    }
    return transaction
  }

  @inlinable
  package func get<R>(
    _ key: UnsafeRawBufferPointer, in space: Space,
    _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    guard let value = try value(of: key, in: space) else { return nil }
    return try body(value)
  }

  /// The value of a key, valid until the snapshot ends.
  package func value(
    of key: UnsafeRawBufferPointer, in space: Space
  ) throws -> UnsafeRawBufferPointer? {
    let transaction = try open()
    return try transaction.value(of: key, in: transaction.handle(of: space))
  }

  package func cursor(in space: Space) throws -> LMDBCursor {
    try open().cursor(in: space)
  }

  package func count(of space: Space) throws -> Int {
    let transaction = try open()
    return try transaction.count(of: transaction.handle(of: space))
  }

  /// The number of the commit this snapshot shows; it grows by one with each commit of any process.
  package var commitNumber: UInt64? { transaction?.number }

  /// How many pages of the file are free to be written again.
  func freePageCount() throws -> Int { try open().freePageCount() }

  package func end() {
    guard let transaction else { return }
    self.transaction = nil
    map.take(back: transaction)
  }
}
