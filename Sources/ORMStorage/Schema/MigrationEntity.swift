internal import ORMValues

/// The entity that a store has while it is being migrated in many transactions: one row with the
/// progress.
///
/// While the store keeps it, only the migration writes (clause 10.2), unless the store also keeps lists of
/// the keys of changed rows: then other programs write too (clause 10.19).
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
  /// The end of the names of entities that list the keys of rows that others change.
  package static let keyListSuffix = "$changed"

  /// Returns whether an entity is part of a migration that is under way.
  package static func isPart(_ entity: StoredEntity) -> Bool {
    entity.isInternal
      && (entity.name == name || entity.name.hasSuffix(copySuffix)
        || entity.name.hasSuffix(originalSuffix) || isKeyList(entity))
  }

  /// Returns whether an entity lists the keys of rows that others change.
  package static func isKeyList(_ entity: StoredEntity) -> Bool {
    entity.isInternal && entity.name.hasSuffix(keyListSuffix)
  }

  /// The entity that lists the keys of changed rows of another.
  package static func keyList(of entity: StoredEntity) -> StoredEntity {
    StoredEntity(
      name: entity.name + keyListSuffix, modelName: entity.modelName + keyListSuffix,
      columns: entity.key.map { position in
        let column = entity.columns[position]
        return StoredColumn(
          column.name, column.type, attribute: column.attribute, isOptional: column.isOptional)
      }, key: Array(entity.key.indices), isInternal: true)
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

  /// True while a migration is under way beside which no other program writes; for engines that list the
  /// keys of changed rows.
  package var refusesWriters: Bool {
    isBeingMigrated && !entities.contains(where: MigrationEntity.isKeyList)
  }

  /// True while a migration is under way beside which other programs write.
  package var admitsWritersOfMigration: Bool { isBeingMigrated && !refusesWriters }

  /// Throws `busy` while a migration is under way; an engine calls it where a program begins to write.
  public func checkIsNotBeingMigrated() throws {
    if isBeingMigrated { throw Self.isBeingMigrated }
  }

  /// The error for programs that want to write while a migration is under way.
  package static var isBeingMigrated: StoreError {
    StoreError(.busy, StoreError.isBeingMigrated)
  }
}
