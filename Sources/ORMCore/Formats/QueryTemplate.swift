/// A query kept with the schema under a name: predicate formats whose variables are given when it
/// is asked.
///
/// Declared on an entity, checked when the schema is built, kept in the store beside the entity, and
/// so at hand for tools too.
///
/// ```swift
/// static let entity = Entity<Snack>("Snack") {
///   .key("id", \.id)
///   .attribute("price", \.price)
///   .template("cheap", "price < $LIMIT", sortedBy: "price, name", limit: 20)
/// }
/// try store.fetch(Snack.all.template("cheap", ["LIMIT": 3]))
/// ```
public struct QueryTemplate: Hashable, Codable, Sendable {
  /// The name, unique in its entity.
  public var name: String
  /// Which rows, as a predicate format; nil for all.
  public var format: String?
  /// The order, as in `"country, -name[c] nils last"`; nil for that of the key.
  public var order: String?
  /// At most so many rows; nil for all.
  public var limit: Int?
  /// Of a fetched property the entity whose rows are fetched, by its name in the program; nil for a
  /// template, which asks the entity itself.
  public var target: String?

  /// Makes a template of texts.
  public init(
    _ name: String, _ format: String? = nil, order: String? = nil, limit: Int? = nil,
    target: String? = nil
  ) {
    self.name = name
    self.format = format
    self.order = order
    self.limit = limit
    self.target = target
  }

  /// The variable that stands for the object whose fetched property is asked.
  package static let source = "FETCH_SOURCE"

  /// The condition and the order, with values for variables.
  ///
  /// - Throws: what ``FormatParser`` throws; `invalidCondition` for a value whose name is no
  ///   variable of the template.
  package func parsed(
    for entity: FormatEntity, source: FormatEntity? = nil,
    values: [String: FormatVariable] = [:]
  ) throws -> (condition: Condition, order: [SortTerm]) {
    var known: Set<String> = []
    var condition = Condition.constant(true)
    if let format {
      var parser = try FormatParser(format, for: entity, values: values)
      parser.origin = source
      condition = try parser.condition()
      known.formUnion(parser.variableNames)
    }
    var terms: [SortTerm] = []
    if let order {
      var parser = try FormatParser(order, for: entity, values: values)
      parser.origin = source
      terms = try parser.order()
      known.formUnion(parser.variableNames)
    }
    let given = values.keys.sorted().filter { !$0.hasPrefix(Self.source) }
    for name in given where !known.contains(name) {
      throw StoreError(
        .invalidCondition,
        "\(self.name) has no variable $\(name)"
          + FormatSuggestion.text(for: name, among: known.sorted()), entity: entity.name)
    }
    return (condition, terms)
  }
}

extension EntityPart {
  /// A query kept under a name: `.template("cheap", "price < $LIMIT", sortedBy: "price")`.
  ///
  /// Checked when the schema is built.
  public static func template(
    _ name: String, _ format: FilterFormat, sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    EntityPart(items: []).template(name, format, sortedBy: order, limit: limit)
  }

  /// A query kept under a name, after the parts so far.
  public func template(
    _ name: String, _ format: FilterFormat, sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    let template = QueryTemplate(name, format.text, order: order?.text, limit: limit)
    return EntityPart(items: items + [.template(template, target: nil)])
  }

  /// A fetched property: rows that a format finds with values of the object, `$FETCH_SOURCE`.
  ///
  /// ```swift
  /// .fetched("rivals", Player.self, "team != $FETCH_SOURCE.team AND age == $FETCH_SOURCE.age")
  /// ```
  public static func fetched<Target: Persistable>(
    _ name: String, _ target: Target.Type, _ format: FilterFormat,
    sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    EntityPart(items: []).fetched(name, target, format, sortedBy: order, limit: limit)
  }

  /// A fetched property, after the parts so far.
  public func fetched<Target: Persistable>(
    _ name: String, _ target: Target.Type, _ format: FilterFormat,
    sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    let template = QueryTemplate(name, format.text, order: order?.text, limit: limit)
    // The target's static entity may be on its way when this one is made.
    return EntityPart(
      items: items + [.template(template, target: { Target.entity.declared.name })])
  }
}
