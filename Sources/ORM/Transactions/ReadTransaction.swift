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
  /// The plan used last: the next verb is mostly of the same model.
  @exclusivity(unchecked) private var lastPlan: (model: ObjectIdentifier, plan: AnyObject)?

  init(store: any Store, reader: any StoreReader, block: TransactionGate.Block) {
    self.store = store
    self.reader = reader
    self.block = block
  }

  /// The plan of a model in the store.
  @usableFromInline
  final func plan<Model: Persistable>(of model: Model.Type) throws -> ModelPlan<Model> {
    if let lastPlan, lastPlan.model == ObjectIdentifier(model) {
      // A model has one type of plan, and what was kept for it came from below.
      return unsafeDowncast(lastPlan.plan, to: ModelPlan<Model>.self)
    }
    let plan = try store.plan(of: model)
    lastPlan = (ObjectIdentifier(model), plan)
    return plan
  }

  /// The reader, while the transaction may be used.
  @usableFromInline
  final func live() throws -> any StoreReader {
    try block.checkRunning()
    return reader
  }
}

@available(*, unavailable)
extension ReadTransaction: Sendable {}
