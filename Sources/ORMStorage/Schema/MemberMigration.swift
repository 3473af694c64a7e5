/// A migration of a store that is one of several opened together, and whose schema changes in
/// transactions that end one after another.
///
/// It leaves the schema in its final form: the opening adds nothing, copies nothing and reports
/// nothing of its own.
package protocol MemberMigration: SchemaMigration {
  /// Changes the store in a transaction that the opening commits when this returns, and rolls back when
  /// it throws.
  ///
  /// - Parameters:
  ///   - transaction: the transaction of the opening.
  ///   - file: the file of the store; nil if it has none.
  func migrate(_ transaction: any SchemaTransaction, in file: (any StoreFile)?) throws
  /// Forgets its work in a transaction that was rolled back: the opening may run another one, in which
  /// the migration is needed no more.
  func noteRollback()
}

extension MemberMigration {
  /// True, so that it is asked for all versions.
  package var leadsBack: Bool { true }

  /// Changes the store.
  package func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome {
    try migrate(transaction, in: nil)
    return .done
  }
}
