/// The change of a store inside a closure, which runs in the transaction of the opening.
///
/// Unchecked: it is used on the thread of the opening alone.
package final class NestedMigration: MemberMigration, @unchecked Sendable {
  private let condition: (_ stored: StoredSchema) -> Bool
  private let body: (any SchemaTransaction, (any StoreFile)?) throws -> Void
  /// True once the closure has run in a transaction that was not rolled back.
  package private(set) var hasRun = false

  package init(
    if condition: @escaping (_ stored: StoredSchema) -> Bool = { _ in true },
    _ body: @escaping (any SchemaTransaction, (any StoreFile)?) throws -> Void
  ) {
    self.condition = condition
    self.body = body
  }

  package func isNeeded(from stored: StoredSchema, to declared: StoredSchema) -> Bool {
    condition(stored)
  }

  package func migrate(_ transaction: any SchemaTransaction, in file: (any StoreFile)?) throws {
    try body(transaction, file)
    hasRun = true
  }

  package func noteRollback() { hasRun = false }
}
