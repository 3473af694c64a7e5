internal import ORMStorage

/// Access paths of one key or index.
extension Planner {
  /// One access path with its plan.
  struct Candidate {
    var access = Plan.KeyAccess()
    /// The parts of the condition that the key answers.
    var used: Set<Int> = []
    var order = KeyOrder.Match.no
    /// The degree to which the key is pinned down; greater is better.
    var rank = 0
    /// True if at most one row is left.
    var isSingle = false
    /// True if the request needs only the first or last entry of the range.
    var isExtreme = false
    /// True if entries hold all requested values, so that no row is read.
    var isCovering = false
    /// True if rows come group by group, in their order.
    var isGrouped = false
  }

  /// The most ranges that are made of several lists of values.
  private static let largestProduct = 4096

  /// The best access path by one key or index.
  var bestCandidate: Candidate {
    var best = candidate(terms: entity.key.terms, index: nil)
    for (number, index) in entity.indexes.enumerated() {
      let other = candidate(terms: index.terms, index: number)
      guard isUsable(other, index) else { continue }
      if isBetter(other, than: best) { best = other }
    }
    return best
  }

  /// An index of elements holds neither all rows nor each of them once, unless an element is named.
  func isUsable(_ candidate: Candidate, _ index: IndexStorage) -> Bool {
    guard index.hasElements else { return true }
    return candidate.access.part.points.contains { $0.form == .elements }
  }

  private func isBetter(_ a: Candidate, than b: Candidate) -> Bool {
    if a.isSingle || b.isSingle { return !b.isSingle }
    if a.isExtreme || b.isExtreme { return !b.isExtreme }
    if a.rank != b.rank { return a.rank > b.rank }
    if (a.order != .no) != (b.order != .no) { return a.order != .no && isOrderWorthIt(a) }
    // Rows that are read one after another cost less than entries, but not less than no rows.
    return a.isCovering && !b.isCovering && (b.access.index != nil || b.rank == 0)
  }

  /// Returns whether reading every row through an index, only for the order, costs less than
  /// sorting: not when most rows are thrown away and all of them are asked for.
  private func isOrderWorthIt(_ candidate: Candidate) -> Bool {
    if candidate.access.index == nil || candidate.rank > 0 { return true }
    return shape.isLimited || candidate.used.count == parts.count
  }

  func candidate(terms: [KeyTerm], index: Int?) -> Candidate {
    var candidate = Candidate()
    candidate.access.index = index
    let suffix = index.map { entity.indexes[$0].suffix.terms } ?? []
    let all = terms + suffix
    /// The number of terms that have one value, before any that has several; and the others that
    /// have one.
    var pinned = 0
    var others: [KeyTerm] = []
    var product = 1
    while candidate.access.part.points.count < all.count {
      let position = candidate.access.part.points.count
      if let point = part(all[position], \.isPoint) {
        if pinned == position { pinned += 1 } else { others.append(all[position]) }
        add(point, to: &candidate, rank: 4)
      } else if let joint = joint(at: all[position...]) {
        candidate.access.part.points += joint.constraints
        candidate.access.part.conditions.append(parts[joint.part])
        candidate.used.insert(joint.part)
        candidate.rank += 3 * joint.constraints.count
      } else if position + 1 < all.count, all[position].form != .elements,
        let list = part(all[position], \.isPoints), let count = list.constraint.valueCount,
        count <= Self.largestProduct / product,
        part(all[position + 1], { _ in true }) != nil
      {
        product *= count
        add(list, to: &candidate, rank: 3)
      } else {
        break
      }
    }
    let position = candidate.access.part.points.count
    var hasPoints = false
    if position < all.count { hasPoints = addRanges(of: all[position], to: &candidate) }
    if index == nil {
      candidate.isSingle = pinned == all.count
      candidate.access.part.isKeys =
        position == all.count || (hasPoints && position == all.count - 1)
      // Single rows beat any range.
      if candidate.access.part.isKeys { candidate.rank = .max }
    } else if let index, pinned >= terms.count {
      let points = candidate.access.part.points.prefix(terms.count)
      candidate.isSingle =
        pinned == all.count
        || (entity.indexes[index].index.isUnique && points.allSatisfy(\.excludesNull)
          && !entity.indexes[index].hasElements)
    }
    if position < all.count, pinned == position { markExtreme(all[position], &candidate) }
    candidate.isCovering = index.map { isCovering(candidate, entity.indexes[$0]) } ?? false
    let first = pinned < position ? [candidate.access.part.points[pinned]] : nil
    let order = KeyOrder(
      all, pinned: pinned, others: others, ranges: first ?? candidate.access.part.ranges, entity)
    candidate.order =
      candidate.isSingle ? .forwards : order.match(shape.sort, isUnordered: isUnordered)
    if let groupOrder = shape.groupOrder(entity) {
      let match = order.match(groupOrder, isUnordered: false)
      candidate.isGrouped = match != .no
      // A page of groups is worth their order; for all of them any will do.
      if candidate.isGrouped || (shape.isLimited && shape.wantsAllGroups) {
        candidate.order = match
      }
    }
    return candidate
  }

