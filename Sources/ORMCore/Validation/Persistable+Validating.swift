internal import ORMRows

extension Persistable {
  /// Checks every rule of the object by hand, without a store: those of its attributes, of its
  /// entity, and of its code.
  ///
  /// ```swift
  /// try snack.validate()
  /// ```
  ///
  /// Counts of to-manys are checked where they are loaded.
  ///
  /// - Throws: `validationFailed`, with every broken rule in `failures`; `invalidValue` and
  ///   `missingValue` for an object that could not be stored at all.
  public func validate() throws {
    try validate { _ in true }
  }

  /// Checks the rules of one attribute, and those of several attributes that concern it.
  ///
  /// ```swift
  /// try snack.validate(\.price)
  /// ```
  ///
  /// Code that checks the whole object is called, and its failures count that name this attribute.
  ///
  /// - Throws: as `validate()`; `unknownAttribute` for a property that is no attribute.
  public func validate<Value>(_ path: AttributePath<Self, Value>) throws {
    let name = try Self.name(of: path)
    try validate { $0.contains(name) }
  }

  private func validate(_ isConcerned: ([String]) -> Bool) throws {
    let values = try Mapper.values(of: self)
    let entity = Self.entity.description.lowered()
    var row = BufferedRow(values)
    if row.columnCount < entity.columns.count { row.values.append(.null) }
    var failures: [StoreError] = []
    let schema = StoredSchema(entities: [entity])
    for rule in Self.entity.rules where isConcerned(rule.attributes) {
      let compiled = try CompiledRule(rule, entity: entity, schema: schema, clock: nil)
      if let failure = try compiled.bound().failure(of: row, entity: entity) {
        failures.append(failure)
      }
    }
    failures += try ModelRules<Self>.failures(of: self, event: .none, old: { nil }, nil)
      .filter { isConcerned($0.attributes) }
    failures += try Self.entity.relationships.compactMap { try countFailure($0) }
      .filter { isConcerned($0.attributes) }
    if let error = StoreError.broken(failures, entity: entity, key: entity.key(of: row)) {
      throw error
    }
  }

  private func countFailure<End: RelationshipEnd<Self>>(_ end: End) throws -> StoreError? {
    guard let range = end.declaration.count,
      let count = end.change(of: self)?.count ?? end.ids(of: self)?.count, !range.contains(count)
    else { return nil }
    return .count(
      count, range, of: end.declaration.name, in: Self.entity.description.name)
  }
}
