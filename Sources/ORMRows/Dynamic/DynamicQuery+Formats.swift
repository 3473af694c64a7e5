public import ORMStorage

extension DynamicQuery {
  /// A query of predicate formats and an order as a text, for tools that have the schema of a store
  /// and not its models.
  ///
  /// ```swift
  /// let query = try DynamicQuery(
  ///   "Snack", in: store.schema, where: "price > 1 AND ANY tags == %@", arguments: ["hot"],
  ///   sortedBy: "price DESC, name[c]")
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` and `unknownAttribute`, which say where in the
  ///   text something is wrong; `tooComplex` past the limits of clause 7.1.
  public init(
    _ entity: String, in schema: StoredSchema, where format: String? = nil,
    arguments: [(any FormatArgument)?] = [], sortedBy order: String? = nil, limit: Int? = nil,
    offset: Int = 0
  ) throws {
    guard let stored = schema.entity(named: entity) else {
      throw StoreError(
        .unknownEntity,
        "the schema has no entity of this name; declare its model in the schema", entity: entity)
    }
    let names = FormatEntity.stored(stored, schema)
    self.init(entity, limit: limit, offset: offset)
    if let format {
      var parser = try FormatParser(format, for: names, arguments: arguments)
      condition = try parser.condition()
    }
    if let order {
      var parser = try FormatParser(order, for: names)
      self.order = try parser.order()
    }
  }
}

extension DynamicQuery {
  /// The names of the variables, `$NAME`, of the condition and the order that wait for a value; in
  /// order.
  public var variables: [String] {
    order.reduce(into: Set<ExactText>(texts: condition.variables)) {
      $0.formUnion(Set<ExactText>(texts: $1.condition.variables))
    }.sorted().map(\.text)
  }

  /// The query with values for its variables; those that are not given go on waiting.
  ///
  /// ```swift
  /// let cheap = try DynamicQuery("Snack", in: store.schema, where: "price < $limit")
  /// let rows = try store.fetch(cheap.binding(["limit": 3]))
  /// ```
  ///
  /// - Throws: `invalidCondition` for a name that is no variable of the query, and for an argument
  ///   that is no value.
  public func binding(_ values: [String: (any FormatArgument)?]) throws -> DynamicQuery {
    let known = variables
    for name in values.keys.sorted() where !known.containsScalars(of: name) {
      throw StoreError(
        .invalidCondition,
        "there is no variable $\(name)" + FormatSuggestion.text(for: name, among: known),
        entity: entity)
    }
    let values = [ExactText: Operand](
      try values.mapValues { .value(try $0?.formatSubstitute().singleValue ?? .null) })
    func bound(_ operand: Operand) -> Operand? {
      if case .variable(let name) = operand { values[name] } else { nil }
    }
    var copy = self
    copy.condition = condition.rewriting(bound)
    for position in order.indices {
      copy.order[position].operand = order[position].operand.rewriting(bound)
    }
    return copy
  }
}

extension SortTerm {
  /// A condition that names the attributes of the term.
  fileprivate var condition: Condition { .compare(operand, .equal, .value(.null), []) }
}

extension DynamicQuery: Codable {
  private enum CodingKeys: String, CodingKey {
    case entity, condition, order, limit, offset, deleted
  }

  /// Reads a query, whose condition is a predicate format in a version that is read for ever, or a
  /// tree.
  ///
  /// - Throws: `invalidCondition` for a newer version, and for a format that does not read.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    entity = try values.decode(String.self, forKey: .entity)
    condition = try ConditionCoding.condition(
      from: values.superDecoder(forKey: .condition), for: .unknown(entity))
    order = try values.decode([SortTerm].self, forKey: .order)
    limit = try values.decodeIfPresent(Int.self, forKey: .limit)
    offset = try values.decode(Int.self, forKey: .offset)
    deleted = try values.decodeIfPresent(DeletedRows.self, forKey: .deleted) ?? .hidden
  }

  /// Writes the query, its condition as a `Filter` writes one: `{"version": 1, "format": …}`.
  ///
  /// A format says less without the entity's schema: whether a name leads to many rows or into JSON.
  /// A condition that depends on it is written as a tree, `{"version": 1, "condition": …}`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(entity, forKey: .entity)
    try ConditionCoding.encode(
      condition, to: values.superEncoder(forKey: .condition), for: .unknown(entity))
    try values.encode(order, forKey: .order)
    try values.encodeIfPresent(limit, forKey: .limit)
    try values.encode(offset, forKey: .offset)
    if deleted != .hidden { try values.encode(deleted, forKey: .deleted) }
  }
}
