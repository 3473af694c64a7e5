// To the store, an attribute or entity that keeps its name in the program and gets another in the store is a
// new one without values. The values stay under the old name, where no program reads them.

extension SchemaComparison {
  /// Refuses an entity whose rows the store keeps under another stored name.
  mutating func findRenamedEntities() {
    for entity in declared.everyEntity where stored[entity.name] == nil {
      let old = stored.everyEntity.first {
        $0.modelName == entity.modelName && declared[$0.name] == nil
      }
      guard let old else { continue }
      refuse(
        "the store names this entity \(old.name), the program \(entity.name)",
        entity)
    }
  }

  /// Refuses a column, new to the store, of an attribute whose values the store keeps under another
  /// name or in another form; returns whether it did.
  mutating func refuseIfRenamed(
    _ column: StoredColumn, _ old: StoredEntity, _ new: StoredEntity
  ) -> Bool {
    let held = old.columns.first {
      $0.attribute == column.attribute && new.column(named: $0.name) == nil
    }
    if let held {
      refuse(
        "the store names this attribute \(held.name), the program \(column.name)",
        new, [column.attribute])
      return true
    }
    if old.relationship(named: column.attribute) != nil {
      refuse(
        "the store has a relationship of this name, the program an attribute", new,
        [column.attribute])
      return true
    }
    return false
  }
}
