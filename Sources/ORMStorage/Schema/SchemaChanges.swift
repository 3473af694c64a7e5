internal import ORMValues

/// The changes that fit a store to a declared schema, and the schema that it holds afterwards.
///
/// ``SchemaComparison`` makes it of additions and the dropping of indexes alone. A ``SchemaMigration``
/// also renames, alters and drops.
public struct SchemaChanges: Hashable, Sendable {
  /// The schema to keep in the store: its former entities and columns in their order, then the new ones.
  ///
  /// Positions of columns in keys and indexes count the columns of this schema.
  public var union: StoredSchema
  /// The entities to be made, by stored name.
  public var addedEntities: [String] = []
  /// The columns to be added to entities that exist.
  public var addedColumns: [Part] = []
  /// The indexes to be built on entities that exist.
  public var addedIndexes: [Part] = []
  /// The indexes to be dropped, before those of `addedIndexes` are built.
  public var droppedIndexes: [Part] = []
  /// The derived attributes of entities that exist whose values are to be worked out: those that are
  /// new, or derived of something else than the stored derivation.
  public var derivedColumns: [Part] = []

  /// The entities to be dropped with their rows, by their names before the change.
  public var droppedEntities: [String] = []
  /// The columns to be dropped with their values; the entity by its name afterwards, the column by
  /// its name before.
  ///
  /// No remaining index has a term over them.
  public var droppedColumns: [Part] = []
  /// The names before of entities that get another, by their names afterwards.
  public var renamedEntities: [String: String] = [:]
  /// The names before of columns that get another, by entity and column afterwards.
  public var renamedColumns: [Part: String] = [:]
  /// The names before of indexes that get another, by entity and index afterwards.
  public var renamedIndexes: [Part: String] = [:]
  /// The columns whose optionality, normalization or default changes, by their names afterwards.
  ///
  /// Their types are as before, and so are all values. The rows fit already: none has nil where nil
  /// is no longer allowed.
  public var alteredColumns: [Part] = []

  /// Makes changes that lead to a schema; none besides, until they are listed.
  public init(union: StoredSchema) { self.union = union }

  /// A column or an index of an entity, by stored names.
  public struct Part: Hashable, Sendable {
    /// The entity.
    public var entity: String
    /// The column or index.
    public var name: String

    /// Makes a part of stored names.
    public init(_ entity: String, _ name: String) {
      self.entity = entity
      self.name = name
    }
  }

  /// True if the store fits as it is.
  ///
  /// The stored copy of the schema may still have to be replaced by `union`, when names in the
  /// program or defaults changed.
  public var isEmpty: Bool {
    addedEntities.isEmpty && addedColumns.isEmpty && addedIndexes.isEmpty
      && droppedIndexes.isEmpty && derivedColumns.isEmpty && droppedEntities.isEmpty
      && droppedColumns.isEmpty && renamedEntities.isEmpty && renamedColumns.isEmpty
      && renamedIndexes.isEmpty && alteredColumns.isEmpty
  }

  /// The name before the change of an entity of ``union``; nil for one that is added.
  public func nameBefore(ofEntity name: String) -> String? {
    addedEntities.contains(name) ? nil : renamedEntities[name] ?? name
  }

  /// The name before the change of a column of an entity of ``union``; nil for one that is added.
  public func nameBefore(ofColumn name: String, in entity: String) -> String? {
    let part = Part(entity, name)
    if addedEntities.contains(entity) || addedColumns.contains(part) { return nil }
    return renamedColumns[part] ?? name
  }

  /// The name before the change of an index of an entity of ``union``; nil for one that is built.
  public func nameBefore(ofIndex name: String, in entity: String) -> String? {
    let part = Part(entity, name)
    if addedEntities.contains(entity) || addedIndexes.contains(part) { return nil }
    return renamedIndexes[part] ?? name
  }
}

extension SchemaChanges {
  /// Throws `schemaMismatch` unless a schema has every entity and every column that stays, or gets another
  /// name.
  ///
  /// A database would take a column that it does not have for a new one, and its values would be lost.
  package func check(against stored: StoredSchema) throws {
    for entity in union.entities {
      guard let name = nameBefore(ofEntity: entity.name) else { continue }
      guard let before = stored[name] else { throw Self.unknown("entity \(name)", entity) }
      for column in entity.columns {
        guard let name = nameBefore(ofColumn: column.name, in: entity.name) else { continue }
        if before.column(named: name) == nil { throw Self.unknown("attribute \(name)", entity) }
      }
    }
  }

  /// The error for changes that do not fit the schema of a store.
  package static func unknown(_ part: String, _ entity: StoredEntity) -> StoreError {
    StoreError(
      .schemaMismatch, "a schema change keeps the \(part), which the store does not have so",
      entity: entity.modelName)
  }
}
