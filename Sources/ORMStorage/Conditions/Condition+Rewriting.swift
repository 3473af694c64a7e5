// Replaces operands by others, wherever they are in a tree.

internal import ORMValues

extension Condition {
  /// Returns the condition with operands exchanged.
  ///
  /// An operand for which `change` returns another is replaced by it; the parts of any other are visited in
  /// turn.
  package func rewriting(_ change: (Operand) throws -> Operand?) rethrows -> Condition {
    switch self {
    case .constant, .invalid: self
    case .not(let inner): .not(try inner.rewriting(change))
    case .all(let parts): .all(try parts.map { try $0.rewriting(change) })
    case .any(let parts): .any(try parts.map { try $0.rewriting(change) })
    case .compare(let left, let comparator, let right, let options):
      .compare(try left.rewriting(change), comparator, try right.rewriting(change), options)
    case .isIn(let element, let list, let options):
      .isIn(try element.rewriting(change), list: try list.rewriting(change), options)
    case .text(let text, let symbol, let other, let options):
      .text(try text.rewriting(change), symbol, try other.rewriting(change), options)
    case .some(let elements, let inner): .some(elements, try inner.rewriting(change))
    case .exists(let rows, let inner): .exists(rows, try inner.rewriting(change))
    case .someItem(let array, let scope, let inner):
      .someItem(of: try array.rewriting(change), scope: scope, try inner.rewriting(change))
    }
  }
}

extension Operand {
  /// The operand with those exchanged that `change` gives an answer for, itself among them.
  package func rewriting(_ change: (Operand) throws -> Operand?) rethrows -> Operand {
    if let changed = try change(self) { return changed }
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output:
      return self
    case .json(let inner, let steps): return .json(try inner.rewriting(change), steps)
    case .element(let inner, let index): return .element(try inner.rewriting(change), index)
    case .arithmetic(let symbol, let left, let right):
      return .arithmetic(symbol, try left.rewriting(change), try right.rewriting(change))
    case .negated(let inner): return .negated(try inner.rewriting(change))
    case .choice(let condition, let first, let second):
      return .choice(
        try condition.rewriting(change), try first.rewriting(change), try second.rewriting(change))
    case .function(let function, let inner):
      return .function(function, try inner.rewriting(change))
    case .ofElements(let kind, let inner, let elements, let condition):
      return .ofElements(
        kind, try inner?.rewriting(change), elements, try condition.rewriting(change))
    case .relatedAggregate(let kind, let inner, let rows, let condition):
      return .relatedAggregate(
        kind, try inner?.rewriting(change), rows, try condition.rewriting(change))
    case .relatedValue(let inner, let rows):
      return .relatedValue(try inner.rewriting(change), rows)
    case .ofItems(let kind, let array, let scope, let condition):
      return .ofItems(
        kind, try array.rewriting(change), scope: scope, try condition.rewriting(change))
    case .list(let parts): return .list(try parts.map { try $0.rewriting(change) })
    }
  }
}
