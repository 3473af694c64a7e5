internal import ORMCore

/// The one write transaction of a store, for the length of a block: all of it or nothing.
///
/// It reads what it has written. Each verb is whole: one that throws has changed nothing, and the
/// block may go on.
public final class WriteTransaction: ReadTransaction {
  let writer: any StoreWriter
  /// The entities with rows that were changed so far, by model name.
  private var changedEntities: Set<String> = []
  private let writeBlock: TransactionGate.Block

  init(store: any Store, writer: any StoreWriter, block: TransactionGate.Block) {
    self.writer = writer
    writeBlock = block
    super.init(store: store, reader: writer, block: block)
    (writer as? GuardedWriter)?.transaction = self
  }

  /// Runs `body` as part of the transaction; when it throws, what it wrote is undone and the error
  /// comes out as it was thrown.
  @discardableResult
  public func savepoint<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try writeBlock.checkRunning()
    var result: Result?
    let changedBefore = changedEntities
    do {
      try writer.savepoint { result = try body(self) }
    } catch {
      changedEntities = changedBefore
      throw error
    }
    guard let result else {
      throw StoreError(.engine, "the store ended a savepoint without running its body")
    }
    return result
  }

  /// The writer, while the transaction may be used.
  func writing() throws -> any StoreWriter {
    try writeBlock.checkRunning()
    return writer
  }

  /// Remembers that rows of an entity were changed; of an entity whose rows are links that core
  /// keeps, that both its ends were.
  func didChange(_ entity: StoredEntity) {
    if entity.isInternal, let ends = try? store.relationshipRules().ends(of: entity) {
      changedEntities.formUnion(ends)
    } else if entity.parent == nil && entity.subentities.isEmpty {
      changedEntities.insert(entity.modelName)
    } else {
      changedEntities.formUnion(store.schema.kin(of: entity))
    }
  }

  /// Whether rows of an entity were changed so far, so that it need not be found out again.
  func hasChanged(_ entity: StoredEntity) -> Bool { changedEntities.contains(entity.modelName) }

  /// Commits and announces what was changed; passes the commit point first, and takes in the verbs
  /// that wait to share the commit.
  func finish() throws {
    try writeBlock.beginCommit()
    let hasHooks = (writer as? GuardedWriter)?.guards.hasHooks == true
    writeBlock.admitFollowers(repeatsAlone: !hasHooks)
    store.runtime.gate.noticeOthers()
    try writer.commit()
    if !changedEntities.isEmpty {
      store.runtime.gate.announce(CommitNotice(entities: changedEntities))
    }
  }
}
