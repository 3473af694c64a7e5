internal import FoundationEssentials
internal import ORMStorage

/// Conditions and values of related rows: subqueries that join the tables of the path.
extension ConditionCompiler {
  /// A question about related rows, by which its text is remembered.
  struct RelatedKey: Hashable {
    var leaf: FrameLeaves.Leaf
    /// True if a text is folded.
    var isFolded: Bool
    var throwsOverflow: Bool
  }

  /// A value of related rows as text.
  struct Related {
    var text: SQLText
    /// The result column that describes the value.
    var source: SQLRowLayout.Column
    var isOptional: Bool
    var nesting: Int
    var height: Int
  }

  /// The value of a leaf that is no attribute: in this text where it fits, else as a query of its
  /// own.
  mutating func related(_ leaf: FrameLeaves.Leaf, isFolded: Bool = false) throws -> Related {
    let key = RelatedKey(leaf: leaf, isFolded: isFolded, throwsOverflow: throwsOverflow)
    if let known = relatedTexts[key] { return known }
    let before = (evaluations, relatedTexts, relatedPlaceholders)
    var related = try native(key)
    let limits = dialect.limits
    relatedPlaceholders += related.text.placeholderCount
    if related.nesting > limits.nesting || related.height > limits.height
      || relatedPlaceholders > limits.parameters / 4
    {
      (evaluations, relatedTexts, relatedPlaceholders) = before
      related = try called(key)
    }
    relatedTexts[key] = related
    return related
  }

  /// The value as a subquery of this text.
  mutating func native(_ key: RelatedKey) throws -> Related {
    switch key.leaf {
    case .exists(.exists(let rows, let condition)):
      if let related = try joinedAggregate(key) { return related }
      if try !repeatingSteps(of: RelatedPath(rows, condition)).isEmpty {
        // In a query of its own the rows around are values, which table expressions may name.
        let namesRows = scopes.values.contains { $0.naming != .outside }
        if namesRows, !dialect.correlatesTableExpressions { return try called(key) }
        return try exists(rows, condition)
      }
      if let (first, rest) = rows.split(at: Self.mostSteps) {
        return try exists(first, .exists(rest, condition))
      }
      return try exists(rows, condition)
    case .related(.relatedValue(.relatedValue(let operand, let inner), let outer)):
      // One row of one row.
      var key = key
      key.leaf = .related(.relatedValue(operand, RelatedRows(outer.steps + inner.steps)))
      return try native(key)
    case .related(.relatedValue(let operand, let rows)):
      if let related = try joined(operand, rows, key) { return related }
      if let related = try heldKey(operand, rows, key) { return related }
      if let (first, rest) = rows.split(at: Self.mostSteps) {
        return try value(of: .relatedValue(operand, rest), first, key)
      }
      return try value(of: operand, rows, key)
    case .related(.relatedAggregate(let kind, let operand, let rows, let condition)):
      if let related = try joinedAggregate(key) { return related }
      return try aggregate(kind, operand, rows, condition)
    case .path, .related, .exists:
      throw StoreError(
        .invalidCondition,
        "a condition on related objects needs the store that holds them")
    }
  }

  /// The number of tables that are joined at most; engines bound that, SQLite at 64.
  private static let mostSteps = RelatedRows.longestAggregate

  private mutating func exists(_ rows: RelatedRows, _ condition: Condition) throws -> Related {
    let path = RelatedPath(rows, condition)
    let repeating = try repeatingSteps(of: path)
    return try inside(repeating.isEmpty ? rows : path.rows) { compiler in
      let source =
        try repeating.isEmpty
        ? compiler.source(rows, condition)
        : compiler.distinctSource(path, after: repeating)
      return Related(
        text: "EXISTS (\(source.with)SELECT 1 \(source.text))",
        source: SQLRowLayout.Column("exists", .bool), isOptional: false,
        nesting: source.nesting + Self.subqueryNesting, height: source.height + 3)
    }
  }

