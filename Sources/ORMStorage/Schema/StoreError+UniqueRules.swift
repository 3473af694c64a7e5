public import ORMValues

extension StoreError {
  /// Returns the `schemaMismatch` of a unique rule that is new to the store and that rows of an
  /// entity break.
  ///
  /// It does not hold their values.
  public static func rowsBreaking(_ index: StoredIndex, of entity: StoredEntity) -> StoreError {
    let names = entity.programNames(of: index.terms.map { entity.columns[$0.column].attribute })
    return StoreError(
      .schemaMismatch,
      "the program adds a unique rule, but stored rows have equal values; change them first",
      entity: names.entity, attributes: names.attributes)
  }

  /// Returns the error of a schema whose new unique rules are broken, or nil where none is.
  public static func rowsBreaking(_ rules: [StoreError]) -> StoreError? {
    if rules.isEmpty { return nil }
    let count = rules.count == 1 ? "a unique rule" : "\(rules.count) unique rules"
    return StoreError(
      .schemaMismatch, "stored rows break \(count) that the program adds", failures: rules)
  }

  /// Returns the `duplicate` with which a migration reports the first of the new unique rules that rows
  /// break, or nil where none is.
  public static func duplicate(breaking rules: [StoreError]) -> StoreError? {
    rules.first.map {
      StoreError(
        .duplicate, "stored rows have equal values, which a new unique rule forbids",
        entity: $0.entity, attributes: $0.attributes, failures: rules.count > 1 ? rules : [])
    }
  }
}