  /// Notes that the ends tell all, where they do: all conditions are answered, and the attribute is
  /// the next term.
  private func markExtreme(_ term: KeyTerm, _ candidate: inout Candidate) {
    guard let extremeColumn, extremeColumn == Int(term.field.column), term.form == .value,
      candidate.used.count == parts.count, !candidate.access.part.isKeys
    else { return }
    candidate.isExtreme = true
    // Nil is not counted.
    if term.isTagged {
      let column = entity.layout.entity.columns[extremeColumn]
      let isPresent = Condition.not(
        .compare(.attribute(column.attribute), .equal, .value(.null), []))
      guard let constraint = TermConstraint(isPresent, entity) else { return }
      candidate.access.part.ranges.append(constraint)
      candidate.access.part.conditions.append(isPresent)
    }
  }

  /// Returns whether the entries of an index hold the requested values and those of the remaining tests.
  private func isCovering(_ candidate: Candidate, _ index: IndexStorage) -> Bool {
    switch shape.output {
    case .rows, .joined: return false
    case .values, .aggregates, .groups: break
    }
    var columns = shape.output.operands.map { TermConstraint.column($0, entity) }
    for number in parts.indices where !candidate.used.contains(number) {
      guard let names = parts[number].ownAttributes else { return false }
      columns += names.map { TermConstraint.column(.attribute($0), entity) }
    }
    if columns.isEmpty { return false }
    return columns.allSatisfy { column in
      guard let column else { return false }
      return index.terms.contains { Int($0.field.column) == column && $0.form == .value }
        || entity.key.terms.contains { Int($0.field.column) == column }
    }
  }

  private func add(
    _ point: (part: Int, constraint: TermConstraint), to candidate: inout Candidate, rank: Int
  ) {
    candidate.access.part.points.append(point.constraint)
    candidate.access.part.conditions.append(parts[point.part])
    if point.constraint.isExact { candidate.used.insert(point.part) }
    candidate.rank += rank
  }

  /// Adds all that is said of a term; whether single values of it are left.
  private func addRanges(of term: KeyTerm, to candidate: inout Candidate) -> Bool {
    guard term.form != .elements else { return false }
    var said = constraints.indices.filter { number in
      guard let constraint = constraints[number] else { return false }
      return !candidate.used.contains(number) && answers(term, constraint)
    }
    // A constraint weaker than its part is worth a range only without any other.
    let exact = said.filter { constraints[$0]?.isExact == true }
    if !exact.isEmpty { said = exact }
    var sides = (lower: false, upper: false)
    var hasPoints = false
    for number in said {
      guard let constraint = constraints[number] else { continue }
      candidate.access.part.ranges.append(constraint)
      candidate.access.part.conditions.append(parts[number])
      if constraint.isExact { candidate.used.insert(number) }
      sides = (
        sides.lower || constraint.sides.lower, sides.upper || constraint.sides.upper
      )
      if constraint.isPoints { hasPoints = true }
    }
    if !candidate.access.part.ranges.isEmpty {
      candidate.rank += hasPoints ? 3 : (sides.lower && sides.upper ? 2 : 1)
    }
    return hasPoints
  }

  /// Returns the constraints of one part on the first terms together, in the order of the terms.
  private func joint(
    at terms: ArraySlice<KeyTerm>
  ) -> (part: Int, constraints: [TermConstraint])? {
    for (part, constraints) in joint where constraints.count <= terms.count {
      let sorted = terms.prefix(constraints.count).compactMap { term in
        constraints.first { answers(term, $0) }
      }
      if sorted.count == constraints.count { return (part, sorted) }
    }
    return nil
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
}