  private mutating func value(
    of operand: Operand, _ rows: RelatedRows, _ key: RelatedKey
  ) throws -> Related {
    try inside(rows) { compiler in
      let value = try compiler.value(operand, isFolded: key.isFolded)
      let source = try compiler.source(rows, .constant(true))
      return Related(
        text: "(SELECT \(value.text) \(source.text))", source: value.source, isOptional: true,
        nesting: max(source.nesting, value.nesting) + Self.subqueryNesting,
        height: max(source.height, value.height) + 3)
    }
  }

  /// The key of a to-one's target, taken from the column that holds it where the target is there;
  /// nil for any other value.
  ///
  /// An engine looks a key up among others in fewer steps than it runs a subquery for a row.
  private mutating func heldKey(
    _ operand: Operand, _ rows: RelatedRows, _ key: RelatedKey
  ) throws -> Related? {
    guard !key.isFolded, rows.steps.count == 1, let step = rows.steps.first,
      step.nullAttribute == nil, step.links.count == 1, let link = step.links.first,
      operand == .path(Operand.Path([link.attribute], scope: step.scope))
    else { return nil }
    let table = try schema.table(step.entity)
    guard table.entity.keyAttributes == [link.attribute] else { return nil }
    let target = table.column(table.entity.key[0])
    let position = try position(of: link.other)
    let kind = target.stored.type.kind
    guard try source(position, of: link.other.scope).type.kind == kind,
      dialect.comparesEqual(kind, kind), kind != .double, kind != .date
    else { return nil }
    let held = text(position, of: link.other.scope)
    return Related(
      text: """
        CASE WHEN \(held) IN (SELECT \(sql: name(target.name)) FROM \(sql: name(table: table.name))) \
        THEN \(held) END
        """, source: SQLRowLayout.Column(target.stored), isOptional: true,
      nesting: Self.subqueryNesting + 2, height: 6)
  }

  /// A value of the rows in scope.
  mutating func value(_ operand: Operand, isFolded: Bool) throws -> Related {
    if case .path(let path) = operand {
      let position = try position(of: path)
      return Related(
        text: text(position, of: path.scope, isFolded: isFolded),
        source: try source(position, of: path.scope), isOptional: true, nesting: 1, height: 1)
    }
    if case .relatedValue = operand { return try related(.related(operand), isFolded: isFolded) }
    if case .relatedAggregate = operand { return try related(.related(operand)) }
    let arguments = try arguments(operand)
    let column = try resultColumn(of: operand)
    let evaluation = SQLEvaluation.value(
      arguments.rewriting.rewritten(operand), column, throwsOverflow: throwsOverflow,
      arguments.frame)
    return Related(
      text: call(.value, evaluation, arguments.texts), source: column, isOptional: true,
      nesting: arguments.nesting, height: arguments.height)
  }

  /// Returns a result column for the values of an operand, tagged if their type is not known.
  func resultColumn(of operand: Operand) throws -> SQLRowLayout.Column {
    if let type = try kinds.type(of: operand) { return SQLRowLayout.Column("\(operand)", type) }
    return SQLRowLayout.Column(tagged: "\(operand)")
  }

  // MARK: Aggregates

  private mutating func aggregate(
    _ kind: Aggregate.Kind, _ operand: Operand?, _ rows: RelatedRows, _ condition: Condition
  ) throws -> Related {
    let whole = Operand.relatedAggregate(kind, operand, rows, condition)
    let column = try resultColumn(of: whole)
    return try inside(rows) { compiler in
      let source = try compiler.source(rows, condition)
      let (text, arguments) = try compiler.aggregate(kind, operand, rows, column)
      return Related(
        text: "(SELECT \(text) \(source.text))", source: column,
        isOptional: kind != .count && kind != .countDistinct,
        nesting: max(source.nesting, (arguments?.nesting ?? 1) + 2) + Self.subqueryNesting,
        height: max(source.height, (arguments?.height ?? 1) + 3) + 3)
    }
  }

