package import ORMValues

extension Condition {
  /// The same condition in a plainer form; the meaning stays.
  ///
  /// - AND and OR are flat, without duplicates, constants and parts that decide nothing.
  /// - Negations are pushed inwards as far as an operator has an opposite: `NOT (a == 1)` is
  ///   `a != 1`, while `NOT (a > 1)` stays, since it holds for nil.
  /// - Arithmetic, functions and comparisons of constants are worked out; the constant of a
  ///   comparison is on the right.
  /// - Lists are sorted, without duplicates, nil and NaN; a list of one is an `==`; the values that one
  ///   operand may equal on the sides of an OR become one list.
  /// - A count above zero becomes a test for an element.
  package func normalized() -> Condition {
    switch self {
    case .compare(let left, let comparator, let right, let options):
      return Self.comparison(left.normalized(), comparator, right.normalized(), options)
    case .not(let inner): return inner.normalized().negated()
    case .all(let parts): return Self.join(parts.map { $0.normalized() }, neutral: true)
    case .any(let parts): return Self.join(parts.map { $0.normalized() }, neutral: false)
    case .isIn(let element, let list, let options):
      return Self.membership(element.normalized(), list.normalized(), options)
    case .some(let elements, let condition):
      let condition = condition.normalized()
      return condition == .constant(false) ? condition : .some(elements, condition)
    case .someItem(let array, let scope, let condition):
      return Self.someItem(array.normalized(), scope, condition.normalized())
    case .exists(let rows, let condition):
      let condition = condition.normalized()
      return condition == .constant(false) ? condition : .exists(rows, condition)
    default: return mapParts({ $0.normalized() }, { $0.normalized() })
    }
  }

  /// The negation of a normalized condition.
  private func negated() -> Condition {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let inner): inner
    case .compare(let left, .equal, let right, let options):
      .compare(left, .notEqual, right, options)
    case .compare(let left, .notEqual, let right, let options):
      .compare(left, .equal, right, options)
    case .all(let parts): Self.join(parts.map { $0.negated() }, neutral: false)
    case .any(let parts): Self.join(parts.map { $0.negated() }, neutral: true)
    default: .not(self)
    }
  }

  private static func comparison(
    _ left: Operand, _ comparator: Comparator, _ right: Operand, _ options: TextOptions
  ) -> Condition {
    switch (left, right) {
    case (.value(let value), _) where value.isNaN: return .constant(comparator == .notEqual)
    case (_, .value(let value)) where value.isNaN: return .constant(comparator == .notEqual)
    case (.value(let a), .value(let b)):
      return .constant(
        BoundCondition.compare(a.folded(options), comparator, b.folded(options)))
    case _ where left.isLiteral && !right.isLiteral:
      return comparison(right, comparator.swapped, left, options)
    case (_, .value(.int(let count))):
      return existence(left, comparator, count) ?? .compare(left, comparator, right, options)
    default: return .compare(left, comparator, right, options)
    }
  }

  /// A count compared with 0 or 1, where it asks whether there is an element.
  private static func existence(
    _ count: Operand, _ comparator: Comparator, _ number: Int64
  ) -> Condition? {
    let exists: Bool
    switch (comparator, number) {
    case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): exists = true
    case (.equal, 0), (.less, 1), (.lessOrEqual, 0): exists = false
    default: return nil
    }
    let condition: Condition
    switch count {
    case .ofElements(.count, nil, let elements, let inner): condition = .some(elements, inner)
    case .relatedAggregate(.count, nil, let rows, let inner): condition = .exists(rows, inner)
    // The count of no array is nil, which differs from 0.
    case .ofItems(.count, let list, let scope, let inner) where exists && comparator != .notEqual:
      return someItem(list, scope, inner)
    default: return nil
    }
    return exists ? condition : .not(condition)
  }

  private static func membership(
    _ element: Operand, _ list: Operand, _ options: TextOptions
  ) -> Condition {
    if case .value(let value) = element, value.isNaN { return .constant(false) }
    guard case .value(.array(let elements)) = list else {
      return .isIn(element, list: list, options)
    }
    if case .value(let value) = element {
      let value = value.folded(options)
      return .constant(elements.contains { StoredValue.equals(value, $0.folded(options)) })
    }
    let values = elements.asSet()
    let isAmong: Condition
    switch values.count {
    case 0: isAmong = .constant(false)
    case 1: isAmong = .compare(element, .equal, .value(values[0]), options)
    default: isAmong = .isIn(element, list: .value(.array(values)), options)
    }
    guard elements.contains(where: \.isNull) else { return isAmong }
    return join([isAmong, .compare(element, .equal, .value(.null), [])], neutral: false)
  }

  private static func someItem(
    _ array: Operand, _ scope: Int, _ condition: Condition
  ) -> Condition {
    if condition == .constant(false) { return condition }
    if case .compare(let left, .equal, let right, let options) = condition {
      // One that equals a value is an IN, which indexes answer.
      if left == .item(scope), !right.names(item: scope) {
        return membership(right, array, options)
      }
      if right == .item(scope), !left.names(item: scope) {
        return membership(left, array, options)
      }
    }
    return .someItem(of: array, scope: scope, condition)
  }

  /// The first error that waits in the condition.
  package var firstError: StoreError? {
    if case .invalid(let error) = self { return error }
    var first: StoreError?
    forEachPart({ first = first ?? $0.firstError }, { _ in })
    return first
  }
}
