/// What must be done to a store so that a declared schema fits it, and the schema it holds then.
///
/// Made by ``SchemaComparison``; only additions and the dropping of indexes are ever in it, never
/// anything that loses data.
package struct SchemaChanges: Hashable, Sendable {
  /// The schema to keep in the store: what it held, in its own order, then what is new.
  ///
  /// Positions of columns in keys and indexes count the columns of this schema.
  package var union: StoredSchema
  /// The entities to be made, by stored name.
  package var addedEntities: [String] = []
  /// The columns to be added to entities that exist.
  package var addedColumns: [Part] = []
  /// The indexes to be built on entities that exist.
  package var addedIndexes: [Part] = []
  /// The indexes to be dropped, before those of `addedIndexes` are built.
  package var droppedIndexes: [Part] = []
  /// The derived attributes of entities that exist whose values are to be worked out: those that are
  /// new, or derived of something else than what was kept.
  package var derivedColumns: [Part] = []

  /// A column or an index of an entity, by stored names.
  package struct Part: Hashable, Sendable {
    /// The entity.
    package var entity: String
    /// The column or index.
    package var name: String

    package init(_ entity: String, _ name: String) {
      self.entity = entity
      self.name = name
    }
  }

  /// Whether the store fits as it is.
  ///
  /// Its kept copy of the schema may still have to be replaced by `union`, when names in the
  /// program or defaults changed.
  package var isEmpty: Bool {
    addedEntities.isEmpty && addedColumns.isEmpty && addedIndexes.isEmpty
      && droppedIndexes.isEmpty && derivedColumns.isEmpty
  }
}
