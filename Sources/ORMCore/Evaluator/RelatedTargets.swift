/// A condition on related rows, turned round: first the related rows that satisfy it are found, by
/// whatever key or index they have, then the rows that lead to them.
///
/// So `team.name == "Reds"` becomes `team IN` the keys of the teams of that name.
package struct RelatedTargets {
  /// The attribute of the row itself that leads to the related rows.
  package let attribute: String
  /// The kind of the values that it is compared with.
  package let kind: AttributeType.Kind
  /// The requests for these values, from the farthest rows on; each gives one value a row.
  package let requests: [Request]

  /// One request for values.
  package struct Request: Sendable {
    /// What is asked.
    package let shape: FetchShape
    /// Which of the outer request's bindings the parameters are; nil for the only one, which is the
    /// list of the values found before.
    package let slots: [Int]?
  }

  /// So long a list of what was found before may be.
  package static let listCapacity = 1 << 40

  /// Turns a condition round; nil for one that has no related rows, that holds where there are
  /// none, or that names other rows as well.
  package init?(_ condition: Condition, schema: StoredSchema) {
    guard var (steps, inner) = Self.split(condition) else { return nil }
    while let (more, rest) = Self.split(inner),
      more.first?.links.first?.other.scope == steps.last?.scope
    {
      steps += more
      inner = rest
    }
    // Everything is related to what is tied alone; then there is nothing to be looked for first.
    guard inner != .constant(true), let last = steps.last else { return nil }
    var before = 0
    for step in steps {
      guard step.links.count == 1, step.links[0].other.scope == before,
        step.links[0].other.names.count == 1, schema[step.entity] != nil
      else { return nil }
      before = step.scope
    }
    guard let entity = schema[last.entity], let first = schema[steps[0].entity],
      let column = first.column(ofAttribute: steps[0].links[0].attribute)
    else { return nil }
    var request = StepRequest(entity: entity, scope: last.scope)
    guard request.take(inner).isEmpty else { return nil }
    var slots: [Int] = []
    for value in request.values {
      guard case .parameter(let slot) = value else { return nil }
      slots.append(slot)
    }
    request.output = .values([.attribute(last.links[0].attribute)])
    var requests = [Request(shape: request.shape, slots: slots)]
    for (step, next) in zip(steps, steps.dropFirst()).reversed() {
      guard let target = schema[next.entity],
        let key = target.column(ofAttribute: next.links[0].attribute)
      else { return nil }
      let list = Operand.parameterList(
        0, target.columns[key].type.kind, capacity: Self.listCapacity)
      requests.append(
        Request(
          shape: FetchShape(
            entity: step.entity, output: .values([.attribute(step.links[0].attribute)]),
            condition: .isIn(.attribute(next.links[0].other.names[0]), list: list, [])),
          slots: nil))
    }
    attribute = steps[0].links[0].other.names[0]
    kind = first.columns[column].type.kind
    self.requests = requests
  }

  /// The way to the related rows and what is asked of them; nil for a condition that may hold where
  /// there are none.
  private static func split(_ condition: Condition) -> ([RelatedRows.Step], Condition)? {
    switch condition {
    case .exists(let rows, let inner): return (rows.steps, inner)
    case .compare(.relatedValue(let operand, let rows), let comparator, let other, let options):
      guard comparator != .notEqual, case .parameter = other else { return nil }
      return (rows.steps, .compare(operand, comparator, other, options))
    case .compare(let other, let comparator, .relatedValue(let operand, let rows), let options):
      guard comparator != .notEqual, case .parameter = other else { return nil }
      return (rows.steps, .compare(other, comparator, operand, options))
    case .isIn(
      .relatedValue(let operand, let rows), .parameterList(let slot, let kind, let capacity),
      let options):
      return (
        rows.steps,
        .isIn(operand, list: .parameterList(slot, kind, capacity: capacity), options)
      )
    case .text(.relatedValue(let operand, let rows), let symbol, let other, let options):
      guard case .parameter = other else { return nil }
      return (rows.steps, .text(operand, symbol, other, options))
    default: return nil
    }
  }
}
