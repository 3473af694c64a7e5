internal import ORMValues

extension FetchShape {
  /// True if something of the shape is asked of related rows.
  package var namesRelatedRows: Bool { !relatedSteps.isEmpty }

  /// The entities of every path to related rows, in the order in which they are named.
  package var relatedSteps: [RelatedRows.Step] {
    var steps: [RelatedRows.Step] = []
    visitRelated { rows, _ in steps += rows.steps }
    return steps
  }

  /// Visits every path to related rows, in the order in which they are named, and says whether an
  /// aggregate goes through it.
  private func visitRelated(_ body: (RelatedRows, _ isAggregated: Bool) -> Void) {
    condition.visitRelated(body)
    for term in sort { term.operand.visitRelated(body) }
    switch output {
    case .rows: break
    case .joined(let step, _): body(RelatedRows([step]), false)
    case .values(let operands): for operand in operands { operand.visitRelated(body) }
    case .aggregates(let aggregates):
      for aggregate in aggregates { aggregate.operand?.visitRelated(body) }
    case .groups(let keys, let aggregates, _):
      for key in keys { key.visitRelated(body) }
      for aggregate in aggregates { aggregate.operand?.visitRelated(body) }
    }
  }

  /// True if an aggregate of the shape goes round a cycle; see ``RelatedRows/goesRound``.
  package var aggregatesRound: Bool {
    var result = false
    visitRelated { rows, isAggregated in result = result || isAggregated && rows.goesRound }
    return result
  }
}

extension RelatedRows {
  /// True if the path comes back to entities so often that its rows cannot be enumerated.
  ///
  /// In `firm.people.firm.people` each of the people leads back to the firm, so every round multiplies
  /// the combinations. The evaluator adds up the rows behind a row once for all paths that lead to it.
  package var goesRound: Bool { steps.count - Set(steps.map(\.entity)).count > 4 }
}

extension Condition {
  /// The entities of every path to related rows.
  package var relatedSteps: [RelatedRows.Step] {
    var steps: [RelatedRows.Step] = []
    visitRelated { rows, _ in steps += rows.steps }
    return steps
  }

  /// True if an aggregate of the condition goes round a cycle; see ``RelatedRows/goesRound``.
  package var aggregatesRound: Bool {
    var result = false
    visitRelated { rows, isAggregated in result = result || isAggregated && rows.goesRound }
    return result
  }

  fileprivate func visitRelated(_ body: (RelatedRows, _ isAggregated: Bool) -> Void) {
    switch self {
    case .constant, .invalid, .some: break
    case .not(let inner): inner.visitRelated(body)
    case .all(let conditions), .any(let conditions):
      for condition in conditions { condition.visitRelated(body) }
    case .compare(let left, _, let right, _), .text(let left, _, let right, _),
      .isIn(let left, list: let right, _):
      left.visitRelated(body)
      right.visitRelated(body)
    case .exists(let rows, let condition):
      body(rows, false)
      condition.visitRelated(body)
    case .someItem(let array, _, let condition):
      array.visitRelated(body)
      condition.visitRelated(body)
    }
  }
}

extension Operand {
  /// True if something of the operand is asked of related rows.
  package var namesRelatedRows: Bool { !relatedSteps.isEmpty }

  /// The entities of every path to related rows.
  package var relatedSteps: [RelatedRows.Step] {
    var steps: [RelatedRows.Step] = []
    visitRelated { rows, _ in steps += rows.steps }
    return steps
  }

  /// True if an aggregate of the operand goes round a cycle; see ``RelatedRows/goesRound``.
  package var aggregatesRound: Bool {
    var result = false
    visitRelated { rows, isAggregated in result = result || isAggregated && rows.goesRound }
    return result
  }

  fileprivate func visitRelated(_ body: (RelatedRows, _ isAggregated: Bool) -> Void) {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .ofElements, .item, .variable, .now,
      .output:
      break
    case .list(let parts): for part in parts { part.visitRelated(body) }
    case .ofItems(_, let array, _, let condition):
      array.visitRelated(body)
      condition.visitRelated(body)
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner):
      inner.visitRelated(body)
    case .arithmetic(_, let left, let right):
      left.visitRelated(body)
      right.visitRelated(body)
    case .choice(let condition, let first, let second):
      condition.visitRelated(body)
      first.visitRelated(body)
      second.visitRelated(body)
    case .relatedAggregate(_, let operand, let rows, let condition):
      body(rows, true)
      operand?.visitRelated(body)
      condition.visitRelated(body)
    case .relatedValue(let operand, let rows):
      body(rows, false)
      operand.visitRelated(body)
    }
  }
}
