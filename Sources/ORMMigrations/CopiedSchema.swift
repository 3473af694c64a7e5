internal import ORMStorage

/// The schemas of a store that is migrated in copies: between the transactions of the migration, and
/// inside one.
///
/// Between them the store keeps its schema of before, and beside it the copies of the entities that
/// change, under names that no program gives. Inside one, copies and originals have exchanged their
/// names, so that steps find the copies as they would find the entities themselves. Names change
/// without a look at rows.
struct CopiedSchema {
  /// The schema before the migration.
  let base: StoredSchema
  /// The stored names in it of the entities that are copied.
  let copied: Set<String>
  /// True if other programs may write: then the keys of rows that they change are listed.
  let isOnline: Bool

  /// Makes the schemas for a store.
  ///
  /// - Parameter stored: the schema that it keeps, with or without copies.
  init(_ stored: StoredSchema, copying copied: Set<String>, isOnline: Bool) {
    base = stored.withoutMigration
    self.copied = copied
    self.isOnline = isOnline
  }

  /// The entities that are copied.
  var originals: [StoredEntity] { base.entities.filter { copied.contains($0.name) } }

  /// The entities that have their names inside and between transactions.
  private var bookkeeping: [StoredEntity] {
    (isOnline ? originals.map { MigrationEntity.keyList(of: $0) } : []) + [MigrationEntity.entity]
  }

  /// The schema inside a transaction, if the migration has come to some entities.
  func inside(_ current: StoredSchema) -> StoredSchema {
    var schema = current.withoutMigration
    schema.entities += originals.map { $0.parked(MigrationEntity.originalSuffix) } + bookkeeping
    return schema
  }

  /// The copies, empty and without indexes, replacing their originals.
  var beginning: SchemaChanges {
    var changes = SchemaChanges(union: inside(base))
    for position in changes.union.entities.indices
    where copied.contains(changes.union.entities[position].name) {
      changes.union.entities[position].indexes = []
    }
    changes.addedEntities = (originals + bookkeeping).map(\.name)
    park(originals, MigrationEntity.originalSuffix, in: &changes)
    return changes
  }

  /// The indexes of the copies.
  var indexes: SchemaChanges {
    var changes = SchemaChanges(union: inside(base))
    for entity in originals {
      changes.addedIndexes += entity.indexes.map { .init(entity.name, $0.name) }
    }
    return changes
  }

  /// The changes at the end of a transaction after which others follow.
  ///
  /// - Parameter current: the schema inside.
  func leaving(_ current: StoredSchema) -> SchemaChanges {
    var changes = SchemaChanges(union: outside(current))
    park(copies(current), MigrationEntity.copySuffix, in: &changes)
    unpark(originals, MigrationEntity.originalSuffix, in: &changes)
    return changes
  }

  /// The schema between transactions.
  private func outside(_ current: StoredSchema) -> StoredSchema {
    var schema = base
    schema.entities += copies(current).map { $0.parked(MigrationEntity.copySuffix) } + bookkeeping
    return schema
  }

  /// The changes that replace the originals by second copies, which are empty: the plan runs
  /// over changed rows in them, while the finished copies keep the names that they have between
  /// transactions.
  func catchingUp(_ current: StoredSchema) -> SchemaChanges {
    var changes = SchemaChanges(union: inside(base))
    changes.union.entities += copies(current).map { $0.parked(MigrationEntity.copySuffix) }
    changes.addedEntities = originals.map(\.name)
    park(originals, MigrationEntity.originalSuffix, in: &changes)
    return changes
  }

  /// The changes that drop the second copies, after the plan ran over them.
  func caughtUp(_ current: StoredSchema) -> SchemaChanges {
    var changes = SchemaChanges(union: outside(current))
    changes.droppedEntities = copies(current).map(\.name)
    unpark(originals, MigrationEntity.originalSuffix, in: &changes)
    return changes
  }

  /// The changes at the beginning of a transaction that goes on: the reverse of ``leaving(_:)``.
  func entering(_ current: StoredSchema) -> SchemaChanges {
    var changes = SchemaChanges(union: inside(current))
    park(originals, MigrationEntity.originalSuffix, in: &changes)
    unpark(copies(current), MigrationEntity.copySuffix, in: &changes)
    return changes
  }

  /// The entities of a schema inside that are copies, or new.
  func copies(_ current: StoredSchema) -> [StoredEntity] {
    current.withoutMigration.entities.filter {
      copied.contains($0.name) || base.index(of: $0.name) == nil
    }
  }

  private func park(
    _ entities: [StoredEntity], _ suffix: String, in changes: inout SchemaChanges
  ) {
    for entity in entities {
      changes.renamedEntities[entity.name + suffix] = entity.name
      for index in entity.indexes {
        changes.renamedIndexes[.init(entity.name + suffix, index.name + suffix)] = index.name
      }
    }
  }

  private func unpark(
    _ entities: [StoredEntity], _ suffix: String, in changes: inout SchemaChanges
  ) {
    for entity in entities {
      changes.renamedEntities[entity.name] = entity.name + suffix
      for index in entity.indexes {
        changes.renamedIndexes[.init(entity.name, index.name)] = index.name + suffix
      }
    }
  }
}

extension StoredEntity {
  /// The rows of the entity under another name: columns and indexes alone.
  fileprivate func parked(_ suffix: String) -> StoredEntity {
    StoredEntity(
      name: name + suffix, modelName: modelName + suffix, columns: columns, key: key,
      keySource: keySource,
      indexes: indexes.map { StoredIndex($0.name + suffix, $0.terms, isUnique: $0.isUnique) },
      isInternal: true)
  }
}
