internal import ORMStorage

extension Query {
  /// Adds a template of the model, with values for its variables.
  ///
  /// Rows must satisfy both the template and the conditions added before.
  ///
  /// ```swift
  /// try store.fetch(Snack.all.template("cheap", ["LIMIT": 3]))
  /// ```
  ///
  /// The query throws at first use (clause 7.4) for a name that no template has, a value that
  /// does not fit, or a variable without a value.
  public func template(
    _ name: String, _ values: [String: (any FormatArgument)?] = [:]
  ) -> Query {
    do {
      let template = try Model.template(name, isFetched: false)
      let values = try values.mapValues {
        FormatVariable.value(try $0?.formatSubstitute().singleValue ?? .null)
      }
      let parsed = try Model.entity.parsedTemplates.parsed(
        template, as: .init(name, of: Model.self),
        for: .model(Model.self), values: [ExactText: FormatVariable](values))
      return adding(template, parsed)
    } catch {
      return self.where(Filter.carryingEqual(try { throw error }()))
    }
  }

  fileprivate func adding(
    _ template: QueryTemplate, _ parsed: (condition: Condition, order: [SortTerm])
  ) -> Query {
    var copy = self
    if parsed.condition != .constant(true) { copy = copy.where(Filter(parsed.condition)) }
    if !parsed.order.isEmpty { copy.order = parsed.order.map { Order($0) } }
    if let limit = template.limit { copy = copy.limit(limit) }
    return copy
  }
}

extension Persistable {
  /// The rows of a fetched property: those that its template finds with this object's values.
  ///
  /// ```swift
  /// try store.fetch(player.fetched("rivals", Player.self))
  /// ```
  ///
  /// A name that no fetched property has, another target, and an object that cannot be stored are
  /// thrown when the query is first used (clause 7.4).
  public func fetched<Target: Persistable>(_ name: String, _ target: Target.Type) -> Query<Target> {
    do {
      let template = try Self.template(name, isFetched: true)
      guard template.target == Target.entity.declared.name else {
        throw StoreError(
          .invalidCondition,
          "the template \(name) fetches \(template.target ?? "rows of its own entity"), not "
            + "this model",
          entity: Self.entity.declared.name)
      }
      let parsed = try Self.entity.parsedTemplates.parsed(
        template, as: .init(name, of: target),
        for: .model(target), source: .model(Self.self), values: try sourceValues())
      return Query<Target>().adding(template, parsed)
    } catch {
      return Query<Target>().where(Filter.carryingEqual(try { throw error }()))
    }
  }

  fileprivate static func template(_ name: String, isFetched: Bool) throws -> QueryTemplate {
    let templates = entity.templates.filter { ($0.target != nil) == isFetched }
    guard let template = templates.first(where: { $0.name == name }) else {
      let kind = isFetched ? "fetched property" : "template"
      throw StoreError(
        .invalidCondition,
        "the entity has no \(kind) \(name)"
          + FormatSuggestion.text(for: name, among: templates.map(\.name)),
        entity: entity.declared.name)
    }
    return template
  }

  /// The object's values by the names of their variables: its attributes, its to-ones by their keys,
  /// and itself by its own.
  private func sourceValues() throws -> [ExactText: FormatVariable] {
    let description = Self.entity.description
    let stored = try Mapper.values(of: self)
    var values: [ExactText: FormatVariable] = [:]
    for (attribute, value) in zip(description.attributes, stored) {
      values["\(QueryTemplate.source).\(attribute.name)"] = .value(value)
    }
    for relationship in description.relationships {
      guard case .own(let names, position: _)? = relationship.storage, names.count == 1,
        let position = description.position(of: names[0])
      else { continue }
      values["\(QueryTemplate.source).\(relationship.name)"] = .value(stored[position])
    }
    if description.key.count == 1, let position = description.position(of: description.key[0]) {
      values[QueryTemplate.source] = .value(stored[position])
    }
    return values
  }
}
