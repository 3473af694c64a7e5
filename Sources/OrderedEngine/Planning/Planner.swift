internal import ORMStorage

/// Chooses how a request is answered: a pure function of the shape and of the entity's keys.
///
/// Of the primary key and the indexes it takes the one whose leading terms the condition pins
/// down most; among equals one that gives the order asked for, then the primary key, which needs no
/// look-up of rows. Where one of several alternatives must hold, each may be found by a key or
/// index of its own.
struct Planner {
  let entity: EntityStorage
  let shape: FetchShape
  /// The parts of the condition that must all hold, each with its constraint on one attribute.
  let parts: [Condition]
  let constraints: [TermConstraint?]
  /// The parts that look for several attributes together, with their constraints on each.
  let joint: [(part: Int, constraints: [TermConstraint])]

  /// The plan for a shape.
  static func plan(_ shape: FetchShape, _ entity: EntityStorage) -> Plan {
    if shape.condition == .constant(false) || entity.keyspace == nil {
      return Plan(access: .nothing, residual: .constant(true), isOrdered: true)
    }
    return Planner(shape, entity, shape.condition.parts).best()
  }

  init(_ shape: FetchShape, _ entity: EntityStorage, _ parts: [Condition]) {
    self.shape = shape
    self.entity = entity
    self.parts = parts
    constraints = parts.map { TermConstraint($0, entity) }
    joint = parts.enumerated().compactMap { number, part in
      TermConstraint.parts(part, entity).map { (number, $0) }
    }
  }

  /// The best when nothing is known of the rows.
  func best() -> Plan {
    let single = bestCandidate
    var best = plan(single)
    if single.isSingle || single.isExtreme { return best }
    var rank = single.rank
    for union in unions(beside: single) {
      let isExacter = union.isOneRange && union.plan.isOrdered == best.isOrdered
      guard union.rank > rank || (union.rank == rank && isExacter) else { continue }
      best = union.plan
      rank = union.rank
    }
    return best
  }

  func plan(_ candidate: Candidate) -> Plan {
    Plan(
      access: .one(candidate.access), residual: residual(candidate.used),
      isReversed: candidate.order == .reversed, isOrdered: candidate.order != .no,
      isExtreme: candidate.isExtreme, isGrouped: candidate.isGrouped)
  }

  /// Returns the condition that is left to be tested when some parts are certain.
  func residual(_ used: Set<Int>) -> Condition {
    let rest = parts.indices.filter { !used.contains($0) }.map { parts[$0] }
    return rest.isEmpty ? .constant(true) : (rest.count == 1 ? rest[0] : .all(rest))
  }

  /// The attribute whose least or greatest value alone is asked for, by its column in the file.
  var extremeColumn: Int? {
    guard case .aggregates(let aggregates) = shape.output, let operand = aggregates.first?.operand,
      aggregates.allSatisfy({
        $0.operand == operand && ($0.kind == .minimum || $0.kind == .maximum)
      })
    else { return nil }
    return TermConstraint.column(operand, entity)
  }

  /// True if any order will do: aggregates and groups do not depend on it.
  var isUnordered: Bool {
    switch shape.output {
    case .aggregates, .groups: true
    case .rows, .values, .joined: false
    }
  }
}
