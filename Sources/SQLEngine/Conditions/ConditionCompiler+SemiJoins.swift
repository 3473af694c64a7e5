internal import ORMStorage

/// Conditions on related rows as semi-joins driven from the inner side.
///
/// The related rows that satisfy the condition are found first, by a key or index, and then the
/// rows that lead to them.
///
/// `team.name == "Reds"` is `team_id IN (SELECT id FROM team WHERE name = ?)`, which the engine may
/// answer in either of two manners. It looks up each of the teams in an index on `team_id`, or it
/// tests for each player whether the team is among those found. The teams are found once in both. A
/// subquery that names the player has the engine look at every player.
extension ConditionCompiler {
  /// Notes the bound that a condition puts on the request's own rows, which decides whether a
  /// semi-join is driven from the inner side.
  mutating func noteOuterBounds(_ condition: Condition) {
    outerBounds = bounds(of: condition.allParts, on: 0, table)
  }

  /// Returns whether a request looks at every row: no key or index bounds them, nor do rows that lead
  /// to them.
  func readsEveryRow(_ condition: Condition) throws -> Bool {
    let parts = condition.allParts
    return try bounds(of: parts, on: 0, table) == .nothing
      && !parts.contains { part in
        guard let semiJoin = SemiJoin(part) else { return false }
        return try isDriven(semiJoin, beside: .nothing)
      }
  }

  /// Returns whether a semi-join is driven from the inner side, beside the bounds of the request's own
  /// rows.
  private func isDriven(_ semiJoin: SemiJoin, beside outer: Bounds) throws -> Bool {
    guard semiJoin.steps.count <= RelatedRows.longestAggregate, let last = semiJoin.steps.last,
      // The condition on the inner rows names no row outside the subquery.
      semiJoin.condition.names(nothingBut: last.scope),
      // The join of a path round a cycle grows with every round.
      try repeatingSteps(of: RelatedPath(RelatedRows(semiJoin.steps), semiJoin.condition)).isEmpty
    else { return false }
    return try isCheaper(semiJoin, beside: outer)
  }

  /// Returns the condition as a semi-join driven from the inner side.
  ///
  /// The result is nil if the condition is no semi-join, or if keys and indexes do not show that
  /// the inner side is cheaper.
  mutating func invertedSemiJoin(_ condition: Condition) throws -> Text? {
    guard let outer = outerBounds, scopes.count == 1, let semiJoin = SemiJoin(condition),
      try isDriven(semiJoin, beside: outer)
    else { return nil }
    let before = (evaluations, relatedTexts, relatedPlaceholders)
    let text = try keyList(of: semiJoin)
    relatedPlaceholders += text.text.placeholderCount
    let limits = dialect.limits
    if text.nesting > limits.nesting || text.height > limits.height
      || relatedPlaceholders > limits.parameters / 4
    {
      (evaluations, relatedTexts, relatedPlaceholders) = before
      return nil
    }
    return text
  }

  private mutating func keyList(of semiJoin: SemiJoin) throws -> Text {
    let outer = (scopes, outerBounds, isOutermost)
    defer { (scopes, outerBounds, isOutermost) = outer }
    outerBounds = nil
    isOutermost = false
    let first = semiJoin.steps[0]
    let own = try semiJoin.ownAttributes.map { text(try position(of: Operand.Path([$0])), of: 0) }
    for step in semiJoin.steps { try enter(step) }
    let values = try first.links.map { link in
      text(try position(of: Operand.Path([link.attribute], scope: first.scope)), of: first.scope)
    }
    let source = try innerSource(semiJoin)
    let names = own.joined(separator: ", ")
    let subject: SQLText = own.count == 1 ? names : "(\(names))"
    return Text(
      text: "\(subject) IN (SELECT \(values.joined(separator: ", ")) \(source.text))",
      canBeNull: true, nesting: source.nesting + Self.subqueryNesting,
      height: source.height + 3)
  }

  /// Returns the rows of a semi-join's steps, joined from those of the last step back.
  private mutating func innerSource(_ semiJoin: SemiJoin) throws -> Source {
    guard let last = semiJoin.steps.last else { throw Self.noScope }
    var joins: SQLText = ""
    for (step, next) in zip(semiJoin.steps, semiJoin.steps.dropFirst()).reversed() {
      joins.append(try join(step, onThatOf: next))
    }
    return try source(from: last, isTied: false, joins, semiJoin.condition)
  }

  /// Returns whether driving from the inner side is cheaper: its rows are found by a key or index,
  /// and by a tighter bound than the request's own rows.
  private func isCheaper(_ semiJoin: SemiJoin, beside outer: Bounds) throws -> Bool {
    guard let last = semiJoin.steps.last, outer < .single else { return false }
    let parts = if case .all(let parts) = semiJoin.condition { parts } else { [semiJoin.condition] }
    let inner = bounds(of: parts, on: last.scope, try schema.table(last.entity))
    if inner == .nothing { return false }
    if inner == .range {
      // The number of rows in a range is unknown: a to-one leads many rows to few.
      guard outer < .values, try semiJoin.steps.allSatisfy(isToOne) else { return false }
    }
    var before = table
    for (number, step) in semiJoin.steps.enumerated() {
      let stepTable = try schema.table(step.entity)
      for link in step.links {
        guard let own = stepTable.entity.column(ofAttribute: link.attribute),
          let other = before.entity.column(ofAttribute: link.other.names[0])
        else { return false }
        let kind = stepTable.entity.columns[own].type.kind
        guard kind == before.entity.columns[other].type.kind, dialect.comparesEqual(kind, kind)
        else { return false }
      }
      // From the inner side, rows are found by the columns that lead on from them.
      if number > 0 {
        let columns = step.links.compactMap {
          before.entity.column(ofAttribute: $0.other.names[0]).map { before.columnIndexes[$0] }
        }
        guard before.beginsAccess(with: columns) else { return false }
      }
      before = stepTable
    }
    return true
  }

