extension StoreOptions.SchemaPolicy {
  /// Removes the copies and the progress of an interrupted migration, so that programs of before can
  /// write again; otherwise as ``additive``.
  ///
  /// ```swift
  /// options.schemaPolicy = .abandonMigration
  /// ```
  ///
  /// The rows are those of before the migration. A store without a migration under way is left as it is.
  public static var abandonMigration: Self { .migrate(MigrationAbandonment()) }
}

/// The migration that removes the parts of another.
struct MigrationAbandonment: SchemaMigration {
  func isNeeded(from stored: StoredSchema, to declared: StoredSchema) -> Bool {
    stored.isBeingMigrated
  }

  /// Returns the extent of a migration without losses.
  func extent(from stored: StoredSchema, to declared: StoredSchema) -> MigrationExtent {
    MigrationExtent(losesData: false, entities: [])
  }

  func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome {
    try transaction.change(transaction.schema.removingMigration)
    return .done
  }
}

extension StoredSchema {
  /// The schema without the parts of a migration that is under way.
  package var withoutMigration: StoredSchema {
    var schema = self
    schema.entities.removeAll(where: MigrationEntity.isPart)
    return schema
  }

  /// The changes that remove the parts of a migration that is under way.
  package var removingMigration: SchemaChanges {
    var changes = SchemaChanges(union: withoutMigration)
    changes.droppedEntities = entities.filter(MigrationEntity.isPart).map(\.name)
    return changes
  }
}
