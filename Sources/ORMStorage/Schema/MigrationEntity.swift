internal import ORMValues

/// The entity that a store has while it is being migrated in many transactions: one row with the
/// progress.
///
/// While the store keeps it, only the migration writes (clause 10.2).
package enum MigrationEntity {
  /// The entity's name; no program's entity may be called so.
  package static let name = "strata_migration"
  /// The attribute with the progress, as JSON.
  package static let state = "state"
  /// The attribute of the key, which is 1.
  package static let key = "id"

  /// The end of the names of entities that hold copies of rows between transactions.
  package static let copySuffix = "$next"
  /// The end of the names that entities have while their copies have theirs, inside a transaction.
  package static let originalSuffix = "$before"

  /// Returns whether an entity is part of a migration that is under way.
  package static func isPart(_ entity: StoredEntity) -> Bool {
    entity.isInternal
      && (entity.name == name || entity.name.hasSuffix(copySuffix)
        || entity.name.hasSuffix(originalSuffix))
  }

  /// The entity as stores see it.
  package static var entity: StoredEntity {
    StoredEntity(
      name: name, columns: [StoredColumn(key, .int64), StoredColumn(state, .string)], key: [0],
      isInternal: true)
  }
}

extension StoredSchema {
  /// True while a migration of many transactions is under way.
  public var isBeingMigrated: Bool { index(of: MigrationEntity.name) != nil }

  /// Throws `busy` while a migration is under way; an engine calls it where a program begins to write.
  public func checkIsNotBeingMigrated() throws {
    if isBeingMigrated { throw Self.isBeingMigrated }
  }

  /// The error for programs that want to write while a migration is under way.
  package static var isBeingMigrated: StoreError {
    StoreError(
      .busy,
      "the store is being migrated and can only be read until that has ended; if the migration was "
        + "interrupted, open the store with its plan, or remove what it has written: strata migrate "
        + "abandon")
  }
}
