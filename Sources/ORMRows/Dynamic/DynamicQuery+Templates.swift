public import ORMStorage

extension DynamicQuery {
  /// A template of an entity, with values for its variables, for tools that have its schema and not
  /// its models.
  ///
  /// ```swift
  /// let query = try DynamicQuery(
  ///   template: "cheap", of: "Snack", in: store.schema, ["LIMIT": .double(3)])
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a name that no template has, and for values
  ///   that do not fit.
  public init(
    template name: String, of entity: String, in schema: StoredSchema,
    _ values: [String: StoredValue] = [:]
  ) throws {
    try self.init(
      template: name, of: entity, in: schema,
      variables: .init(values.mapValues { .value($0) }))
  }

  /// Makes a query as ``init(template:of:in:_:)`` does, with values as texts too.
  package init(
    template name: String, of entity: String, in schema: StoredSchema,
    variables: [ExactText: FormatVariable]
  ) throws {
    guard let stored = schema.entity(named: entity) else {
      throw StoreError(
        .unknownEntity,
        "the schema has no entity of this name; declare its model in the schema", entity: entity)
    }
    let templates = stored.templates.filter { $0.target == nil }
    guard let template = templates.first(where: { $0.name == name }) else {
      let names = templates.map(\.name).joined(separator: ", ")
      throw StoreError(
        .invalidCondition,
        "the entity has no template \(name)" + (names.isEmpty ? "" : "; it has \(names)"),
        entity: entity)
    }
    let parsed = try template.parsed(for: .stored(stored, schema), values: variables)
    self.init(entity, where: parsed.condition, order: parsed.order, limit: template.limit)
  }
}
