// The parts of conditions and operands, and their replacement wherever they are in a tree.

internal import ORMValues

extension Condition {
  /// The condition with its parts replaced, from the left to the right.
  ///
  /// Entities, paths to elements and scopes are no parts.
  package func mapParts(
    _ condition: (Condition) throws -> Condition, _ operand: (Operand) throws -> Operand
  ) rethrows -> Condition {
    switch self {
    case .constant, .invalid: self
    case .not(let inner): .not(try condition(inner))
    case .all(let parts): .all(try parts.map(condition))
    case .any(let parts): .any(try parts.map(condition))
    case .compare(let left, let comparator, let right, let options):
      .compare(try operand(left), comparator, try operand(right), options)
    case .isIn(let element, let list, let options):
      .isIn(try operand(element), list: try operand(list), options)
    case .text(let text, let symbol, let other, let options):
      .text(try operand(text), symbol, try operand(other), options)
    case .some(let elements, let inner): .some(elements, try condition(inner))
    case .exists(let rows, let inner): .exists(rows, try condition(inner))
    case .someItem(let array, let scope, let inner):
      .someItem(of: try operand(array), scope: scope, try condition(inner))
    }
  }

  /// Visits the parts, from the left to the right.
  package func forEachPart(_ condition: (Condition) -> Void, _ operand: (Operand) -> Void) {
    switch self {
    case .constant, .invalid: break
    case .not(let inner), .some(_, let inner), .exists(_, let inner): condition(inner)
    case .all(let parts), .any(let parts): parts.forEach(condition)
    case .compare(let left, _, let right, _), .isIn(let left, let right, _),
      .text(let left, _, let right, _):
      operand(left)
      operand(right)
    case .someItem(let array, _, let inner):
      operand(array)
      condition(inner)
    }
  }

  /// Returns the condition with operands exchanged.
  ///
  /// An operand for which `change` returns another is replaced by it; the parts of any other are visited in
  /// turn.
  package func rewriting(_ change: (Operand) throws -> Operand?) rethrows -> Condition {
    try mapParts({ try $0.rewriting(change) }, { try $0.rewriting(change) })
  }
}

extension Operand {
  /// The operand with its parts replaced, from the left to the right.
  ///
  /// Entities, paths to elements and scopes are no parts.
  package func mapParts(
    _ condition: (Condition) throws -> Condition, _ operand: (Operand) throws -> Operand
  ) rethrows -> Operand {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output: self
    case .json(let inner, let steps): .json(try operand(inner), steps)
    case .element(let inner, let index): .element(try operand(inner), index)
    case .arithmetic(let symbol, let left, let right):
      .arithmetic(symbol, try operand(left), try operand(right))
    case .negated(let inner): .negated(try operand(inner))
    case .choice(let test, let first, let second):
      .choice(try condition(test), try operand(first), try operand(second))
    case .function(let function, let inner): .function(function, try operand(inner))
    case .ofElements(let kind, let inner, let elements, let test):
      .ofElements(kind, try inner.map(operand), elements, try condition(test))
    case .relatedAggregate(let kind, let inner, let rows, let test):
      .relatedAggregate(kind, try inner.map(operand), rows, try condition(test))
    case .relatedValue(let inner, let rows): .relatedValue(try operand(inner), rows)
    case .ofItems(let kind, let array, let scope, let test):
      .ofItems(kind, try operand(array), scope: scope, try condition(test))
    case .list(let parts): .list(try parts.map(operand))
    }
  }

  /// Visits the parts, from the left to the right.
  package func forEachPart(_ condition: (Condition) -> Void, _ operand: (Operand) -> Void) {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output: break
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner),
      .relatedValue(let inner, _):
      operand(inner)
    case .arithmetic(_, let left, let right):
      operand(left)
      operand(right)
    case .choice(let test, let first, let second):
      condition(test)
      operand(first)
      operand(second)
    case .ofElements(_, let inner, _, let test), .relatedAggregate(_, let inner, _, let test):
      if let inner { operand(inner) }
      condition(test)
    case .ofItems(_, let array, _, let test):
      operand(array)
      condition(test)
    case .list(let parts): parts.forEach(operand)
    }
  }

  /// The operand with those exchanged that `change` gives an answer for, itself among them.
  package func rewriting(_ change: (Operand) throws -> Operand?) rethrows -> Operand {
    if let changed = try change(self) { return changed }
    return try mapParts({ try $0.rewriting(change) }, { try $0.rewriting(change) })
  }
}
