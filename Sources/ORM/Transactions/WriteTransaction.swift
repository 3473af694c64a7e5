internal import ORMCore

/// The one write transaction of a store, for the length of a block: all of it or nothing.
///
/// It reads what it has written. Each verb is whole: one that throws has changed nothing, and the
/// block may go on.
public final class WriteTransaction: ReadTransaction {
  let writer: any StoreWriter
  /// The entities written so far, by model name.
  var changedEntities: Set<String> = []
  private let writeBlock: TransactionGate.Block

  init(store: any Store, writer: any StoreWriter, block: TransactionGate.Block) {
    self.writer = writer
    writeBlock = block
    super.init(store: store, reader: writer, block: block)
  }

  /// Runs `body` as part of the transaction; when it throws, what it wrote is undone and the error
  /// comes out as it was thrown.
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

  /// The writer, while the transaction may be used; remembers that the entity is written.
  func live(changing entity: StoredEntity) throws -> any StoreWriter {
    try writeBlock.checkRunning()
    changedEntities.insert(entity.modelName)
    return writer
  }

  /// Commits and announces; passes the commit point first.
  func finish() throws {
    try writeBlock.beginCommit()
    try writer.commit()
    if !changedEntities.isEmpty {
      store.runtime.gate.announce(CommitNotice(entities: changedEntities))
    }
  }
}
