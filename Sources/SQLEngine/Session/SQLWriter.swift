internal import ORMCore

/// The write transaction of a SQL database.
package final class SQLWriter: SQLReader, StoreWriter {
  var keys = GeneratedKeys()

  package func savepoint(_ body: () throws -> Void) throws {
    try checkOpen()
    try session.connection.beginSavepoint()
    do {
      try body()
    } catch {
      keys.forget()
      try session.connection.rollbackSavepoint()
      throw error
    }
    try session.connection.releaseSavepoint()
  }

  package func commit() throws {
    try checkOpen()
    defer { end() }
    try session.connection.commit()
  }

  override func checkTransaction() throws {
    if !session.connection.isInTransaction {
      throw StoreError(
        .transactionEnded, "the engine rolled the transaction back after a failure")
    }
  }

  override func endTransaction() { session.connection.rollback() }
}
