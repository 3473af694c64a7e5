internal import ORMStorage

extension FetchShape {
  /// True if two sides of an AND or OR anywhere in it are the same but for their values.
  var hasDuplicates: Bool {
    if condition.hasDuplicates || sort.contains(where: \.operand.hasDuplicates) { return true }
    switch output {
    case .rows, .joined: return false
    case .values(let operands): return operands.contains(where: \.hasDuplicates)
    case .aggregates(let aggregates):
      return aggregates.contains { $0.operand?.hasDuplicates ?? false }
    case .groups(let keys, let aggregates, let having):
      return keys.contains(where: \.hasDuplicates) || having.hasDuplicates
        || aggregates.contains { $0.operand?.hasDuplicates ?? false }
    }
  }
}

extension Condition {
  fileprivate var hasDuplicates: Bool {
    switch self {
    case .constant, .invalid: return false
    case .not(let inner), .some(_, let inner), .exists(_, let inner): return inner.hasDuplicates
    case .all(let parts), .any(let parts):
      let bare = parts.map { $0.rewriting(\.withoutSlot) }
      return Set(bare).count < parts.count || parts.contains(where: \.hasDuplicates)
    case .compare(let left, _, let right, _), .isIn(let left, let right, _),
      .text(let left, _, let right, _):
      return left.hasDuplicates || right.hasDuplicates
    case .someItem(let array, _, let inner): return array.hasDuplicates || inner.hasDuplicates
    }
  }
}

extension Operand {
  /// One parameter for all of them; nil for other operands.
  fileprivate var withoutSlot: Operand? {
    switch self {
    case .parameter, .parameterList: .parameter(0, .int)
    default: nil
    }
  }

  fileprivate var hasDuplicates: Bool {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output:
      return false
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner),
      .relatedValue(let inner, _):
      return inner.hasDuplicates
    case .arithmetic(_, let left, let right): return left.hasDuplicates || right.hasDuplicates
    case .choice(let condition, let first, let second):
      return condition.hasDuplicates || first.hasDuplicates || second.hasDuplicates
    case .list(let parts): return parts.contains(where: \.hasDuplicates)
    case .ofItems(_, let array, _, let condition):
      return array.hasDuplicates || condition.hasDuplicates
    case .ofElements(_, let inner, _, let condition),
      .relatedAggregate(_, let inner, _, let condition):
      return inner?.hasDuplicates ?? false || condition.hasDuplicates
    }
  }
}
