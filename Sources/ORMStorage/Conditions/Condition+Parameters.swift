public import ORMValues

extension Condition {
  /// The condition with every value moved to `bindings` and replaced by a parameter.
  ///
  /// Nulls, constants and values that shape a plan stay.
  package func parameterized(into bindings: inout [StoredValue]) -> Condition {
    switch self {
    case .constant, .invalid: return self
    case .not(let condition): return .not(condition.parameterized(into: &bindings))
    case .all(let conditions):
      return .all(conditions.map { $0.parameterized(into: &bindings) })
    case .any(let conditions):
      return .any(conditions.map { $0.parameterized(into: &bindings) })
    case .compare(let left, let comparator, let right, let options):
      return .compare(
        left.parameterized(into: &bindings), comparator, right.parameterized(into: &bindings),
        options)
    case .isIn(let element, let list, let options):
      return .isIn(
        element.parameterized(into: &bindings), list: list.parameterizedList(into: &bindings),
        options)
    case .text(let text, let textOperator, let other, let options):
      return .text(
        text.parameterized(into: &bindings), textOperator, other.parameterized(into: &bindings),
        options)
    case .some(let elements, let condition):
      return .some(elements, condition.parameterized(into: &bindings))
    case .exists(let rows, let condition):
      return .exists(rows, condition.parameterized(into: &bindings))
    case .someItem(let array, let scope, let condition):
      return .someItem(
        of: array.parameterized(into: &bindings), scope: scope,
        condition.parameterized(into: &bindings))
    }
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
    case .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output:
      return self
    case .list(let parts): return .list(parts.map { $0.parameterized(into: &bindings) })
    case .ofItems(let kind, let array, let scope, let condition):
      return .ofItems(
        kind, array.parameterized(into: &bindings), scope: scope,
        condition.normalized().parameterized(into: &bindings))
    case .json(let operand, let steps):
      return .json(operand.parameterized(into: &bindings), steps)
    case .element(let operand, let index):
      return .element(operand.parameterized(into: &bindings), index)
    case .arithmetic(let symbol, let left, let right):
      return .arithmetic(
        symbol, left.parameterized(into: &bindings), right.parameterized(into: &bindings))
    case .negated(let operand): return .negated(operand.parameterized(into: &bindings))
    case .choice(let condition, let first, let second):
      return .choice(
        condition.normalized().parameterized(into: &bindings), first.parameterized(into: &bindings),
        second.parameterized(into: &bindings))
    case .function(let function, let operand):
      return .function(function, operand.parameterized(into: &bindings))
    case .ofElements(let kind, let operand, let elements, let condition):
      return .ofElements(
        kind, operand?.parameterized(into: &bindings), elements,
        condition.parameterized(into: &bindings))
    case .relatedAggregate(let kind, let operand, let rows, let condition):
      return .relatedAggregate(
        kind, operand?.parameterized(into: &bindings), rows,
        condition.normalized().parameterized(into: &bindings))
    case .relatedValue(let operand, let rows):
      return .relatedValue(operand.parameterized(into: &bindings), rows)
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

extension StoredValue {
  /// The kind of the value; nil for null.
  ///
  /// An integer is `.int` up to `Int64.max`, above it `.unsigned`.
  public var kind: AttributeType.Kind? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .int
    case .uint: .unsigned
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .array: .array
    case .json: .json
    }
  }
}
