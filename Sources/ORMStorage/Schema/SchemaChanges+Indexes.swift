/// Indexes that an opening adds on its own, after the other changes.
extension SchemaChanges {
  /// Returns the changes without some of the indexes that they add.
  package func leavingOut(_ parts: [Part]) -> SchemaChanges {
    if parts.isEmpty { return self }
    var changes = self
    changes.addedIndexes.removeAll { parts.contains($0) }
    for position in changes.union.entities.indices {
      let name = changes.union.entities[position].name
      changes.union.entities[position].indexes.removeAll {
        parts.contains(Part(name, $0.name))
      }
    }
    return changes
  }

  /// The index that an added part is, by positions of the columns of ``union``, and its entity.
  package func addition(_ part: Part) -> (index: StoredIndex, entity: StoredEntity)? {
    guard let entity = union.entities.first(where: { $0.name == part.entity }),
      let index = entity.indexes.first(where: { $0.name == part.name })
    else { return nil }
    return (index, entity)
  }
}
