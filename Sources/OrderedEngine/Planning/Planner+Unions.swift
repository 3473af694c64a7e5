internal import ORMStorage

/// Access paths of several keys or indexes, one for each of several alternatives.
extension Planner {
  /// The most alternatives that are looked for separately.
  private static let mostAlternatives = 256
  /// The most parts with alternatives that are planned for; each alternative takes a plan.
  private static let mostParts = 16
  /// The most alternatives that are merged: each row is chosen among one of each.
  private static let mostMerged = 16

  /// A plan that answers by alternatives.
  struct Union {
    var plan: Plan
    /// The degree to which the least bounded of them pins down its key.
    var rank: Int
    /// True if they are ranges of one key or index that say all that the alternatives do.
    var isOneRange: Bool
  }

  /// Returns the unions for parts that are alternatives and that one key or index does not answer
  /// whole.
  func unions(beside single: Candidate) -> [Union] {
    let alternatives = parts.indices.lazy.compactMap { number -> (Int, [Condition])? in
      guard !single.used.contains(number), case .any(let branches) = parts[number],
        branches.count <= Self.mostAlternatives, branches.allSatisfy(narrows)
      else { return nil }
      return (number, branches)
    }
    return alternatives.prefix(Self.mostParts).compactMap { union(of: $1, $0) }
  }

  /// Returns true if an alternative can narrow a key or an index.
  private func narrows(_ alternative: Condition) -> Bool {
    alternative.parts.contains {
      TermConstraint($0, entity) != nil || TermConstraint.parts($0, entity) != nil
    }
  }

  private func union(of alternatives: [Condition], _ number: Int) -> Union? {
    let rest = parts.indices.filter { $0 != number }
    var branches: [Candidate] = []
    var shared = Set(rest)
    var isExact = true
    for alternative in alternatives {
      let own = alternative.parts
      let planner = Planner(shape, entity, own + rest.map { parts[$0] })
      let branch = planner.bestCandidate
      // An alternative that narrows nothing of its own would have the same rows as the others.
      guard branch.access.part.isBounded, planner.isNarrowed(branch, by: own.count) else {
        return nil
      }
      if !branch.used.isSuperset(of: own.indices) { isExact = false }
      for (i, part) in rest.enumerated() where !branch.used.contains(own.count + i) {
        shared.remove(part)
      }
      branches.append(branch)
    }
    guard let rank = branches.map(\.rank).min() else { return nil }
    if isExact { shared.insert(number) }
    let (joining, order) = joining(&branches)
    let plan = Plan(
      access: .union(branches.map(\.access), joining), residual: residual(shared),
      isReversed: order == .reversed, isOrdered: order != .no)
    return Union(plan: plan, rank: rank, isOneRange: isExact && joining == .ranges)
  }

  /// Returns whether an access is narrowed by one of the first parts.
  private func isNarrowed(_ candidate: Candidate, by count: Int) -> Bool {
    candidate.access.part.conditions.contains { parts.prefix(count).contains($0) }
  }

  /// Returns the method that makes one sequence of the branches, and the order of that sequence.
  private func joining(_ branches: inout [Candidate]) -> (Plan.Joining, KeyOrder.Match) {
    let key = KeyOrder(entity.key.terms, entity)
    let byKey = key.match(shape.sort, isUnordered: isUnordered)
    let index = branches[0].access.index
    if branches.allSatisfy({ $0.access.index == index }),
      index.map({ !entity.indexes[$0].hasElements }) ?? true
    {
      let terms = index.map { entity.indexes[$0].terms + entity.indexes[$0].suffix.terms }
      let order = KeyOrder(terms ?? entity.key.terms, entity)
        .match(shape.sort, isUnordered: isUnordered)
      if order != .no || !canMerge(branches) {
        for number in branches.indices { branches[number].access.part.isKeys = false }
        return (.ranges, order)
      }
    }
    // Without a limit all keys are wanted, and in their own order they cost less than a merge.
    if canMerge(branches), byKey == .no || shape.isLimited {
      for number in branches.indices {
        branches[number].access.isReversed = branches[number].order == .reversed
      }
      return (.merge, .forwards)
    }
    return (.union, byKey)
  }

  private func canMerge(_ branches: [Candidate]) -> Bool {
    !isUnordered && branches.count <= Self.mostMerged && branches.allSatisfy { $0.order != .no }
  }
}
