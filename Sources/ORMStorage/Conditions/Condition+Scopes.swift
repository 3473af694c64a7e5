internal import ORMValues

extension Condition {
  /// The condition with every path in it changed, those to elements and in links among them.
  package func mappingPaths(_ change: (Operand.Path) -> Operand.Path) -> Condition {
    switch self {
    case .constant, .invalid: self
    case .not(let inner): .not(inner.mappingPaths(change))
    case .all(let parts): .all(parts.map { $0.mappingPaths(change) })
    case .any(let parts): .any(parts.map { $0.mappingPaths(change) })
    case .compare(let left, let comparator, let right, let options):
      .compare(left.mappingPaths(change), comparator, right.mappingPaths(change), options)
    case .isIn(let element, let list, let options):
      .isIn(element.mappingPaths(change), list: list.mappingPaths(change), options)
    case .text(let text, let symbol, let other, let options):
      .text(text.mappingPaths(change), symbol, other.mappingPaths(change), options)
    case .some(let elements, let inner):
      .some(elements.mappingPaths(change), inner.mappingPaths(change))
    case .exists(let rows, let inner):
      .exists(rows.mappingPaths(change), inner.mappingPaths(change))
    case .someItem(let array, let scope, let inner):
      .someItem(of: array.mappingPaths(change), scope: scope, inner.mappingPaths(change))
    }
  }

  /// The highest number that an inner condition or aggregate gives to its rows; 0 without any.
  package var highestScope: Int {
    switch self {
    case .constant, .invalid: 0
    case .not(let inner): inner.highestScope
    case .all(let parts), .any(let parts): parts.reduce(0) { max($0, $1.highestScope) }
    case .compare(let left, _, let right, _), .isIn(let left, let right, _),
      .text(let left, _, let right, _):
      max(left.highestScope, right.highestScope)
    case .some(let elements, let inner): max(elements.scope, inner.highestScope)
    case .exists(let rows, let inner): max(rows.highestScope, inner.highestScope)
    case .someItem(let array, let scope, let inner):
      max(array.highestScope, scope, inner.highestScope)
    }
  }
}

extension Operand {
  /// The operand with every path in it changed.
  package func mappingPaths(_ change: (Path) -> Path) -> Operand {
    switch self {
    case .value, .parameter, .parameterList, .invalid, .item, .variable, .now, .output: self
    case .list(let parts): .list(parts.map { $0.mappingPaths(change) })
    case .ofItems(let kind, let array, let scope, let condition):
      .ofItems(
        kind, array.mappingPaths(change), scope: scope, condition.mappingPaths(change))
    case .path(let path): .path(change(path))
    case .json(let inner, let steps): .json(inner.mappingPaths(change), steps)
    case .element(let inner, let index): .element(inner.mappingPaths(change), index)
    case .arithmetic(let symbol, let left, let right):
      .arithmetic(symbol, left.mappingPaths(change), right.mappingPaths(change))
    case .negated(let inner): .negated(inner.mappingPaths(change))
    case .choice(let condition, let first, let second):
      .choice(
        condition.mappingPaths(change), first.mappingPaths(change), second.mappingPaths(change))
    case .function(let function, let inner): .function(function, inner.mappingPaths(change))
    case .ofElements(let kind, let inner, let elements, let condition):
      .ofElements(
        kind, inner?.mappingPaths(change), elements.mappingPaths(change),
        condition.mappingPaths(change))
    case .relatedAggregate(let kind, let inner, let rows, let condition):
      .relatedAggregate(
        kind, inner?.mappingPaths(change), rows.mappingPaths(change),
        condition.mappingPaths(change))
    case .relatedValue(let inner, let rows):
      .relatedValue(inner.mappingPaths(change), rows.mappingPaths(change))
    }
  }

  /// The highest number that an aggregate gives to its rows; 0 without any.
  package var highestScope: Int {
    switch self {
    case .value, .parameter, .parameterList, .invalid, .path, .item, .variable, .now, .output: 0
    case .list(let parts): parts.reduce(0) { max($0, $1.highestScope) }
    case .ofItems(_, let array, let scope, let condition):
      max(array.highestScope, scope, condition.highestScope)
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner):
      inner.highestScope
    case .arithmetic(_, let left, let right): max(left.highestScope, right.highestScope)
    case .choice(let condition, let first, let second):
      max(condition.highestScope, first.highestScope, second.highestScope)
    case .ofElements(_, let inner, let elements, let condition):
      max(inner?.highestScope ?? 0, elements.scope, condition.highestScope)
    case .relatedAggregate(_, let inner, let rows, let condition):
      max(inner?.highestScope ?? 0, rows.highestScope, condition.highestScope)
    case .relatedValue(let inner, let rows): max(inner.highestScope, rows.highestScope)
    }
  }
}

extension Elements {
  fileprivate func mappingPaths(_ change: (Operand.Path) -> Operand.Path) -> Elements {
    Elements(change(path), scope: scope)
  }
}

extension RelatedRows {
  fileprivate func mappingPaths(_ change: (Operand.Path) -> Operand.Path) -> RelatedRows {
    RelatedRows(
      steps.map { step in
        Step(
          entity: step.entity, scope: step.scope,
          links: step.links.map { Link($0.attribute, equals: change($0.other)) },
          nullAttribute: step.nullAttribute)
      })
  }

  fileprivate var highestScope: Int { steps.map(\.scope).max() ?? 0 }
}
