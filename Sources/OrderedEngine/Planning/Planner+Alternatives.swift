internal import ORMStorage

/// The plans among which statistics of the rows decide.
extension Planner {
  /// The most plans that are weighed against each other.
  private static let mostAlternatives = 8

  /// The plans for a shape, first the one that is best without statistics.
  ///
  /// There is but one where no other could cost less.
  static func plans(
    _ shape: FetchShape, _ entity: EntityStorage, _ schema: StoredSchema
  ) -> [Plan] {
    let first = plan(shape, entity)
    guard entity.keyspace != nil, shape.condition != .constant(false) else { return [first] }
    let planner = Planner(shape, entity, shape.condition.parts)
    let best = planner.bestCandidate
    if best.isSingle || best.isExtreme || best.access.part.isKeys { return [first] }
    var plans = [first]
    for (parts, lists) in inverted(shape, schema) {
      let inverted = Planner(shape, entity, parts)
      var plan = inverted.best()
      plan.lists = lists
      plans.append(plan)
      // The list may be better for testing rows that another access path finds.
      if plan.namesList, !best.access.part.isEverything {
        var tested = inverted.plan(best)
        tested.lists = lists
        tested.residual = inverted.residual(best.used)
        plans.append(tested)
      }
    }
    if !shape.condition.parts.isEmpty { plans += planner.others(than: best, first) }
    return Array(plans.prefix(mostAlternatives))
  }

  /// Other keys and indexes, several at once, and reading every row.
  private func others(than best: Candidate, _ first: Plan) -> [Plan] {
    var candidates = [candidate(terms: entity.key.terms, index: nil)]
    for (number, index) in entity.indexes.enumerated() {
      let candidate = candidate(terms: index.terms, index: number)
      if isUsable(candidate, index) { candidates.append(candidate) }
    }
    let useful = candidates.filter { isWorthWeighing($0, beside: best) }
    var plans = useful.map { plan($0) }
    let unions = unions(beside: best).map(\.plan)
    if case .union = first.access { plans.append(plan(best)) } else { plans += unions }
    return plans + intersections(of: candidates)
  }

  private func isWorthWeighing(_ other: Candidate, beside best: Candidate) -> Bool {
    if other.access.index == best.access.index { return false }
    let hasOrder = other.order != .no && best.order == .no
    if other.access.index == nil, other.access.part.isEverything {
      // Reading all rows costs less than looking up most of them by an index.
      return !isPinned(best)
    }
    if other.access.part.isEverything { return hasOrder && shape.isLimited }
    if other.access.part.isBounded, !other.used.isSubset(of: best.used) { return true }
    return hasOrder
  }

  /// Returns whether single values are named, which leave few rows where an index is any good.
  private func isPinned(_ candidate: Candidate) -> Bool {
    !candidate.access.part.points.isEmpty
  }

  /// Two indexes of which each finds few, and both together fewer.
  private func intersections(of candidates: [Candidate]) -> [Plan] {
    let pinned = candidates.filter { candidate in
      candidate.access.index != nil && candidate.rank >= 4
        && candidate.access.part.points.allSatisfy(\.isPoint)
    }
    var plans: [Plan] = []
    for (i, a) in pinned.enumerated() {
      for b in pinned[(i + 1)...]
      where !a.used.isSubset(of: b.used) && !b.used.isSubset(of: a.used) {
        let key = KeyOrder(entity.key.terms, entity)
        let order = key.match(shape.sort, isUnordered: isUnordered)
        plans.append(
          Plan(
            access: .intersection([a.access, b.access]), residual: residual(a.used.union(b.used)),
            isReversed: order == .reversed, isOrdered: order != .no))
      }
    }
    return Array(plans.prefix(3))
  }
}

extension Plan {
  /// True if the keys read are bounded by a list that is found first.
  fileprivate var namesList: Bool {
    let slots = Set(lists.map(\.slot))
    return switch access {
    case .nothing: false
    case .one(let one): one.part.names(slots)
    case .union(let parts, _), .intersection(let parts): parts.contains { $0.part.names(slots) }
    }
  }
}

extension Plan.KeyPart {
  /// Returns whether a list in one of some slots bounds the keys read.
  fileprivate func names(_ slots: Set<Int>) -> Bool {
    let lists = Dictionary(uniqueKeysWithValues: slots.map { ($0, (values: 0.0, targets: 0.0)) })
    return listed(lists, of: 0) != nil
  }

  /// Returns estimates for lists that are not found yet: the number of values they leave of the key or index,
  /// and how many of `total` rows have them.
  ///
  /// Of several constraints, the one that leaves the fewest rows counts. Returns nil if no constraint names
  /// such a list.
  func listed(
    _ lists: [Int: (values: Double, targets: Double)], of total: Double
  ) -> (values: Double, rows: Double)? {
    if lists.isEmpty { return nil }
    return (points + ranges).compactMap { $0.test.listed(lists, of: total) }
      .min { $0.rows < $1.rows }
  }
}

extension TermConstraint.Test {
  /// Returns estimates for lists that are not found yet: the number of values they leave, and how many of
  /// `total` rows have them.
  ///
  /// Returns nil if the test names no such list.
  fileprivate func listed(
    _ lists: [Int: (values: Double, targets: Double)], of total: Double
  ) -> (values: Double, rows: Double)? {
    switch self {
    case .isIn(.parameterList(let slot, _, _)), .part(_, _, .parameterList(let slot, _, _)):
      return lists[slot].map { list in
        let each = list.targets > 0 ? total / list.targets : 1
        return (list.values, list.values * max(each, 1))
      }
    case .all(let tests):
      return tests.compactMap { $0.listed(lists, of: total) }.min { $0.rows < $1.rows }
    case .any(let tests):
      let listed = tests.map { $0.listed(lists, of: total) }
      if listed.allSatisfy({ $0 == nil }) { return nil }
      return zip(tests, listed).reduce((0, 0)) { sum, next in
        // Without a list, each of its values has one row; a range has a part of the rows.
        let count = next.0.valueCount.map(Double.init) ?? 0.3 * total
        return (sum.0 + (next.1?.values ?? count), sum.1 + (next.1?.rows ?? count))
      }
    case .equal, .isNull, .isPresent, .bound, .isIn, .begins, .beginsLike, .beginsMatching,
      .hasElement, .part:
      return nil
    }
  }
}
