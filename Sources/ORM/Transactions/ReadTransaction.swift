public import ORMCore

/// One snapshot of a store, for the length of a block.
///
/// It belongs to its block and its thread: used afterwards or elsewhere, every verb throws
/// `transactionEnded`.
public class ReadTransaction {
  /// The store.
  public let store: any Store
  let reader: any StoreReader
  private let block: TransactionGate.Block

  init(store: any Store, reader: any StoreReader, block: TransactionGate.Block) {
    self.store = store
    self.reader = reader
    self.block = block
  }

  /// The reader, while the transaction may be used.
  func live() throws -> any StoreReader {
    try block.checkRunning()
    return reader
  }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}