  /// Returns whether a step's rows are found by their whole key, so that each row leads to one at
  /// most.
  func isToOne(_ step: RelatedRows.Step) throws -> Bool {
    let entity = try schema.table(step.entity).entity
    let linked = step.links.compactMap { entity.column(ofAttribute: $0.attribute) }
    return entity.key.allSatisfy(linked.contains)
  }
}

/// Bounds on the rows that a condition leaves, according to the keys and indexes of a table.
extension ConditionCompiler {
  enum Bounds: Int, Comparable {
    /// Every row may be looked at.
    case nothing
    /// A range of a key or index.
    case range
    /// Those of some values of a key or index.
    case values
    /// Single rows.
    case single

    static func < (a: Bounds, b: Bounds) -> Bool { a.rawValue < b.rawValue }
  }

  /// The best that a key or index makes of conditions that must all hold.
  private func bounds(of parts: [Condition], on scope: Int, _ table: SQLTable) -> Bounds {
    var best = Bounds.nothing
    var said: [SQLTable.Term: Bounds] = [:]
    for part in parts {
      if case .any(let alternatives) = part {
        // Each alternative has its own.
        let all = alternatives.map { bounds(of: $0.allParts, on: scope, table) }
        best = max(best, min(all.min() ?? .nothing, .values))
      } else if let (term, bound) = bound(part, on: scope, table) {
        said[term] = max(said[term] ?? .nothing, bound)
      }
    }
    for access in table.accesses {
      if access.isUnique, access.terms.allSatisfy({ said[$0] == .values }) { return .single }
      best = max(best, said[access.terms[0]] ?? .nothing)
    }
    return best
  }

  /// Returns the bound that a condition puts on a column or on its folded texts; nil if there is
  /// none.
  private func bound(
    _ condition: Condition, on scope: Int, _ table: SQLTable
  ) -> (SQLTable.Term, Bounds)? {
    func term(_ operand: Operand, _ options: TextOptions) -> SQLTable.Term? {
      guard case .path(let path) = operand, path.scope == scope, path.names.count == 1,
        let position = table.entity.column(ofAttribute: path.names[0]),
        options.isEmpty || options == .caseInsensitive
      else { return nil }
      let kind = table.entity.columns[position].type.kind
      guard dialect.comparesEqual(kind, kind) else { return nil }
      return SQLTable.Term(
        column: table.columnIndexes[position], form: options.isEmpty ? .value : .caseFolded)
    }
    switch condition {
    case .compare(let left, let comparator, .parameter, let options) where comparator != .notEqual:
      return term(left, options).map { ($0, comparator == .equal ? .values : .range) }
    case .compare(.parameter, let comparator, let right, let options) where comparator != .notEqual:
      return term(right, options).map { ($0, comparator == .equal ? .values : .range) }
    case .isIn(let element, .parameterList, let options):
      return term(element, options).map { ($0, .values) }
    case .text(let text, .beginsWith, .parameter, let options):
      return term(text, options).map { ($0, .range) }
    case .text(let text, .like, .parameter, let options),
      .text(let text, .matches, .parameter, let options) where options.isEmpty:
      return term(text, options).map { ($0, .range) }
    default: return nil
    }
  }
}

extension SQLTable {
  /// A column in one form, as keys and indexes have it.
  fileprivate struct Term: Hashable {
    var column: Int
    var form: StoredIndex.Form
  }

  /// Returns whether the primary key or an index begins with one of some columns.
  func beginsAccess(with columns: [Int]) -> Bool {
    accesses.contains { $0.terms[0].form == .value && columns.contains($0.terms[0].column) }
  }

  /// The primary key and the indexes, as the terms that order them.
  fileprivate var accesses: [(terms: [Term], isUnique: Bool)] {
    let key = stored.key.map { Term(column: $0, form: .value) }
    let others = indexes.map { index in
      (index.stored.terms.map { Term(column: $0.column, form: $0.form) }, index.stored.isUnique)
    }
    return ([(key, true)] + others).filter { !$0.terms.isEmpty }
  }
}

extension Condition {
  /// The parts that must all hold.
  fileprivate var allParts: [Condition] { if case .all(let parts) = self { parts } else { [self] } }

  /// Returns whether the condition is about the rows of one scope alone, without any related to
  /// them.
  fileprivate func names(nothingBut scope: Int) -> Bool {
    var leaves = FrameLeaves()
    leaves.add(self)
    return leaves.leaves.allSatisfy { leaf in
      if case .path(let path) = leaf { path.scope == scope } else { false }
    }
  }
}
