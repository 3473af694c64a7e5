internal import ORMValues

extension SchemaChanges {
  /// The changes that give derived attributes their values, for the writer of a store that is being
  /// brought to a schema: to be applied in this order once its columns are there.
  ///
  /// Each is one update of all rows of an entity, by the aggregates that a program would ask for.
  /// They throw `overflow` for a sum that does not fit.
  ///
  /// - Parameter declared: the schema that the writer answers by.
  public func derivedFillings(_ declared: StoredSchema) throws -> [StoreChange] {
    let subentities = try SubentityTable(declared)
    var rest = try derivedColumns.compactMap { part in
      try DerivedFilling(part, declared)
    }
    var fillings: [StoreChange] = []
    while !rest.isEmpty {
      let ready = rest.filter { one in !rest.contains { $0.target == one.source } }
      // A schema that was checked has no circles.
      let next = ready.isEmpty ? rest : ready
      var names: [String] = []
      for one in next where !names.contains(one.entity.name) { names.append(one.entity.name) }
      for name in names {
        fillings.append(DerivedFilling.change(next.filter { $0.entity.name == name }, subentities))
      }
      rest.removeAll { one in next.contains { $0.target == one.target } }
    }
    return fillings
  }
}

/// One derived attribute whose values are worked out.
private struct DerivedFilling {
  /// The column, named after the root of the hierarchy: it has one name in the whole of that.
  let target: SchemaChanges.Part
  let entity: StoredEntity
  let column: Int
  let operand: Operand
  /// The attribute that it is derived of.
  let source: SchemaChanges.Part?

  init?(_ part: SchemaChanges.Part, _ schema: StoredSchema) throws {
    guard let entity = schema[part.entity], let column = entity.column(named: part.name),
      let derived = entity.columns[column].derived,
      let target = entity.relationship(named: derived.relationship).flatMap({
        schema.entity(named: $0.target)
      })
    else { return nil }
    self.target = .init(schema.root(of: entity).name, part.name)
    self.entity = entity
    self.column = column
    operand = try derived.operand(in: entity, schema)
    source = derived.attribute.flatMap { target.column(ofAttribute: $0) }
      .map { .init(schema.root(of: target).name, target.columns[$0].name) }
  }

  /// The update that works out attributes of one entity, as an engine is asked for it.
  static func change(
    _ fillings: [DerivedFilling], _ subentities: SubentityTable?
  ) -> StoreChange {
    let entity = fillings[0].entity
    var request = FetchRequest(of: entity)
    let assignments = fillings.map { filling in
      StoreChange.Assignment(
        column: filling.column,
        value: filling.operand.parameterized(into: &request.bindings))
    }
    guard let subentities else { return .update(request, assignments) }
    let own = subentities[entity.name]
    if let own {
      var translator = SubentityTranslator(
        subentities: subentities, bindings: request.bindings.count)
      request.shape = FetchShape(
        entity: own.root.name, condition: translator.kinds(of: own, scope: 0),
        sort: SortTerm.total([], entity: own.root))
      request.bindings += translator.values
    }
    return subentities.translated(request, assignments, of: own)
  }
}

extension DerivedValue {
  /// The aggregate that a request asks an entity's rows for.
  package func operand(in entity: StoredEntity, _ schema: StoredSchema) throws -> Operand {
    var check = ConditionCheck(entity: entity, schema: schema, limits: ConditionLimits())
    return try check.checked(
      Operand.ofElements(
        aggregate.aggregate, attribute.map { .path(.init([$0], scope: 1)) },
        Elements(.init([relationship]), scope: 1), .constant(true)))
  }
}
