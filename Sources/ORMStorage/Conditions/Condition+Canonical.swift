internal import ORMValues

extension Condition {
  /// The condition in its one form: normalized, and its elements numbered from the inside.
  ///
  /// Front ends that ask the same give equal canonical conditions.
  package func canonical() -> Condition {
    StackReserve.run(self) {
      var numbering = ScopeNumbering()
      return numbering.opened(self).normalized().closed()
    }
  }

  /// The condition with its elements' open numbers replaced: each by one more than the highest
  /// inside.
  fileprivate func closed() -> Condition {
    switch self {
    case .constant, .invalid: return self
    case .not(let inner): return .not(inner.closed())
    case .all(let parts): return .all(parts.map { $0.closed() })
    case .any(let parts): return .any(parts.map { $0.closed() })
    case .compare(let left, let comparator, let right, let options):
      return .compare(left.closed(), comparator, right.closed(), options)
    case .isIn(let element, let list, let options):
      return .isIn(element.closed(), list: list.closed(), options)
    case .text(let left, let symbol, let right, let options):
      return .text(left.closed(), symbol, right.closed(), options)
    case .some(let elements, let inner):
      let inner = inner.closed()
      let scope = inner.highestScope + 1
      return .some(
        Elements(elements.path, scope: scope),
        inner.mappingPaths { $0.moved(from: elements.scope, to: scope) })
    case .someItem(let array, let open, let inner):
      let inner = inner.closed()
      let scope = inner.highestScope + 1
      return .someItem(
        of: array.closed(), scope: scope,
        inner.rewriting { $0 == .item(open) ? .item(scope) : nil })
    case .exists(let rows, let inner): return .exists(rows, inner.closed())
    }
  }
}

extension Operand {
  fileprivate func closed() -> Operand {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output:
      return self
    case .json(let inner, let steps): return .json(inner.closed(), steps)
    case .element(let inner, let index): return .element(inner.closed(), index)
    case .arithmetic(let symbol, let left, let right):
      return .arithmetic(symbol, left.closed(), right.closed())
    case .negated(let inner): return .negated(inner.closed())
    case .choice(let condition, let first, let second):
      return .choice(condition.closed(), first.closed(), second.closed())
    case .function(let function, let inner): return .function(function, inner.closed())
    case .list(let parts): return .list(parts.map { $0.closed() })
    case .relatedAggregate(let kind, let inner, let rows, let condition):
      return .relatedAggregate(kind, inner?.closed(), rows, condition.closed())
    case .relatedValue(let inner, let rows): return .relatedValue(inner.closed(), rows)
    case .ofElements(let kind, let inner, let elements, let condition):
      let (inner, condition) = (inner?.closed(), condition.closed())
      let scope = max(inner?.highestScope ?? 0, condition.highestScope) + 1
      return .ofElements(
        kind, inner?.mappingPaths { $0.moved(from: elements.scope, to: scope) },
        Elements(elements.path, scope: scope),
        condition.mappingPaths { $0.moved(from: elements.scope, to: scope) })
    case .ofItems(let kind, let array, let open, let condition):
      let condition = condition.closed()
      let scope = condition.highestScope + 1
      return .ofItems(
        kind, array.closed(), scope: scope,
        condition.rewriting { $0 == .item(open) ? .item(scope) : nil })
    }
  }
}

/// Gives elements numbers that no others have: negative ones.
private struct ScopeNumbering {
  private var last = 0

  private mutating func open() -> Int {
    last -= 1
    return last
  }

  mutating func opened(_ condition: Condition) -> Condition {
    switch condition {
    case .constant, .invalid: return condition
    case .not(let inner): return .not(opened(inner))
    case .all(let parts): return .all(opened(parts))
    case .any(let parts): return .any(opened(parts))
    case .compare(let left, let comparator, let right, let options):
      return .compare(opened(left), comparator, opened(right), options)
    case .isIn(let element, let list, let options):
      return .isIn(opened(element), list: opened(list), options)
    case .text(let left, let symbol, let right, let options):
      return .text(opened(left), symbol, opened(right), options)
    case .some(let elements, let inner):
      let scope = open()
      let moved = inner.mappingPaths { $0.moved(from: elements.scope, to: scope) }
      return .some(Elements(elements.path, scope: scope), opened(moved))
    case .someItem(let array, let number, let inner):
      let scope = open()
      let moved = inner.rewriting { $0 == .item(number) ? .item(scope) : nil }
      return .someItem(of: opened(array), scope: scope, opened(moved))
    // Core's own numbers are of the whole request.
    case .exists: return condition
    }
  }

  private mutating func opened(_ parts: [Condition]) -> [Condition] {
    var opened: [Condition] = []
    for part in parts { opened.append(self.opened(part)) }
    return opened
  }

  private mutating func opened(_ operand: Operand) -> Operand {
    switch operand {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output,
      .relatedAggregate, .relatedValue:
      return operand
    case .json(let inner, let steps): return .json(opened(inner), steps)
    case .element(let inner, let index): return .element(opened(inner), index)
    case .arithmetic(let symbol, let left, let right):
      return .arithmetic(symbol, opened(left), opened(right))
    case .negated(let inner): return .negated(opened(inner))
    case .choice(let condition, let first, let second):
      return .choice(opened(condition), opened(first), opened(second))
    case .function(let function, let inner): return .function(function, opened(inner))
    case .list(let parts):
      var opened: [Operand] = []
      for part in parts { opened.append(self.opened(part)) }
      return .list(opened)
    case .ofElements(let kind, let inner, let elements, let condition):
      let scope = open()
      let movedInner = inner?.mappingPaths { $0.moved(from: elements.scope, to: scope) }
      let moved = condition.mappingPaths { $0.moved(from: elements.scope, to: scope) }
      return .ofElements(
        kind, movedInner.map { opened($0) }, Elements(elements.path, scope: scope), opened(moved))
    case .ofItems(let kind, let array, let number, let condition):
      let scope = open()
      let moved = condition.rewriting { $0 == .item(number) ? .item(scope) : nil }
      return .ofItems(kind, opened(array), scope: scope, opened(moved))
    }
  }
}
