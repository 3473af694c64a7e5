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
    if case .joined(let step, _) = output { body(RelatedRows([step]), false) }
    for operand in output.operands { operand.visitRelated(body) }
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
    if case .some = self { return }
    if case .exists(let rows, _) = self { body(rows, false) }
    forEachPart({ $0.visitRelated(body) }, { $0.visitRelated(body) })
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
    case .ofElements: return
    case .relatedAggregate(_, _, let rows, _): body(rows, true)
    case .relatedValue(_, let rows): body(rows, false)
    default: break
    }
    forEachPart({ $0.visitRelated(body) }, { $0.visitRelated(body) })
  }
}
