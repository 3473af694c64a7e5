internal import ORMStorage

/// Tables that are joined to the rows that a statement is about: one row at most for each of them.
struct OuterJoins {
  /// The scope by which the text names the joined rows of a step, by the step without its scope.
  fileprivate var scopes: [RelatedRows.Step: Int] = [:]
  /// The aggregates over the rows behind a to-one, and the existence of such rows, by their keys.
  fileprivate var aggregates: [ConditionCompiler.RelatedKey: ConditionCompiler.Related] = [:]
  /// The words of the joins, one after another.
  fileprivate(set) var text: SQLText = ""
  /// True if aggregates may be joined, which are worked out for all rows that there are.
  var sharesAggregates = false
  /// True if it may be joined whether a to-one leads to rows.
  ///
  /// For a page it may not: a subquery ends with the first row, and a page with its last.
  fileprivate let sharesPresence: Bool
  /// The scopes whose rows are those of another scope's table, which names them.
  fileprivate(set) var aliases: [Int: Int] = [:]

  /// True if attributes of to-ones may be joined.
  fileprivate let joinsToOnes: Bool

  /// No joins yet.
  init(sharesAggregates: Bool = false, isPage: Bool = false, joinsToOnes: Bool = true) {
    self.sharesAggregates = sharesAggregates
    sharesPresence = sharesAggregates && !isPage
    self.joinsToOnes = joinsToOnes
  }

  /// True if nothing is joined.
  var isEmpty: Bool { scopes.isEmpty && aggregates.isEmpty }
  /// The number of tables.
  fileprivate var count: Int { scopes.count + aggregates.count }

  /// The most tables: engines try out every sequence of a few, and bound their number.
  fileprivate static let most = 8
}

/// Values of the targets of to-ones, by joins.
///
/// `team.name` of a player is a column of `LEFT JOIN team ON team.id = player.team_id`. An engine
/// may make that by hashing the teams once, by an index, or from the teams on. A subquery that
/// names the player is run for each of them. Every path through the same to-one shares one join.
extension ConditionCompiler {
  /// The attribute of the one row that to-ones lead to, from a join with the statement's own rows; nil
  /// if the text is in no clause to which they can be joined.
  ///
  /// Only an attribute of that row is null where there is no row.
  mutating func joined(
    _ operand: Operand, _ rows: RelatedRows, _ key: RelatedKey
  ) throws -> Related? {
    guard isOutermost, let before = joins, before.joinsToOnes, case .path(let path) = operand,
      path.scope == rows.scope, isChain(rows), try rows.steps.allSatisfy(isOneRow),
      before.count + rows.steps.count <= OuterJoins.most
    else { return nil }
    let outer = (scopes, outerBounds)
    defer { (scopes, outerBounds) = outer }
    outerBounds = nil
    var names: [Int: Int] = [:]
    for step in rows.steps {
      var known = step
      known.scope = 0
      known.links = step.links.map { link in
        var other = link.other
        other.scope = names[other.scope] ?? other.scope
        return RelatedRows.Link(link.attribute, equals: other)
      }
      try enter(step)
      if let scope = joins?.scopes[known] {
        names[step.scope] = scope
        let name = alias(scope)
        scopes[step.scope]?.naming = .alias(name)
        if scope != step.scope { joins?.aliases[step.scope] = scope }
        continue
      }
      names[step.scope] = step.scope
      guard let join = try leftJoin(step) else {
        joins = before
        return nil
      }
      joins?.scopes[known] = step.scope
      joins?.text.append(join)
    }
    return try value(operand, isFolded: key.isFolded)
  }

  /// Returns whether each step leads on from the one before.
  ///
  /// Then there is no row of the last without one of each. A value inside of a path may lead on from an
  /// earlier row, and is null all the same if the path leads nowhere.
  private func isChain(_ rows: RelatedRows) -> Bool {
    zip(rows.steps, rows.steps.dropFirst()).allSatisfy { before, step in
      step.links.contains { $0.other.scope == before.scope }
    }
  }

