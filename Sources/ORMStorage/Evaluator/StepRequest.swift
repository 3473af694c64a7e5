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
    guard let taken = rewritten(operand, &values) else { return nil }
    self.values = values
    return taken
  }

  private mutating func taken(_ condition: Condition) -> Condition? {
    var values = values
    guard let taken = rewritten(condition, &values) else { return nil }
    self.values = values
    return taken
  }

  private func rewritten(
    _ condition: Condition, _ values: inout [RelatedPlan.Value]
  ) -> Condition? {
    switch condition {
    case .constant: return condition
    case .not(let inner): return rewritten(inner, &values).map { .not($0) }
    case .all(let parts): return rewritten(parts, &values).map { .all($0) }
    case .any(let parts): return rewritten(parts, &values).map { .any($0) }
    case .compare(let left, let comparator, let right, let options):
      guard let left = rewritten(left, &values), let right = rewritten(right, &values) else {
        return nil
      }
      return .compare(left, comparator, right, options)
    case .isIn(let element, let list, let options):
      guard let element = rewritten(element, &values), let list = rewritten(list, &values) else {
        return nil
      }
      return .isIn(element, list: list, options)
    case .text(let text, let symbol, let other, let options):
      guard let text = rewritten(text, &values), let other = rewritten(other, &values) else {
        return nil
      }
      return .text(text, symbol, other, options)
    case .someItem(let array, let scope, let inner):
      guard let array = rewritten(array, &values), let inner = rewritten(inner, &values) else {
        return nil
      }
      return .someItem(of: array, scope: scope, inner)
    case .some, .exists, .invalid: return nil
    }
  }

  private func rewritten(
    _ parts: [Condition], _ values: inout [RelatedPlan.Value]
  ) -> [Condition]? {
    var taken: [Condition] = []
    for part in parts {
      guard let part = rewritten(part, &values) else { return nil }
      taken.append(part)
    }
    return taken
  }

  private func rewritten(
    _ operand: Operand, _ values: inout [RelatedPlan.Value]
  ) -> Operand? {
    switch operand {
    case .value: return operand
    case .parameter(let slot, let kind):
      values.append(.parameter(slot))
      return .parameter(values.count - 1, kind)
    case .parameterList(let slot, let kind, let capacity):
      values.append(.parameter(slot))
      return .parameterList(values.count - 1, kind, capacity: capacity)
    case .path(let path): return path.scope == scope ? .path(.init(path.names)) : nil
    case .json(let inner, let steps): return rewritten(inner, &values).map { .json($0, steps) }
    case .element(let inner, let index):
      return rewritten(inner, &values).map { .element($0, index) }
    case .arithmetic(let symbol, let left, let right):
      guard let left = rewritten(left, &values), let right = rewritten(right, &values) else {
        return nil
      }
      return .arithmetic(symbol, left, right)
    case .negated(let inner): return rewritten(inner, &values).map { .negated($0) }
    case .choice(let condition, let first, let second):
      guard let condition = rewritten(condition, &values), let first = rewritten(first, &values),
        let second = rewritten(second, &values)
      else { return nil }
      return .choice(condition, first, second)
    case .function(let function, let inner):
      return rewritten(inner, &values).map { .function(function, $0) }
    // The check lets no condition on related rows name an element of an array outside of it.
    case .item: return operand
    case .ofItems(let kind, let array, let scope, let condition):
      guard let array = rewritten(array, &values), let condition = rewritten(condition, &values)
      else { return nil }
      return .ofItems(kind, array, scope: scope, condition)
    case .list(let parts):
      var taken: [Operand] = []
      for part in parts {
        guard let part = rewritten(part, &values) else { return nil }
        taken.append(part)
      }
      return .list(taken)
    case .ofElements, .relatedAggregate, .relatedValue, .variable, .now, .output, .invalid:
      return nil
    }
  }
}
