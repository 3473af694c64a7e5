package import ORMValues

extension Condition {
  /// The condition with every value moved to `bindings` and replaced by a parameter.
  ///
  /// Nulls, constants and values that shape a plan stay.
  package func parameterized(into bindings: inout [StoredValue]) -> Condition {
    if case .isIn(let element, let list, let options) = self {
      return .isIn(
        element.parameterized(into: &bindings), list: list.parameterizedList(into: &bindings),
        options)
    }
    return mapParts(
      { $0.parameterized(into: &bindings) }, { $0.parameterized(into: &bindings) })
  }
}

extension Operand {
  /// The operand with its values taken out into `bindings`.
  package func parameterized(into bindings: inout [StoredValue]) -> Operand {
    switch self {
    case .value(let value):
      guard let kind = value.kind else { return self }
      bindings.append(value)
      return .parameter(bindings.count - 1, kind)
    case .ofElements:
      return mapParts(
        { $0.parameterized(into: &bindings) }, { $0.parameterized(into: &bindings) })
    default:
      return mapParts(
        { $0.normalized().parameterized(into: &bindings) }, { $0.parameterized(into: &bindings) })
    }
  }

  /// Parameterizes the list of an `isIn`: an array value becomes a list parameter.
  fileprivate func parameterizedList(into bindings: inout [StoredValue]) -> Operand {
    guard case .value(.array(let elements)) = self else {
      return parameterized(into: &bindings)
    }
    let kinds = Set(elements.map(\.kind))
    bindings.append(.array(elements))
    let kind = kinds.count == 1 ? kinds.first.flatMap { $0 } : nil
    return .parameterList(
      bindings.count - 1, kind, capacity: Self.capacity(forListOf: elements.count))
  }
}

extension SortTerm {
  /// The term with its values taken out into `bindings`.
  package func parameterized(into bindings: inout [StoredValue]) -> SortTerm {
    var copy = self
    copy.operand = operand.parameterized(into: &bindings)
    return copy
  }
}

extension FetchShape.Output {
  /// The output with its values taken out into `bindings`.
  package func parameterized(into bindings: inout [StoredValue]) -> FetchShape.Output {
    switch self {
    case .rows, .joined: return self
    case .values(let operands):
      return .values(operands.map { $0.parameterized(into: &bindings) })
    case .aggregates(let aggregates):
      return .aggregates(
        aggregates.map { Aggregate($0.kind, $0.operand?.parameterized(into: &bindings)) })
    case .groups(let keys, let aggregates, let having):
      return .groups(
        keys: keys.map { $0.parameterized(into: &bindings) },
        aggregates: aggregates.map {
          Aggregate($0.kind, $0.operand?.parameterized(into: &bindings))
        }, having: having.normalized().parameterized(into: &bindings))
    }
  }
}