  /// A count that is compared with a number: no more rows are counted than tell how that ends; nil
  /// where the engine cannot, or the text would be too large.
  mutating func count(
    _ rows: RelatedRows, _ condition: Condition, _ comparator: Comparator, _ number: SQLText
  ) throws -> Text? {
    guard let most = dialect.mostCounted(for: number) else { return nil }
    let before = (evaluations, relatedTexts, relatedPlaceholders)
    let text = try inside(rows) { compiler in
      let source = try compiler.source(rows, condition)
      let counted: SQLText =
        "(SELECT 1 \(source.text) LIMIT \(most)) AS \(sql: compiler.name("counted"))"
      let symbol =
        switch comparator {
        case .equal: "="
        case .notEqual: "<>"
        default: comparator.symbol
        }
      return Text(
        text: "(SELECT count(*) FROM \(counted)) \(sql: symbol) \(number)", canBeNull: false,
        nesting: source.nesting + 2 * Self.subqueryNesting, height: source.height + 9)
    }
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

  /// An aggregate over the rows that a subquery finds.
  mutating func aggregate(
    _ kind: Aggregate.Kind, _ operand: Operand?, _ rows: RelatedRows,
    _ column: SQLRowLayout.Column
  ) throws -> (SQLText, Arguments?) {
    guard let operand else {
      guard kind == .count else {
        throw StoreError(.invalidCondition, "every aggregate but a count needs an attribute")
      }
      return ("count(*)", nil)
    }
    // The engine takes an aggregate of nothing but columns around for one of the rows around.
    if case .path(let path) = operand, rows.steps.contains(where: { $0.scope == path.scope }),
      let text = try native(kind, path)
    {
      return (text, nil)
    }
    if let text = try native(kind, related: operand, rows) { return text }
    let arguments = try arguments(operand)
    let aggregate = Aggregate(kind, arguments.rewriting.rewritten(operand))
    let evaluation = SQLEvaluation.total(
      aggregate, of: try kinds.kind(of: operand), column, throwsOverflow: throwsOverflow,
      arguments.frame)
    let total = call(
      .total, evaluation, arguments.texts, anchor: try anchor(rows.scope))
    guard let nothing = Aggregator.nothing(kind, column) else { return (total, arguments) }
    // Over no rows the engine has no evaluator to ask.
    return ("CASE count(*) WHEN 0 THEN \(nothing) ELSE \(total) END", arguments)
  }

  /// A column that is never null of a scope's row: it ties an aggregate to the rows of its own
  /// query.
  mutating func anchor(_ scope: Int) throws -> SQLText {
    guard let position = scopes[scope]?.table.entity.key.first else { throw Self.noScope }
    return text(position, of: scope)
  }

  /// An aggregate of a column that the engine does exactly.
  private mutating func native(_ kind: Aggregate.Kind, _ path: Operand.Path) throws -> SQLText? {
    let position = try position(of: path)
    return native(
      kind, try source(position, of: path.scope).type.kind, text(position, of: path.scope))
  }

  /// An aggregate of a value of related rows that the engine does exactly.
  private mutating func native(
    _ kind: Aggregate.Kind, related operand: Operand, _ rows: RelatedRows
  ) throws -> (SQLText, Arguments?)? {
    // SQLite may take an aggregate without a column of its own for one of the rows around.
    guard !dialect.evaluatesInEngine else { return nil }
    switch operand {
    case .relatedValue, .relatedAggregate: break
    default: return nil
    }
    // As above: it must be of the subquery's own rows.
    let scopes = Set(rows.steps.map(\.scope))
    var isOwn = false
    _ = operand.mappingPaths { path in
      if scopes.contains(path.scope) { isOwn = true }
      return path
    }
    guard isOwn else { return nil }
    let before = (evaluations, relatedTexts, relatedPlaceholders)
    let value = try related(.related(operand))
    if !value.source.isTagged, let text = native(kind, value.source.type.kind, value.text) {
      var arguments = Arguments(frame: SQLFrame(entity: table.entity.modelName, columns: []))
      (arguments.nesting, arguments.height) = (value.nesting, value.height)
      return (text, arguments)
    }
    (evaluations, relatedTexts, relatedPlaceholders) = before
    return nil
  }

  /// An aggregate of the values of a text that the engine does exactly.
  private func native(
    _ kind: Aggregate.Kind, _ stored: AttributeType.Kind, _ column: SQLText
  ) -> SQLText? {
    switch kind {
    case .count: return "count(\(column))"
    case .countDistinct:
      return dialect.comparesEqual(stored, stored) ? "count(DISTINCT \(column))" : nil
    case .minimum, .maximum:
      guard dialect.hasExtremes(of: stored) else { return nil }
      // Adding zero makes a -0.0 positive and changes nothing else.
      let zero = stored == .double || stored == .date ? " + \(dialect.zero)" : ""
      return "\(sql: kind == .minimum ? "min" : "max")(\(column))\(sql: zero)"
    case .sum, .average: return nil
    }
  }

  // MARK: Parts

  /// Levels of parentheses that a subquery stands for: engines keep more of one than of a
  /// parenthesis while they read it.
  static let subqueryNesting = 5

  /// Does something with the rows of the steps in scope.
  mutating func inside<R>(
    _ rows: RelatedRows, _ body: (inout ConditionCompiler) throws -> R
  ) throws -> R {
    let outer = (scopes, outerBounds, isOutermost)
    defer { (scopes, outerBounds, isOutermost) = outer }
    outerBounds = nil
    isOutermost = false
    for step in rows.steps { try enter(step) }
    return try body(&self)
  }

  /// Lets the text name the rows of a step.
  @inline(never)
  mutating func enter(_ step: RelatedRows.Step) throws {
    guard scopes[step.scope] == nil else {
      throw StoreError(.invalidCondition, "two rows of a condition have one number")
    }
    scopes[step.scope] = SQLScope(
      table: try schema.table(step.entity), naming: .alias(alias(step.scope)))
  }

  /// The rows of a step that was entered, joined to those before.
  mutating func join(_ step: RelatedRows.Step, inOrder: Bool = false) throws -> SQLText {
    try join(step, ties(of: step), inOrder: inOrder)
  }

  /// The rows of a step that was entered, joined to those of the step after it.
  mutating func join(
    _ step: RelatedRows.Step, onThatOf next: RelatedRows.Step
  ) throws -> SQLText {
    let links = try next.links.map { try link($0, of: next.scope) }
    return try join(step, links + ties(of: step, isTied: false), inOrder: true)
  }

  private mutating func join(
    _ step: RelatedRows.Step, _ ties: [Text], inOrder: Bool
  ) throws -> SQLText {
    var ties = ties
    if countsRows { ties.append(Text(text: try rowCount(of: step.scope), canBeNull: false)) }
    let word = inOrder ? dialect.orderedJoin : "JOIN"
    return " \(sql: word) \(try aliasedTable(of: step)) ON \(Self.joined(ties, " AND ").text)"
  }

  func aliasedTable(of step: RelatedRows.Step) throws -> SQLText {
    "\(sql: name(table: try schema.table(step.entity).name)) AS \(sql: alias(step.scope))"
  }

  /// Compiles everything of a subquery but its columns, FROM and WHERE, for the rows that the row around
  /// leads to.
  mutating func source(
    _ rows: RelatedRows, _ condition: Condition
  ) throws -> Source {
    guard let first = rows.steps.first else { throw Self.noScope }
    var joins: SQLText = ""
    for step in rows.steps.dropFirst() {
      // From the row around on. An engine that knows no sizes may begin with the rows of the last
      // step, which it would find anew for each row around.
      joins.append(try join(step, inOrder: isIndexed(step)))
    }
    return try source(from: first, isTied: true, joins, condition)
  }

  /// The same for rows of one step and others joined to them.
  ///
  /// - Parameter isTied: whether only rows are meant that the row around leads to.
  mutating func source(
    from step: RelatedRows.Step, isTied: Bool, _ joins: SQLText, _ condition: Condition
  ) throws -> Source {
    var text: SQLText = "FROM \(try aliasedTable(of: step))"
    text.append(joins)
    var tests = try ties(of: step, isTied: isTied)
    if countsRows {
      tests.insert(Text(text: try rowCount(of: step.scope), canBeNull: false), at: 0)
    }
    return try source(text, tests, condition)
  }

  /// Everything of a subquery but its columns.
  struct Source {
    /// The common table expressions before its SELECT; empty without any.
    var with: SQLText = ""
    /// FROM and WHERE.
    var text: SQLText
    var nesting: Int
    var height: Int
  }

  /// The rows of a FROM that satisfy tests and a condition.
  mutating func source(
    _ from: SQLText, _ tests: [Text], _ condition: Condition
  ) throws -> Source {
    // Conditions on the rows compare values; the result of overflow concerns assignments alone.
    let throwsOverflow = self.throwsOverflow
    self.throwsOverflow = false
    defer { self.throwsOverflow = throwsOverflow }
    var tests = tests
    if condition != .constant(true) { tests.append(try self.text(of: try piece(condition))) }
    if tests.isEmpty { return Source(text: from, nesting: 1, height: 1) }
    let all = Self.joined(tests, " AND ")
    return Source(text: "\(from) WHERE \(all.text)", nesting: all.nesting, height: all.height)
  }

  /// Returns whether a key or index finds the rows of a step by the columns that tie them.
  func isIndexed(_ step: RelatedRows.Step) throws -> Bool {
    let table = try schema.table(step.entity)
    let columns = step.links.compactMap {
      table.entity.column(ofAttribute: $0.attribute).map { table.columnIndexes[$0] }
    }
    return table.beginsAccess(with: columns)
  }

  /// Writes the conditions on the rows of a step.
  mutating func ties(
    of step: RelatedRows.Step, isTied: Bool = true
  ) throws -> [Text] {
    var ties = isTied ? try step.links.map { try link($0, of: step.scope) } : []
    if let attribute = step.nullAttribute {
      let position = try position(of: Operand.Path([attribute], scope: step.scope))
      ties.append(Text(text: "\(text(position, of: step.scope)) IS NULL", canBeNull: false))
    }
    return ties
  }

  /// Returns whether a row is tied to one before; a null on either side ties nothing.
  private mutating func link(_ link: RelatedRows.Link, of scope: Int) throws -> Text {
    let own = Operand.path(Operand.Path([link.attribute], scope: scope))
    let other = Operand.path(link.other)
    guard case .path(let path) = own else { throw Self.noScope }
    let position = try position(of: path)
    let otherPosition = try self.position(of: link.other)
    let kind = try source(position, of: scope).type.kind
    let otherKind = try source(otherPosition, of: link.other.scope).type.kind
    if dialect.comparesEqual(kind, otherKind), dialect.comparesEqual(otherKind, kind) {
      return Text(
        text: "\(text(position, of: scope)) = \(text(otherPosition, of: link.other.scope))",
        canBeNull: true)
    }
    let isNull = Condition.compare(own, .equal, .value(.null), [])
    return try text(
      of: try piece(.all([.not(isNull), .compare(own, .equal, other, [])])))
  }
}

extension RelatedRows {
  /// The first `count` steps, and the rest; nil where there is no rest.
  fileprivate func split(at count: Int) -> (RelatedRows, RelatedRows)? {
    guard steps.count > count else { return nil }
    return (RelatedRows(Array(steps.prefix(count))), RelatedRows(Array(steps.dropFirst(count))))
  }
}

extension Aggregator {
  /// Returns the text of an aggregate over no values; nil for null.
  static func nothing(_ kind: Aggregate.Kind, _ column: SQLRowLayout.Column) -> SQLText? {
    guard kind == .sum || kind == .count || kind == .countDistinct else { return nil }
    switch column.type.kind {
    case _ where column.isTagged: return "\(.constant(.int(0), .tagged))"
    case .double: return "\(.constant(.double(0), .stored(.double)))"
    case .decimal: return "\(.constant(.decimal(0), .stored(.decimal)))"
    case let kind: return "\(.constant(.int(0), .stored(kind)))"
    }
  }
}
