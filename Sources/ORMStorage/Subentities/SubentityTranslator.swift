package import ORMValues

/// Replaces the names of subentities by those of their roots.
package struct SubentityTranslator {
  /// The subentities by the scope of their rows; rows of other entities have none.
  package typealias Scopes = [Int: Subentity]

  private let subentities: SubentityTable
  /// The number of bindings before `values`.
  private let bindings: Int
  /// The bindings that were added: kinds.
  package private(set) var values: [StoredValue] = []
  private var operands: [String: Operand] = [:]

  /// Creates a translator for requests with `bindings` bindings.
  package init(subentities: SubentityTable, bindings: Int) {
    self.subentities = subentities
    self.bindings = bindings
  }

  /// Returns the condition that the rows of a scope belong to a subentity.
  package mutating func kinds(of subentity: Subentity, scope: Int) -> Condition {
    subentity.condition(scope: scope, kinds: kinds(of: subentity))
  }

  private mutating func kinds(of subentity: Subentity) -> Operand {
    if let known = operands[subentity.entity.name] { return known }
    let slot = bindings + values.count
    let kinds = subentity.kinds.map { StoredValue.string($0) }
    let operand: Operand
    if kinds.count == 1 {
      values.append(kinds[0])
      operand = .parameter(slot, .string)
    } else {
      var capacity = 1
      while capacity < kinds.count { capacity *= 2 }
      values.append(.array(kinds.sorted { StoredValue.order($0, $1) < 0 }))
      operand = .parameterList(slot, .string, capacity: capacity)
    }
    operands[subentity.entity.name] = operand
    return operand
  }

  /// A condition in terms of the roots.
  package mutating func condition(_ condition: Condition, _ scopes: Scopes) -> Condition {
    switch condition {
    case .some: return condition
    case .exists(let rows, let inner):
      let (rows, scopes, kinds) = related(rows, scopes)
      return .exists(rows, self.condition(inner, scopes).joined(with: kinds))
    default:
      return condition.mapParts({ self.condition($0, scopes) }, { operand($0, scopes) })
    }
  }

  /// An operand in terms of the roots.
  package mutating func operand(_ operand: Operand, _ scopes: Scopes) -> Operand {
    operand.rewriting { operand in
      switch operand {
      case .path(let path): return .path(Self.path(path, scopes))
      case .relatedAggregate(let kind, let inner, let rows, let condition):
        let (rows, scopes, kinds) = related(rows, scopes)
        return .relatedAggregate(
          kind, inner.map { self.operand($0, scopes) }, rows,
          self.condition(condition, scopes).joined(with: kinds))
      case .relatedValue(let inner, let rows):
        // A link leads to a row of the subentity: that is checked when it is written.
        let (rows, scopes, _) = related(rows, scopes)
        return .relatedValue(self.operand(inner, scopes), rows)
      case .ofItems(let kind, let array, let scope, let condition):
        return .ofItems(
          kind, self.operand(array, scopes), scope: scope, self.condition(condition, scopes))
      default: return nil
      }
    }
  }

  private static func path(_ path: Operand.Path, _ scopes: Scopes) -> Operand.Path {
    guard path.names.count == 1, let name = scopes[path.scope]?.attributes[path.names[0]] else {
      return path
    }
    return Operand.Path([name], scope: path.scope)
  }

  /// Returns related rows with their scopes and a condition that they are of the right kinds.
  private mutating func related(
    _ rows: RelatedRows, _ scopes: Scopes
  ) -> (RelatedRows, Scopes, [Condition]) {
    var scopes = scopes
    var conditions: [Condition] = []
    let steps = rows.steps.map { step in
      let translated = self.step(step, &scopes)
      if let subentity = scopes[step.scope] {
        conditions.append(kinds(of: subentity, scope: step.scope))
      }
      return translated
    }
    return (RelatedRows(steps), scopes, conditions)
  }

  /// A step of related rows; its scope is added to those that are known.
  package func step(_ step: RelatedRows.Step, _ scopes: inout Scopes) -> RelatedRows.Step {
    let subentity = subentities[step.entity]
    scopes[step.scope] = subentity
    let links = step.links.map { link in
      RelatedRows.Link(
        subentity?.attributes[link.attribute] ?? link.attribute,
        equals: Self.path(link.other, scopes))
    }
    var translated = step
    translated.entity = subentity?.root.name ?? step.entity
    translated.links = links
    translated.nullAttribute = step.nullAttribute.map { subentity?.attributes[$0] ?? $0 }
    return translated
  }

  /// An aggregate in terms of the roots.
  package mutating func aggregate(_ aggregate: Aggregate, _ scopes: Scopes) -> Aggregate {
    Aggregate(aggregate.kind, aggregate.operand.map { operand($0, scopes) })
  }
}

extension SubentityTable {
  /// An update whose request is in terms of the roots, with its assignments so too.
  package func translated(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], of own: Subentity?
  ) -> StoreChange {
    var request = request
    var translator = SubentityTranslator(subentities: self, bindings: request.bindings.count)
    var scopes: SubentityTranslator.Scopes = [:]
    scopes[0] = own
    let assignments = assignments.map { assignment in
      StoreChange.Assignment(
        column: own?.columns[assignment.column] ?? assignment.column,
        value: translator.operand(assignment.value, scopes))
    }
    request.bindings += translator.values
    return .update(request, assignments)
  }
}

extension Condition {
  /// The condition and others, as one AND without another inside.
  package func joined(with others: [Condition]) -> Condition {
    if others.isEmpty { return self }
    let parts: [Condition]
    switch self {
    case .constant(true): parts = []
    case .all(let own): parts = own
    default: parts = [self]
    }
    return parts.isEmpty && others.count == 1 ? others[0] : .all(parts + others)
  }
}
