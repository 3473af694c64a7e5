internal import ORMValues

extension Operand {
  /// The same operand in a plainer form: constants worked out, conditions inside normalized.
  package func normalized() -> Operand {
    switch self {
    case .json(let inner, let steps):
      if case .json(let root, let before) = inner.normalized() {
        return .json(root, before + steps)
      }
      return .json(inner.normalized(), steps)
    case .element(let inner, let index):
      let inner = inner.normalized()
      if case .value(.array(let elements)) = inner {
        return .value(elements.indices.contains(index) ? elements[index] : .null)
      }
      return .element(inner, index)
    case .arithmetic(let symbol, let left, let right):
      let (left, right) = (left.normalized(), right.normalized())
      if case .value(let a) = left, case .value(let b) = right,
        let value = Self.value(of: StoredValue.arithmetic(symbol, a, b), from: a, b)
      {
        return value
      }
      return .arithmetic(symbol, left, right)
    case .negated(let inner):
      let inner = inner.normalized()
      if case .value(let value) = inner,
        let value = Self.value(of: StoredValue.negate(value), from: value)
      {
        return value
      }
      return .negated(inner)
    case .function(let function, let inner):
      let inner = inner.normalized()
      if case .value(let value) = inner,
        let value = Self.value(of: function.applied(to: value, isUnsigned: false), from: value)
      {
        return value
      }
      return .function(function, inner)
    case .choice(let condition, let first, let second):
      switch condition.normalized() {
      case .constant(let holds): return (holds ? first : second).normalized()
      case let condition: return .choice(condition, first.normalized(), second.normalized())
      }
    case .list(let parts):
      let parts = parts.map { $0.normalized() }
      let values = parts.compactMap { if case .value(let value) = $0 { value } else { nil } }
      return values.count == parts.count ? .value(.array(values)) : .list(parts)
    default: return mapParts({ $0.normalized() }, { $0.normalized() })
    }
  }

  /// Returns the outcome of an operation on constants as a constant; nil if the operation must
  /// stay.
  ///
  /// It stays if the check has an error to report for it. It also stays if the arithmetic around
  /// would lose the range that a constant past Int64 gives it.
  private static func value(
    of outcome: ArithmeticOutcome, from constants: StoredValue...
  ) -> Operand? {
    switch outcome {
    case .value(.int) where constants.contains { $0.kind == .unsigned }: nil
    case .value(let value): .value(value)
    // In a filter a value that does not fit is nil (clause 2.6).
    case .overflow: .value(.null)
    case .mismatch: nil
    }
  }
}