  /// Returns whether a row leads to one row of a step at most.
  private func isOneRow(_ step: RelatedRows.Step) throws -> Bool {
    if try isToOne(step) { return true }
    let table = try schema.table(step.entity)
    let linked = step.links.compactMap { link in
      table.entity.column(ofAttribute: link.attribute).map { table.columnIndexes[$0] }
    }
    return table.indexes.contains { index in
      index.stored.isUnique
        && index.stored.terms.allSatisfy { $0.form == .value && linked.contains($0.column) }
    }
  }

  /// The words that join a step that was entered; nil where the engine does not compare its links.
  private mutating func leftJoin(_ step: RelatedRows.Step) throws -> SQLText? {
    let count = evaluations.count
    var ties = try ties(of: step)
    guard evaluations.count == count else { return nil }
    if countsRows { ties.append(Text(text: try rowCount(of: step.scope), canBeNull: false)) }
    return " LEFT JOIN \(try aliasedTable(of: step)) ON \(Self.joined(ties, " AND ").text)"
  }

  // MARK: Aggregates

  /// An aggregate over the rows that a to-one leads to, such as those of a row's siblings, or
  /// whether there are any.
  ///
  /// It is worked out once for each row of the to-one and joined; nil where that is no gain.
  ///
  /// `genre.tracks.max { … }` is the same for every track of a genre. A subquery that names the track
  /// reads all tracks of the genre for each of them.
  mutating func joinedAggregate(_ key: RelatedKey) throws -> Related? {
    guard isOutermost, let before = joins, before.count < OuterJoins.most,
      let shared = SharedRows(key.leaf), case let rows = shared.rows,
      shared.total == nil ? before.sharesPresence : before.sharesAggregates,
      // A join is worked out for rows that are not selected too, whose overflow is no error.
      !key.throwsOverflow || !shared.mayOverflow,
      let first = rows.steps.first, rows.steps.count > 1,
      rows.steps.count <= RelatedRows.longestAggregate, try isOneRow(first),
      try linksCompare(first), isIndependent(rows, shared.total?.operand, shared.condition)
    else { return nil }
    if shared.total == nil {
      // The join of a path round a cycle grows with every round.
      guard try repeatingSteps(of: RelatedPath(rows, shared.condition)).isEmpty else { return nil }
    }
    if let known = before.aggregates[key] { return known }
    let parts = (evaluations, relatedTexts, relatedPlaceholders)
    let own = try first.links.map { text(try position(of: $0.other), of: $0.other.scope) }
    let related = try joined(shared, from: first, own, as: "a\(before.aggregates.count + 1)")
    relatedPlaceholders += (joins?.text.placeholderCount ?? 0) - before.text.placeholderCount
    let limits = dialect.limits
    if related.nesting > limits.nesting || related.height > limits.height
      || relatedPlaceholders > limits.parameters / 4
    {
      (evaluations, relatedTexts, relatedPlaceholders) = parts
      joins = before
      return nil
    }
    joins?.aggregates[key] = related
    return related
  }

