extension Condition {
  /// The same condition in a plainer form: nested AND and OR flattened, constants folded, double
  /// negations gone, nulls and NaN taken out of lists, comparisons with NaN decided.
  ///
  /// The meaning stays.
  package func normalized() -> Condition {
    switch self {
    case .compare(.value(let value), let comparator, _, _) where value.isNaN,
      .compare(_, let comparator, .value(let value), _) where value.isNaN:
      return .constant(comparator == .notEqual)
    case .constant, .invalid, .compare, .text: return self
    case .not(let inner):
      switch inner.normalized() {
      case .constant(let value): return .constant(!value)
      case .not(let condition): return condition
      case let condition: return .not(condition)
      }
    case .all(let conditions):
      return Self.join(conditions, neutral: true) { .all($0) }
    case .any(let conditions):
      return Self.join(conditions, neutral: false) { .any($0) }
    case .isIn(let element, .value(.array(let elements)), let options):
      let values = elements.filter { !$0.isNull && !$0.isNaN }
      let list = Condition.isIn(element, list: .value(.array(values)), options)
      guard elements.contains(where: \.isNull) else {
        return values.isEmpty ? .constant(false) : list
      }
      let isNil = Condition.compare(element, .equal, .value(.null), [])
      return values.isEmpty ? isNil : .any([list, isNil])
    case .isIn(.value(let value), _, _) where value.isNaN: return .constant(false)
    case .isIn: return self
    case .some(let elements, let condition): return .some(elements, condition.normalized())
    case .someItem(let array, let scope, let condition):
      let condition = condition.normalized()
      if condition == .constant(false) { return condition }
      if case .compare(let left, .equal, let right, let options) = condition {
        // One that equals a value: what IN asks, which indexes answer.
        if left == .item(scope), !right.names(item: scope) {
          return Condition.isIn(right, list: array, options).normalized()
        }
        if right == .item(scope), !left.names(item: scope) {
          return Condition.isIn(left, list: array, options).normalized()
        }
      }
      return .someItem(of: array, scope: scope, condition)
    case .exists(let rows, let condition):
      let condition = condition.normalized()
      return condition == .constant(false) ? condition : .exists(rows, condition)
    }
  }

  /// Joins conditions by AND (`neutral` true) or OR (`neutral` false).
  private static func join(
    _ conditions: [Condition], neutral: Bool, _ make: ([Condition]) -> Condition
  ) -> Condition {
    var parts: [Condition] = []
    for condition in conditions {
      switch condition.normalized() {
      case .constant(let value):
        if value != neutral, !conditions.contains(where: \.isInvalid) { return .constant(value) }
      case .all(let inner) where neutral: parts += inner
      case .any(let inner) where !neutral: parts += inner
      case let part: parts.append(part)
      }
    }
    switch parts.count {
    case 0: return .constant(neutral)
    case 1: return parts[0]
    default: return make(parts)
    }
  }

  /// Whether an error waits somewhere in the condition.
  private var isInvalid: Bool { firstError != nil }

  /// The first error that waits in the condition.
  package var firstError: StoreError? {
    switch self {
    case .invalid(let error): return error
    case .not(let condition): return condition.firstError
    case .all(let conditions), .any(let conditions):
      for condition in conditions {
        if let error = condition.firstError { return error }
      }
      return nil
    case .some(_, let condition), .exists(_, let condition), .someItem(_, _, let condition):
      return condition.firstError
    case .constant, .compare, .isIn, .text: return nil
    }
  }
}
