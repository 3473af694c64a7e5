internal import ORMValues

/// The request for the rows of one step of related rows, while it is being put together.
///
/// Rows of the step are scope 0 in it. Conditions that name other rows are no part of it, but for
/// the links: their other sides are bound for each row around.
struct StepRequest {
  /// The entity of the step.
  let entity: StoredEntity
  /// The number by which conditions name the step's rows.
  let scope: Int
  /// The output of the request.
  var output = FetchShape.Output.rows
  /// The sources of the parameters' values.
  private(set) var values: [RelatedPlan.Value] = []
  private var parts: [Condition] = []

  init(entity: StoredEntity, scope: Int) {
    self.entity = entity
    self.scope = scope
  }

  /// The number of values that change from row to row.
  var changingCount: Int { values.count { if case .captured = $0 { true } else { false } } }

  /// The request's shape.
  var shape: FetchShape {
    FetchShape(
      entity: entity.name, output: output, condition: Condition.all(parts).normalized())
  }

  /// Adds a link: an attribute equals a captured value of a row before.
  mutating func link(_ attribute: String, to slot: Int, of kind: AttributeType.Kind) {
    parts.append(
      .compare(.attribute(attribute), .equal, .parameter(values.count, kind), []))
    values.append(.captured(slot))
  }

  /// Adds a bound: an attribute is less or greater than a captured value of a row before.
  mutating func bound(
    _ attribute: String, _ comparator: Comparator, by slot: Int, of kind: AttributeType.Kind
  ) {
    parts.append(
      .compare(.attribute(attribute), comparator, .parameter(values.count, kind), []))
    values.append(.captured(slot))
  }

  /// Adds that an attribute is null.
  mutating func requireNull(_ attribute: String) {
    parts.append(.compare(.attribute(attribute), .equal, .value(.null), []))
  }

  /// Takes the parts of a condition that name the step's rows alone; gives the rest.
  mutating func take(_ condition: Condition) -> [Condition] {
    switch condition {
    case .constant(true): return []
    case .all(let conditions): return conditions.flatMap { take($0) }
    default:
      guard let taken = taken(condition) else { return [condition] }
      parts.append(taken)
      return []
    }
  }

  /// An operand as the request says it; nil when it names other rows.
  mutating func taken(_ operand: Operand) -> Operand? {
    var values = values
    guard let taken = try? rewritten(operand, &values) else { return nil }
    self.values = values
    return taken
  }

  private mutating func taken(_ condition: Condition) -> Condition? {
    var values = values
    guard let taken = try? rewritten(condition, &values) else { return nil }
    self.values = values
    return taken
  }

  /// Thrown for a condition or an operand that names other rows.
  private struct NamesOtherRows: Error {}

  private func rewritten(
    _ condition: Condition, _ values: inout [RelatedPlan.Value]
  ) throws -> Condition {
    switch condition {
    case .some, .exists, .invalid: throw NamesOtherRows()
    default:
      try condition.mapParts({ try rewritten($0, &values) }, { try rewritten($0, &values) })
    }
  }

  private func rewritten(
    _ operand: Operand, _ values: inout [RelatedPlan.Value]
  ) throws -> Operand {
    switch operand {
    case .parameter(let slot, let kind):
      values.append(.parameter(slot))
      return .parameter(values.count - 1, kind)
    case .parameterList(let slot, let kind, let capacity):
      values.append(.parameter(slot))
      return .parameterList(values.count - 1, kind, capacity: capacity)
    case .path(let path) where path.scope == scope: return .path(.init(path.names))
    case .path, .ofElements, .relatedAggregate, .relatedValue, .variable, .now, .output, .invalid:
      throw NamesOtherRows()
    // The check lets no condition on related rows name an element of an array outside of it.
    default:
      return try operand.mapParts({ try rewritten($0, &values) }, { try rewritten($0, &values) })
    }
  }
}