  /// Joins rows, grouped by the columns that tie their first step to the rows around.
  private mutating func joined(
    _ shared: SharedRows, from first: RelatedRows.Step, _ own: [SQLText], as alias: String
  ) throws -> Related {
    let name = self.name(alias)
    let column = try shared.whole.map { try resultColumn(of: $0) }
    return try inside(shared.rows) { compiler in
      let keys = try first.links.map { link in
        let path = Operand.Path([link.attribute], scope: first.scope)
        return compiler.text(try compiler.position(of: path), of: first.scope)
      }
      var joins: SQLText = ""
      for step in shared.rows.steps.dropFirst() {
        joins.append(try compiler.join(step, inOrder: compiler.isIndexed(step)))
      }
      let source = try compiler.source(from: first, isTied: false, joins, shared.condition)
      var columns = keys.enumerated().map { number, key -> SQLText in
        "\(key) AS \(sql: compiler.name("k\(number)"))"
      }
      let firstKey: SQLText = "\(sql: name).\(sql: compiler.name("k0"))"
      var related = Related(
        text: "(\(firstKey) IS NOT NULL)", source: SQLRowLayout.Column("exists", .bool),
        isOptional: false, nesting: source.nesting + Self.subqueryNesting,
        height: source.height + 3)
      if let (kind, operand) = shared.total, let column {
        let (total, arguments) = try compiler.aggregate(kind, operand, shared.rows, column)
        columns.append("\(total) AS \(sql: compiler.name("v"))")
        let value: SQLText = "\(sql: name).\(sql: compiler.name("v"))"
        let nothing = Aggregator.nothing(kind, column)
        related = Related(
          text: nothing.map { other -> SQLText in
            "CASE WHEN \(firstKey) IS NULL THEN \(other) ELSE \(value) END"
          } ?? value,
          source: column, isOptional: kind != .count && kind != .countDistinct,
          nesting: max(source.nesting, (arguments?.nesting ?? 1) + 2) + Self.subqueryNesting,
          height: max(source.height, (arguments?.height ?? 1) + 3) + 3)
      }
      let ties = own.enumerated().map { number, own -> SQLText in
        "\(sql: name).\(sql: compiler.name("k\(number)")) = \(own)"
      }
      compiler.joins?.text.append(
        """
         LEFT JOIN (SELECT \(columns.joined(separator: ", ")) \(source.text) \
        GROUP BY \(keys.joined(separator: ", "))) AS \(sql: name) \
        ON \(ties.joined(separator: " AND "))
        """)
      return related
    }
  }

  /// Returns whether an aggregate is worked out once for all rows that it is the same for.
  mutating func isShared(_ operand: Operand) throws -> Bool {
    let key = RelatedKey(
      leaf: .related(operand), isFolded: false, throwsOverflow: throwsOverflow)
    return try joinedAggregate(key) != nil
  }

  /// Returns whether the engine compares the links of a step to the rows before.
  private func linksCompare(_ step: RelatedRows.Step) throws -> Bool {
    let entity = try schema.table(step.entity).entity
    return try step.links.allSatisfy { link in
      guard let own = entity.column(ofAttribute: link.attribute) else { return false }
      let kind = entity.columns[own].type.kind
      let other = try source(try position(of: link.other), of: link.other.scope).type.kind
      return kind == other && dialect.comparesEqual(kind, kind)
    }
  }

  /// Returns whether rows, their operand and their condition depend on the rows around only by the first
  /// step's links.
  private func isIndependent(
    _ rows: RelatedRows, _ operand: Operand?, _ condition: Condition
  ) -> Bool {
    var isIndependent = true
    func note(_ path: Operand.Path) -> Operand.Path {
      if scopes[path.scope] != nil { isIndependent = false }
      return path
    }
    _ = condition.mappingPaths(note)
    _ = operand?.mappingPaths(note)
    for step in rows.steps.dropFirst() { for link in step.links { _ = note(link.other) } }
    return isIndependent
  }
}

/// Rows that a row leads to, of which an aggregate is asked for, or whether there are any.
private struct SharedRows {
  var rows: RelatedRows
  var condition: Condition
  /// The aggregate; nil if it is asked whether there are rows.
  var total: (kind: Aggregate.Kind, operand: Operand?)?
  /// The aggregate as an operand.
  var whole: Operand?

  /// True if the aggregate, or its operand, may overflow its type.
  var mayOverflow: Bool {
    guard let total else { return false }
    switch total.operand {
    case nil, .path, .relatedAggregate(.count, nil, _, _): return total.kind == .sum
    default: return true
    }
  }

  init?(_ leaf: FrameLeaves.Leaf) {
    switch leaf {
    case .exists(.exists(let rows, let condition)):
      (self.rows, self.condition) = (rows, condition)
    case .related(.relatedAggregate(let kind, let operand, let rows, let condition)):
      (self.rows, self.condition) = (rows, condition)
      total = (kind, operand)
      whole = .relatedAggregate(kind, operand, rows, condition)
    case .path, .related, .exists: return nil
    }
  }
}
