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
    default: return mapParts({ $0.closed() }, { $0.closed() })
    }
  }
}

extension Operand {
  fileprivate func closed() -> Operand {
    switch self {
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
    default: return mapParts({ $0.closed() }, { $0.closed() })
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
    default: return condition.mapParts({ opened($0) }, { opened($0) })
    }
  }

  private mutating func opened(_ operand: Operand) -> Operand {
    switch operand {
    case .relatedAggregate, .relatedValue: return operand
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
    default: return operand.mapParts({ opened($0) }, { opened($0) })
    }
  }
}
