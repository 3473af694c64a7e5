internal import ORMStorage

/// The write transaction of a SQL database.
package final class SQLWriter: SQLReader, StoreWriter {
  var keys = GeneratedKeys()
  /// The connection's count of changes when nothing of this transaction was changed: as it began,
  /// and what was undone since.
  private var unchangedCount: Int
  /// The number of statements run that the program wrote itself.
  var statementCount = 0
  /// True if the transaction ends with the view.
  private let ownsTransaction: Bool

  /// True if rows that an update leaves as they are must not be written; in the transaction of an
  /// opening, nothing asks for the number of changes.
  var comparesRows: Bool { ownsTransaction }

  /// Takes a session whose connection has begun the write.
  package override convenience init(
    _ session: SQLSession, release: @escaping (SQLSession) -> Void
  ) {
    self.init(session, ownsTransaction: true, release: release)
  }

  /// Takes a session whose connection has begun the write.
  ///
  /// Without `ownsTransaction`, the caller ends the transaction.
  init(
    _ session: SQLSession, ownsTransaction: Bool,
    release: @escaping (SQLSession) -> Void = { _ in }
  ) {
    self.ownsTransaction = ownsTransaction
    unchangedCount = session.connection.totalChanges
    super.init(session, release: release)
  }

  package func savepoint(_ body: () throws -> Void) throws {
    try checkOpen()
    let changesBefore = changes
    try session.connection.beginSavepoint()
    do {
      try body()
    } catch {
      try rollbackSavepoint(to: changesBefore)
      throw error
    }
    try session.connection.releaseSavepoint()
  }

  /// The number of rows that were changed and not undone, and of statements that the program wrote.
  var changes: Int { session.connection.totalChanges - unchangedCount + statementCount }

  package var changeCount: Int? { changes }

  /// Undoes what was written in the innermost savepoint, which began when so much was changed.
  func rollbackSavepoint(to changesBefore: Int) throws {
    keys.forget()
    unchangedCount += changes - changesBefore
    try session.connection.rollbackSavepoint()
  }

  package func raiseGreatestKey(of entity: String, to key: Int64) throws {
    try checkOpen()
    let table = try session.schema.table(entity)
    guard table.entity.generatesKeys else { return }
    try session.recordKey(key, table)
    keys.forget()
  }

  package func commit() throws {
    try checkOpen()
    defer { end() }
    // Pages that were written and undone would be written to the file all the same.
    if ownsTransaction, changes > 0 { try session.connection.commit() }
  }

  override func checkTransaction() throws {
    if !session.connection.isInTransaction {
      throw StoreError(
        .transactionEnded, "the engine rolled the transaction back after a failure")
    }
  }

  override func endTransaction() {
    if ownsTransaction { session.connection.rollback() }
  }
}
