internal import ORMValues

/// A condition that holds for exactly the rows that some related rows lead to: the steps to these,
/// and the condition on them.
///
/// A semi-join can be driven from either side: row by row, or from the related rows back to those
/// that lead to them. Each step is tied to the one before it alone.
package struct SemiJoin {
  /// The steps, from the row itself on; never empty.
  package let steps: [RelatedRows.Step]
  /// The condition on the rows of the last step.
  package let condition: Condition

  /// Reads a condition; nil for one without a condition on related rows, or that may hold where
  /// there are none.
  package init?(_ condition: Condition) {
    guard var (steps, inner) = Self.split(condition) else { return nil }
    while let (more, rest) = Self.split(inner), let last = steps.last,
      more.first?.links.allSatisfy({ $0.other.scope == last.scope }) == true
    {
      steps += more
      inner = rest
    }
    // Without a condition on the related rows, there is nothing to find first.
    if inner == .constant(true) { return nil }
    var before = 0
    for step in steps {
      guard !step.links.isEmpty,
        step.links.allSatisfy({ $0.other.scope == before && $0.other.names.count == 1 })
      else { return nil }
      before = step.scope
    }
    self.steps = steps
    self.condition = inner
  }

  /// The attributes of the row itself that lead to the first step.
  package var ownAttributes: [String] { steps[0].links.map { $0.other.names[0] } }

  private static func split(_ condition: Condition) -> ([RelatedRows.Step], Condition)? {
    switch condition {
    case .exists(let rows, let inner): return (rows.steps, inner)
    case .compare(.relatedValue(let operand, let rows), .notEqual, .value(.null), _),
      .not(.compare(.relatedValue(let operand, let rows), .equal, .value(.null), _)):
      return (rows.steps, .not(.compare(operand, .equal, .value(.null), [])))
    case .compare(.relatedValue(let operand, let rows), let comparator, let other, let options):
      guard comparator != .notEqual, case .parameter = other else { return nil }
      return (rows.steps, .compare(operand, comparator, other, options))
    case .compare(let other, let comparator, .relatedValue(let operand, let rows), let options):
      guard comparator != .notEqual, case .parameter = other else { return nil }
      return (rows.steps, .compare(operand, comparator.swapped, other, options))
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
