package import ORMValues

/// A condition on related rows as a semi-join driven from the inner side.
///
/// The related rows that satisfy the condition are found first, by any key or index that they have,
/// and then the rows that lead to them.
///
/// So `team.name == "Reds"` becomes `team IN` the keys of the teams of that name.
package struct RelatedTargets {
  /// The attributes of the row itself that lead to the related rows, of which each of the values
  /// found has a part; mostly one.
  package let attributes: [String]
  /// The kind of the values that they are compared with: arrays where they have several parts.
  package let kind: AttributeType.Kind
  /// The requests for these values, from the farthest rows on; each gives one value a row, or its
  /// parts.
  package let requests: [Request]

  /// One request for values.
  package struct Request: Sendable {
    /// The shape of the request.
    package let shape: FetchShape
    /// The positions of the parameters among the outer request's bindings; nil for the only one, the
    /// list of the values found before.
    package let slots: [Int]?
  }

  /// The greatest length of a list of values found before.
  package static let listCapacity = 1 << 40

  /// Inverts a semi-join; nil for a condition that has no related rows, that holds where there are
  /// none, or that names other rows as well.
  package init?(_ condition: Condition, schema: StoredSchema) {
    guard let semiJoin = SemiJoin(condition), let last = semiJoin.steps.last,
      let entity = schema[last.entity]
    else { return nil }
    var request = StepRequest(entity: entity, scope: last.scope)
    guard request.take(semiJoin.condition).isEmpty else { return nil }
    if let attribute = last.nullAttribute { request.requireNull(attribute) }
    var slots: [Int] = []
    for value in request.values {
      guard case .parameter(let slot) = value else { return nil }
      slots.append(slot)
    }
    request.output = Self.output(last)
    var requests = [Request(shape: request.shape, slots: slots)]
    for (step, next) in zip(semiJoin.steps, semiJoin.steps.dropFirst()).reversed() {
      guard let kind = Self.kind(next, schema) else { return nil }
      let list = Operand.parameterList(0, kind, capacity: Self.listCapacity)
      var condition = Condition.isIn(
        Self.subject(next.links.map { $0.other.names[0] }), list: list, [])
      if let attribute = step.nullAttribute {
        condition = .all([condition, .compare(.attribute(attribute), .equal, .value(.null), [])])
          .normalized()
      }
      requests.append(
        Request(
          shape: FetchShape(
            entity: step.entity, output: Self.output(step), condition: condition),
          slots: nil))
    }
    guard let kind = Self.kind(semiJoin.steps[0], schema) else { return nil }
    attributes = semiJoin.ownAttributes
    self.kind = kind
    self.requests = requests
  }

  /// Returns the condition that replaces the semi-join once its values are found.
  package func condition(of list: Operand) -> Condition {
    .isIn(Self.subject(attributes), list: list, [])
  }

  /// Returns the operand to look up in a list of values: an attribute, or several as an array.
  private static func subject(_ attributes: [String]) -> Operand {
    attributes.count == 1 ? .attribute(attributes[0]) : .list(attributes.map { .attribute($0) })
  }

  /// Returns the output of a request for a step's rows: the values by which rows lead to them.
  private static func output(_ step: RelatedRows.Step) -> FetchShape.Output {
    .values(step.links.map { .attribute($0.attribute) })
  }

  /// The kind of the values by which rows lead to a step; nil where the schema lacks them.
  private static func kind(
    _ step: RelatedRows.Step, _ schema: StoredSchema
  ) -> AttributeType.Kind? {
    guard let entity = schema[step.entity] else { return nil }
    let columns = step.links.compactMap { entity.column(ofAttribute: $0.attribute) }
    guard columns.count == step.links.count, let first = columns.first else { return nil }
    return columns.count == 1 ? entity.columns[first].type.kind : .array
  }
}
