internal import ORMCore

/// Chooses how a request is answered: a pure function of the shape and of the entity's keys.
///
/// Of the primary key and the indexes it takes the one whose leading terms the condition pins
/// down most; among equals one that gives the order asked for, then the primary key, which needs no
/// look-up of rows.
struct Planner {
  private let entity: EntityStorage
  private let shape: FetchShape
  /// The parts of the condition that must all hold, and what each says of one attribute.
  private let parts: [Condition]
  private let constraints: [TermConstraint?]

  /// The plan for a shape.
  static func plan(_ shape: FetchShape, _ entity: EntityStorage) -> Plan {
    if shape.condition == .constant(false) || entity.space == nil {
      return Plan(access: .nothing, residual: .constant(true), isOrdered: true)
    }
    return Planner(shape, entity).best()
  }

  private init(_ shape: FetchShape, _ entity: EntityStorage) {
    self.shape = shape
    self.entity = entity
    parts =
      switch shape.condition {
      case .constant(true): []
      case .all(let parts): parts
      default: [shape.condition]
      }
    constraints = parts.map { TermConstraint($0, entity) }
  }

  /// One way to answer.
  private struct Candidate {
    var index: Int?
    var part = Plan.KeyPart()
    /// The parts of the condition that the key answers.
    var used: Set<Int> = []
    var order = KeyOrder.Match.no
    /// How much of the key is pinned down; greater is better.
    var rank = 0
    /// Whether at most one row is left.
    var isSingle = false
  }

  private func best() -> Plan {
    var best = candidate(terms: entity.key.terms, index: nil)
    for (number, index) in entity.indexes.enumerated() {
      let other = candidate(terms: index.terms, index: number)
      guard isUsable(other, index) else { continue }
      if isBetter(other, than: best) { best = other }
    }
    return plan(best)
  }

  private func plan(_ candidate: Candidate) -> Plan {
    let rest = parts.indices.filter { !candidate.used.contains($0) }.map { parts[$0] }
    let residual: Condition =
      rest.isEmpty ? .constant(true) : (rest.count == 1 ? rest[0] : .all(rest))
    let access: Plan.Access =
      if let index = candidate.index { .index(index, candidate.part) } else {
        .key(candidate.part)
      }
    return Plan(
      access: access, residual: residual, isReversed: candidate.order == .reversed,
      isOrdered: candidate.order != .no)
  }

  /// An index of elements holds neither all rows nor each of them once, unless an element is named.
  private func isUsable(_ candidate: Candidate, _ index: IndexStorage) -> Bool {
    index.hasElements ? !candidate.part.points.isEmpty : true
  }

  private func isBetter(_ a: Candidate, than b: Candidate) -> Bool {
    if a.isSingle || b.isSingle { return !b.isSingle }
    if a.rank != b.rank { return a.rank > b.rank }
    if (a.order != .no) != (b.order != .no) { return a.order != .no && isOrderWorthIt(a) }
    return false
  }

  /// Whether reading every row through an index, only for the order, costs less than sorting: not
  /// when most rows are thrown away and all of them are asked for.
  private func isOrderWorthIt(_ candidate: Candidate) -> Bool {
    if candidate.index == nil || candidate.rank > 0 { return true }
    return shape.isLimited || candidate.used.count == parts.count
  }

  private func candidate(terms: [KeyTerm], index: Int?) -> Candidate {
    var candidate = Candidate(index: index)
    let suffix = index.map { entity.indexes[$0].suffix.terms } ?? []
    let all = terms + suffix
    var position = 0
    while position < all.count, let point = part(all[position], \.isPoint) {
      candidate.part.points.append(point.constraint)
      candidate.used.insert(point.part)
      candidate.part.conditions.append(parts[point.part])
      position += 1
    }
    candidate.rank = position * 4
    var hasPoints = false
    if position < all.count {
      hasPoints = addRanges(of: all[position], to: &candidate)
    }
    if index == nil {
      candidate.isSingle = position == all.count
      candidate.part.isKeys =
        candidate.isSingle || (hasPoints && position == all.count - 1)
      // Single rows beat any range.
      if candidate.part.isKeys { candidate.rank = .max }
    } else if let index, position >= terms.count {
      let pinned = candidate.part.points.prefix(terms.count)
      candidate.isSingle =
        position == all.count
        || (entity.indexes[index].index.isUnique && pinned.allSatisfy(\.excludesNull)
          && !entity.indexes[index].hasElements)
    }
    let order = KeyOrder(all, pinned: position, candidate.part.ranges, entity)
    candidate.order =
      candidate.isSingle ? .forwards : order.match(shape.sort, isUnordered: isUnordered)
    return candidate
  }

  /// Adds all that is said of a term; whether single values of it are left.
  private func addRanges(of term: KeyTerm, to candidate: inout Candidate) -> Bool {
    guard term.form != .elements else { return false }
    var sides = (lower: false, upper: false)
    var hasPoints = false
    for (number, constraint) in constraints.enumerated() {
      guard let constraint, !candidate.used.contains(number), answers(term, constraint) else {
        continue
      }
      candidate.part.ranges.append(constraint)
      candidate.part.conditions.append(parts[number])
      candidate.used.insert(number)
      sides = (
        sides.lower || constraint.sides.lower, sides.upper || constraint.sides.upper
      )
      if constraint.isPoints { hasPoints = true }
    }
    if !candidate.part.ranges.isEmpty {
      candidate.rank += hasPoints ? 3 : (sides.lower && sides.upper ? 2 : 1)
    }
    return hasPoints
  }

  private func part(
    _ term: KeyTerm, _ isWanted: (TermConstraint) -> Bool
  ) -> (part: Int, constraint: TermConstraint)? {
    for (number, constraint) in constraints.enumerated() {
      if let constraint, isWanted(constraint), answers(term, constraint) {
        return (number, constraint)
      }
    }
    return nil
  }

  private func answers(_ term: KeyTerm, _ constraint: TermConstraint) -> Bool {
    constraint.column == Int(term.field.column)
      && (constraint.form.map { $0 == term.form } ?? (term.form != .elements))
  }

  /// Whether any order will do: aggregates do not depend on it.
  private var isUnordered: Bool {
    if case .aggregates = shape.output { true } else { false }
  }
}
