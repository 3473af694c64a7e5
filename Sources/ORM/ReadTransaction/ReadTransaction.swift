public import ORMCore

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
  @usableFromInline let reader: any StoreReader
  /// The reader beneath the layers, for finds that concern none of them.
  @usableFromInline let engine: any StoreReader
  private let block: TransactionScheduler.Block
  /// The check, at every operation, whether the block must end early.
  @exclusivity(unchecked) private var stopCheck = StopCheck(every: 16)
  /// True once the program was given rows that a second run would give it again.
  package final var hasGivenRows = false
  /// The store's runtime, held so that its plans are reached without counting references.
  private let runtime: StoreRuntime

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

  /// The plan of a model in the store.
  @usableFromInline
  package final func plan<Model: Persistable>(of model: Model.Type) throws -> ModelPlan<Model> {
    try cachedPlan(of: model)._withUnsafeGuaranteedRef { $0 }
  }

  /// The plan of a model, which the store keeps as long as it lives: readers side by side would
  /// otherwise fight for its count of references.
  @usableFromInline
  final func cachedPlan<Model: Persistable>(
    of model: Model.Type
  ) throws -> Unmanaged<ModelPlan<Model>> {
    // Plans cached by a model's type are plans of the model: nothing else asks by that type.
    if let last = runtime.lastPlan(ofModel: model) { return .fromOpaque(last) }
    return .passUnretained(try store.plan(of: model))
  }

  /// The reader, while the transaction may be used.
  package final func live() throws -> any StoreReader {
    try checkRunning()
    return reader
  }

  /// Throws `transactionEnded` if the transaction may not be used, and the error that ends the block
  /// early.
  @usableFromInline
  final func checkRunning() throws {
    try block.checkRunning()
    try stopCheck.step()
  }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}
