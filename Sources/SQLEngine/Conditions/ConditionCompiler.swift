package import ORMStorage

/// A compiler of conditions to SQL: parts that the engine evaluates exactly become text, the rest calls of
/// core's evaluator.
///
/// A pure function of condition, table and dialect.
///
/// Logic is two-valued in the end, though not in between: a text that gives NULL counts as false
/// where it stands under AND and OR alone, and NOT asks whether it differs from true.
package struct ConditionCompiler {
  /// The table of the request's own rows.
  package let table: SQLTable
  let schema: SQLSchema
  package let dialect: any SQLDialect
  /// True if the text is about several tables, and every column named with its table's alias.
  package let isQualified: Bool
  /// The evaluations that the text calls, by number.
  package internal(set) var evaluations: [SQLEvaluation] = []
  /// The rows that the text may name now.
  var scopes: [Int: SQLScope]
  /// The columns of rows outside of the statement that the text names.
  var outerColumns: [OuterColumn] = []
  /// The bound on the request's own rows, apart from conditions on related rows.
  ///
  /// It is nil where those conditions may not become semi-joins driven from the inner side.
  var outerBounds: Bounds?
  /// True if the rows that are looked at are counted.
  var countsRows = false
  /// True if arithmetic that overflows is an error, as in assignments.
  var throwsOverflow = false
  /// Texts about related rows, and how many values they bind together.
  var relatedTexts: [RelatedKey: Related] = [:]
  var relatedPlaceholders = 0
  /// The inner queries made before, and the outer columns that they take.
  var innerQueries: [RelatedKey: (SQLInnerQuery, [OuterColumn], isOptional: Bool)] = [:]
  /// True if the text calls a query of its own.
  var hasInnerQueries = false
  /// The tables that are joined to the rows of the request; nil in a text without joins.
  var joins: OuterJoins?
  /// True where the text is about the request's own rows, in no subquery.
  var isOutermost = true
  /// True if a pattern becomes the range of texts that begin as it does, and core tests the rest.
  var leavesPatterns = false

  /// A compiler for texts about the rows of a table.
  package init(
    _ table: SQLTable, _ schema: SQLSchema, _ dialect: any SQLDialect, isQualified: Bool = false
  ) {
    self.table = table
    self.schema = schema
    self.dialect = dialect
    self.isQualified = isQualified
    let alias = dialect.quoted(Self.plainAlias(0))
    scopes = [0: SQLScope(table: table, naming: isQualified ? .alias(alias) : .alone)]
  }

  /// A compiler for a statement inside another, whose rows are outside of it.
  init(inside other: ConditionCompiler) {
    table = other.table
    schema = other.schema
    dialect = other.dialect
    isQualified = true
    scopes = other.scopes.mapValues { SQLScope(table: $0.table, naming: .outside) }
    innerQueries = other.innerQueries
  }

  /// The kinds of values that operands give, with the rows that the text may name.
  var kinds: OperandKinds {
    OperandKinds(schema: schema.declared, entities: scopes.mapValues(\.table.entity))
  }

  /// A compiled condition: text, or a condition that is left to the evaluator as a whole.
  enum Piece {
    case text(Text)
    case evaluated(Condition)
  }

  /// A condition as text.
  struct Text {
    var text: SQLText
    /// True if it may give NULL instead of false.
    var canBeNull: Bool
    /// The number of levels of parentheses it has.
    var nesting = 1
    /// The height of its expression tree.
    var height = 4
    /// True if it needs parentheses beside other words.
    var isChain = false
  }

  /// Gives the text of a condition; nil for one that always holds.
  package mutating func condition(_ condition: Condition) throws -> SQLText? {
    if case .constant(true) = condition { return nil }
    noteOuterBounds(condition)
    defer { outerBounds = nil }
    return try text(of: try piece(condition)).text
  }

  /// Splits a condition into the parts for the text and the parts that the evaluator tests.
  package mutating func split(_ condition: Condition) throws -> (
    engine: [Condition], core: [Condition]
  ) {
    let parts = if case .all(let parts) = condition { parts } else { [condition] }
    var engine: [Condition] = []
    var core: [Condition] = []
    for part in parts {
      let count = evaluations.count
      if part.aggregatesRound {
        core.append(part)
      } else if case .evaluated = try piece(part) {
        core.append(part)
      } else if evaluations.count > count {
        core.append(part)
      } else {
        engine.append(part)
      }
    }
    return (engine, core)
  }

  mutating func piece(_ condition: Condition) throws -> Piece {
    if let text = try invertedSemiJoin(condition) { return .text(text) }
    switch condition {
    case .constant(let value):
      return .text(Text(text: "\(sql: dialect.literal(value))", canBeNull: false))
    case .invalid(let error): throw error
    case .not(let inner): return try negation(of: inner)
    case .all(let conditions): return try chain(conditions, condition, " AND ") { .all($0) }
    case .any(let conditions): return try chain(conditions, condition, " OR ") { .any($0) }
    case .compare(let left, let comparator, let right, let options):
      return try comparison(left, comparator, right, options).map { .text($0) }
        ?? .evaluated(condition)
    case .isIn(let element, let list, let options):
      return try membership(element, list, options).map { .text($0) } ?? .evaluated(condition)
    case .text(let text, .like, let other, let options):
      return try patternTest(
        condition, text, other, options, .likeBeginning(isFolded: !options.isEmpty),
        .likeEnd(isFolded: !options.isEmpty)
      ).map { .text($0) } ?? .evaluated(condition)
    case .text(let text, .matches, let other, []):
      return try patternTest(condition, text, other, [], .matchBeginning, .matchEnd)
        .map { .text($0) } ?? .evaluated(condition)
    case .text(let text, let textOperator, let other, let options):
      return try textTest(text, textOperator, other, options).map { .text($0) }
        ?? .evaluated(condition)
    case .exists:
      let related = try related(.exists(condition))
      return .text(
        Text(
          text: related.text, canBeNull: false, nesting: related.nesting, height: related.height))
    case .someItem: return .evaluated(condition)
    case .some:
      throw StoreError(.invalidCondition, "a condition on related objects: \(condition)")
    }
  }

  // MARK: Joining

  private mutating func negation(of condition: Condition) throws -> Piece {
    // No index finds the values that are not among some rows.
    let outer = outerBounds
    outerBounds = nil
    defer { outerBounds = outer }
    switch try piece(condition) {
    case .evaluated(let inner): return .evaluated(.not(inner))
    case .text(let inner):
      if inner.nesting >= limits.nesting { return .evaluated(.not(condition)) }
      return .text(
        Text(
          text: inner.canBeNull
            ? dialect.isDifferent("(\(inner.text))", SQLText(dialect.literal(true)))
            : "NOT (\(inner.text))",
          canBeNull: false, nesting: inner.nesting + 1, height: inner.height + 1, isChain: true))
    }
  }

  /// Joins conditions, those left to the evaluator as one call at the end.
  private mutating func chain(
    _ conditions: [Condition], _ whole: Condition, _ word: SQLText,
    _ join: ([Condition]) -> Condition
  ) throws -> Piece {
    var texts: [Text] = []
    var rest: [Condition] = []
    var check = StopCheck()
    for condition in conditions {
      try check.step()
      switch try piece(condition) {
      case .text(let text): texts.append(text)
      case .evaluated(let condition): rest.append(condition)
      }
    }
    if texts.isEmpty { return .evaluated(whole) }
    if !rest.isEmpty {
      texts.append(try text(of: .evaluated(rest.count == 1 ? rest[0] : join(rest))))
    }
    let joined = Self.joined(texts, word)
    let limits = limits
    if joined.nesting > limits.nesting || joined.height > limits.height
      || joined.text.placeholderCount > limits.parameters
    {
      return .evaluated(whole)
    }
    return .text(joined)
  }

  /// The number of conditions that stand side by side before they are grouped: engines build a
  /// chain as a tree as high as it is long, and bound the height.
  private static let longestChain = 50

  /// The limits on the text of a condition, less the share reserved for related rows.
  private var limits: SQLLimits {
    var limits = dialect.limits
    if isQualified {
      // Conditions on related rows have their own share, inside a subquery.
      limits.parameters = limits.parameters / 4 * 3
      if scopes.count > 1 { limits.nesting -= 7 }
    }
    return limits
  }

  static func joined(_ texts: [Text], _ word: SQLText) -> Text {
    if texts.count == 1 { return texts[0] }
    if texts.count > longestChain {
      let groups = stride(from: 0, to: texts.count, by: longestChain).map {
        joined(Array(texts[$0..<min($0 + longestChain, texts.count)]), word)
      }
      return joined(groups, word)
    }
    return Text(
      text: texts.map { $0.isChain ? "(\($0.text))" : $0.text }.joined(separator: word),
      canBeNull: texts.contains(where: \.canBeNull),
      nesting: (texts.map(\.nesting).max() ?? 0) + 1,
      height: (texts.map(\.height).max() ?? 0) + texts.count - 1, isChain: true)
  }

  // MARK: Evaluating

  /// The number of an evaluator; equal ones share it.
  mutating func number(of evaluation: SQLEvaluation) -> Int {
    if let number = evaluations.firstIndex(of: evaluation) { return number }
    evaluations.append(evaluation)
    return evaluations.count - 1
  }

  /// A name in quotes.
  func name(_ plain: String) -> String { dialect.quoted(plain) }

  /// The name of a table in quotes.
  func name(table plain: String) -> String { dialect.quoted(table: plain) }
}
