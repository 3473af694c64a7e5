internal import ORMValues

extension FetchShape {
  /// True if something of the shape is asked of related rows.
  package var namesRelatedRows: Bool { !relatedSteps.isEmpty }

  /// The entities of every path to related rows, in the order in which they are named.
  package var relatedSteps: [RelatedRows.Step] {
    var steps: [RelatedRows.Step] = []
    condition.addRelatedSteps(to: &steps)
    for term in sort { term.operand.addRelatedSteps(to: &steps) }
    switch output {
    case .rows: break
    case .joined(let step, _): steps.append(step)
    case .values(let operands): for operand in operands { operand.addRelatedSteps(to: &steps) }
    case .aggregates(let aggregates):
      for aggregate in aggregates { aggregate.operand?.addRelatedSteps(to: &steps) }
    case .groups(let keys, let aggregates, _):
      for key in keys { key.addRelatedSteps(to: &steps) }
      for aggregate in aggregates { aggregate.operand?.addRelatedSteps(to: &steps) }
    }
    return steps
  }
}

extension Condition {
  /// The entities of every path to related rows.
  package var relatedSteps: [RelatedRows.Step] {
    var steps: [RelatedRows.Step] = []
    addRelatedSteps(to: &steps)
    return steps
  }

  fileprivate func addRelatedSteps(to steps: inout [RelatedRows.Step]) {
    switch self {
    case .constant, .invalid, .some: break
    case .not(let inner): inner.addRelatedSteps(to: &steps)
    case .all(let conditions), .any(let conditions):
      for condition in conditions { condition.addRelatedSteps(to: &steps) }
    case .compare(let left, _, let right, _), .text(let left, _, let right, _),
      .isIn(let left, list: let right, _):
      left.addRelatedSteps(to: &steps)
      right.addRelatedSteps(to: &steps)
    case .exists(let rows, let condition):
      steps += rows.steps
      condition.addRelatedSteps(to: &steps)
    case .someItem(let array, _, let condition):
      array.addRelatedSteps(to: &steps)
      condition.addRelatedSteps(to: &steps)
    }
  }
}

extension Operand {
  /// True if something of the operand is asked of related rows.
  package var namesRelatedRows: Bool { !relatedSteps.isEmpty }

  /// The entities of every path to related rows.
  package var relatedSteps: [RelatedRows.Step] {
    var steps: [RelatedRows.Step] = []
    addRelatedSteps(to: &steps)
    return steps
  }

  fileprivate func addRelatedSteps(to steps: inout [RelatedRows.Step]) {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .ofElements, .item, .variable, .now,
      .output:
      break
    case .list(let parts): for part in parts { part.addRelatedSteps(to: &steps) }
    case .ofItems(_, let array, _, let condition):
      array.addRelatedSteps(to: &steps)
      condition.addRelatedSteps(to: &steps)
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner):
      inner.addRelatedSteps(to: &steps)
    case .arithmetic(_, let left, let right):
      left.addRelatedSteps(to: &steps)
      right.addRelatedSteps(to: &steps)
    case .choice(let condition, let first, let second):
      condition.addRelatedSteps(to: &steps)
      first.addRelatedSteps(to: &steps)
      second.addRelatedSteps(to: &steps)
    case .relatedAggregate(_, let operand, let rows, let condition):
      steps += rows.steps
      operand?.addRelatedSteps(to: &steps)
      condition.addRelatedSteps(to: &steps)
    case .relatedValue(let operand, let rows):
      steps += rows.steps
      operand.addRelatedSteps(to: &steps)
    }
  }
}
