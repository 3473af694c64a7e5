internal import ORMCore
package import OrderedEngine

/// A reader of the map, which goes back to the map's pool at the end.
package final class LMDBSnapshot: OrderedSnapshot {
  private let map: LMDBMap
  @exclusivity(unchecked) private var reader: LMDBReader?

  init(map: LMDBMap, reader: LMDBReader) {
    self.map = map
    self.reader = reader
  }

  deinit { end() }

  @inline(__always)
  private func open() throws -> LMDBReader {
    guard let reader else {
      throw StoreError(.transactionEnded, "A snapshot was used after its end.")
    }
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
  package var commitNumber: UInt64? { reader?.commit }

  /// How many pages of the file are free to be written again.
  func freePageCount() throws -> Int { try open().transaction.freePageCount() }

  package func end() {
    guard let reader else { return }
    self.reader = nil
    map.take(back: reader)
  }
}
