public import ORMStorage

/// One snapshot of a store, for the length of a block.
///
/// ```swift
/// let (count, price) = try store.read { tx in
///   (try tx.count(Snack.self), try tx.average(Snack.all, \.price))     // both of one snapshot
/// }
/// ```
///
/// It belongs to its block and its thread: used afterwards or elsewhere, every operation throws
/// `transactionEnded`.
public class ReadTransaction {
  /// The store.
  public let store: any Store
  /// The outermost reader.
  @usableFromInline package let reader: any StoreReader
  /// The reader beneath the layers, for finds that concern none of them.
  @usableFromInline package let engine: any StoreReader
  private let block: TransactionScheduler.Block
  /// The check, at every operation, whether the block must end early.
  @exclusivity(unchecked) private var stopCheck = StopCheck(every: 16)
  /// True once the program was given rows that a second run would give it again.
  package final var hasGivenRows = false
  /// The store's runtime, held so that its plans are reached without counting references.
  package let runtime: StoreRuntime

  package init(
    store: any Store, reader: any StoreReader, engine: any StoreReader,
    block: TransactionScheduler.Block
  ) {
    self.store = store
    self.reader = reader
    self.engine = engine
    self.block = block
    runtime = store.runtime
  }

  /// The reader, while the transaction may be used.
  package final func live() throws -> any StoreReader {
    try checkRunning()
    return reader
  }

  /// Throws `transactionEnded` if the transaction may not be used, and the error that ends the block
  /// early.
  @usableFromInline
  package final func checkRunning() throws {
    try block.checkRunning()
    try stopCheck.step()
  }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}
