extension StoreError {
  /// A unique rule, new to the store, that rows of an entity break; without their values.
  package static func rowsBreaking(_ index: StoredIndex, of entity: StoredEntity) -> StoreError {
    let names = entity.programNames(of: index.terms.map { entity.columns[$0.column].attribute })
    return StoreError(
      .schemaMismatch, "the program adds a unique rule, and the store has rows with equal values",
      entity: names.entity, attributes: names.attributes)
  }

  /// The error of a schema whose new unique rules are broken; nil where none is.
  package static func rowsBreaking(_ rules: [StoreError]) -> StoreError? {
    if rules.isEmpty { return nil }
    let count = rules.count == 1 ? "a unique rule" : "\(rules.count) unique rules"
    return StoreError(
      .schemaMismatch, "rows break \(count) that the program adds", failures: rules)
  }
}
