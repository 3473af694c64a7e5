internal import ORMStorage

/// A migration that is put off until the file is open with capacity for as many keyspaces as it may need.
///
/// One that began earlier and then met the limit would run twice.
struct PostponedMigration: SchemaMigration {
  let migration: any SchemaMigration
  var leadsBack: Bool { migration.leadsBack }

  func checkCreation() throws { try migration.checkCreation() }

  /// Returns false if the store needs no migration.
  ///
  /// - Throws: `full` as the library does when the keyspaces run out; the errors of the migration.
  func isNeeded(from stored: StoredSchema, to declared: StoredSchema) throws -> Bool {
    guard try migration.isNeeded(from: stored, to: declared) else { return false }
    throw StoreError.keyspacesRunOut
  }

  func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome {
    throw StoreError.keyspacesRunOut
  }
}
