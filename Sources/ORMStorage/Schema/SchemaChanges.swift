internal import ORMValues

/// The changes that fit a store to a declared schema, and the schema that it holds afterwards.
///
/// Made by ``SchemaComparison``; only additions and the dropping of indexes are ever in it, never
/// anything that loses data.
public struct SchemaChanges: Hashable, Sendable {
  /// The schema to keep in the store: what it held, in its own order, then what is new.
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
  /// new, or derived of something else than what was kept.
  public var derivedColumns: [Part] = []

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
  /// Its kept copy of the schema may still have to be replaced by `union`, when names in the
  /// program or defaults changed.
  public var isEmpty: Bool {
    addedEntities.isEmpty && addedColumns.isEmpty && addedIndexes.isEmpty
      && droppedIndexes.isEmpty && derivedColumns.isEmpty
  }
}
