internal import ORMStorage

extension FetchShape {
  /// Whether two sides of an AND or OR anywhere in it are the same but for their values.
  var hasTwins: Bool {
    if condition.hasTwins || sort.contains(where: \.operand.hasTwins) { return true }
    switch output {
    case .rows, .joined: return false
    case .values(let operands): return operands.contains(where: \.hasTwins)
    case .aggregates(let aggregates):
      return aggregates.contains { $0.operand?.hasTwins ?? false }
    case .groups(let keys, let aggregates, let having):
      return keys.contains(where: \.hasTwins) || having.hasTwins
        || aggregates.contains { $0.operand?.hasTwins ?? false }
    }
  }
}

extension Condition {
  fileprivate var hasTwins: Bool {
    switch self {
    case .constant, .invalid: return false
    case .not(let inner), .some(_, let inner), .exists(_, let inner): return inner.hasTwins
    case .all(let parts), .any(let parts):
      let bare = parts.map { $0.rewriting(\.withoutSlot) }
      return Set(bare).count < parts.count || parts.contains(where: \.hasTwins)
    case .compare(let left, _, let right, _), .isIn(let left, let right, _),
      .text(let left, _, let right, _):
      return left.hasTwins || right.hasTwins
    case .someItem(let array, _, let inner): return array.hasTwins || inner.hasTwins
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

  fileprivate var hasTwins: Bool {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output:
      return false
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner),
      .relatedValue(let inner, _):
      return inner.hasTwins
    case .arithmetic(_, let left, let right): return left.hasTwins || right.hasTwins
    case .list(let parts): return parts.contains(where: \.hasTwins)
    case .ofItems(_, let array, _, let condition): return array.hasTwins || condition.hasTwins
    case .ofElements(_, let inner, _, let condition),
      .relatedAggregate(_, let inner, _, let condition):
      return inner?.hasTwins ?? false || condition.hasTwins
    }
  }
}
