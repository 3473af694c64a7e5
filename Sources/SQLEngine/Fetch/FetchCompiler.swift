package import ORMStorage

/// A request's shape as SQL: a value, made by a pure function of shape, table and dialect.
package struct FetchPlan: Sendable {
  /// The statement.
  package var query: SQLQuery
  /// The evaluations that the statement calls, by number.
  package var evaluations: [SQLEvaluation]
  /// The form of the statement's rows.
  package var output: Output
  /// The column of the statement's row that is 1 where the row fits its checksum; nil where rows are
  /// not verified.
  package var intact: Int?
  /// The scopes whose rows the statement names as those of another scope.
  package var aliases: [Int: Int] = [:]
  /// The part of the request that core does over the statement's rows; nil for none.
  package var residue: Residue?

  /// The part of a request that core does over rows of the engine.
  package struct Residue: Sendable {
    /// The request to be answered of the rows: without an order where they come in order, and
    /// without a page where they are cut to it.
    package var shape: FetchShape
    /// The columns of the rows.
    package var entity: StoredEntity
  }

  /// The form of the statement's rows, and their conversion to rows of the result.
  package enum Output: Sendable {
    /// The result's row: these columns of the entity.
    case columns([Int])
    /// The columns of a frame, of which core works out the operands.
    case operands([Operand], SQLFrame)
    /// All columns of another entity, by its stored name, then these of the entity.
    case joined(String, [Int])
    /// One row of aggregates, each found where it says.
    case aggregates([AggregateSource])
    /// The columns of the result's row, which is a group of the engine's.
    case groups([SQLRowLayout.Column])
    /// The columns of a frame, of which core forms the groups: their keys, and the operands of the
    /// aggregates.
    case collected(keys: [Operand], operands: [Operand?], SQLFrame)
  }

  /// The source of an aggregate's value.
  package enum AggregateSource: Sendable {
    /// A column of the statement's row, in the form of this type.
    case column(Int, AttributeType)
    /// A column of the statement's row; null, over nothing, stands for 0.
    case sum(Int)
    /// The quotient of two columns of the statement's row, a sum and a count of integers.
    case average(sum: Int, count: Int)
    /// An evaluator.
    case evaluator(Int)
  }
}

/// Compiles shapes of requests.
package struct FetchCompiler {
  /// True if integers are summed by the engine, whose sum fails when a running total overflows;
  /// a request that fails so is compiled again without.
  package var sumsIntegers = true
  /// True if values of related rows that overflow are an error, as in assignments.
  package var throwsOverflow = false
  /// True if the statement counts the rows that it looks at.
  package var countsRows = false
  var conditions: ConditionCompiler
  let table: SQLTable
  let schema: SQLSchema
  let dialect: any SQLDialect

  /// Makes a compiler for one shape.
  package init(_ table: SQLTable, _ schema: SQLSchema, _ dialect: any SQLDialect) {
    self.table = table
    self.schema = schema
    self.dialect = dialect
    conditions = ConditionCompiler(table, schema, dialect)
  }

  /// Compiles a shape of this table's entity.
  package mutating func compile(_ shape: FetchShape) throws -> FetchPlan {
    // An engine would enumerate every combination of a cycle's rows.
    if shape.aggregatesRound { return try residual(shape) }
    let plan = try whole(shape)
    if dialect.evaluatesInEngine || plan.evaluations.isEmpty { return plan }
    return try residual(shape)
  }

  /// Compiles a shape to one statement, with calls of core where it is not exact.
  ///
  /// - Parameter leavesPatterns: true if core tests patterns that the condition names.
  mutating func whole(_ shape: FetchShape, leavesPatterns: Bool = false) throws -> FetchPlan {
    conditions = try compiler(of: shape)
    conditions.leavesPatterns = leavesPatterns
    conditions.throwsOverflow = throwsOverflow
    conditions.countsRows = countsRows
    if case .groups(let keys, let aggregates, let having) = shape.output {
      return try groups(shape, keys, aggregates, having)
    }
    if let first = shape.firstRows, let plan = try ranked(shape, first) { return plan }
    // Aggregates that only the output names are worked out for the rows of the page.
    let sharesAggregates = conditions.joins?.sharesAggregates == true
    conditions.joins?.sharesAggregates = sharesAggregates && !shape.isLimited
    let (results, output) = try self.output(shape)
    conditions.joins?.sharesAggregates = sharesAggregates
    // A value that does not fit throws if it is assigned, and is nil in the condition and the order.
    conditions.throwsOverflow = false
    var columns = results
    var intact: Int?
    if let test = try intactTest(shape) {
      intact = columns.count
      columns.append(test)
    }
    let text: SQLText =
      "SELECT \(columns.joined(separator: ", ")) \(try conditions.source(shape))"
    return FetchPlan(
      query: SQLQuery(text, dialect), evaluations: conditions.evaluations, output: output,
      intact: intact, aliases: conditions.joins?.aliases ?? [:])
  }

  /// The first rows of groups, by their ranks in a query around; nil where the engine does not compare
  /// the groups or order the rows exactly.
  private mutating func ranked(
    _ shape: FetchShape, _ first: FetchShape.FirstRows
  ) throws -> FetchPlan? {
    guard dialect.ranksRows, case .values(let operands) = shape.output, !shape.isLimited else {
      return nil
    }
    let before = conditions
    let (results, output) = try self.output(shape)
    let keys = try operands.prefix(first.groupWidth).map { try conditions.groupKey($0)?.text }
    let sort = try first.sort.map { term -> SQLText? in
      guard case .output(let number) = term.operand, operands.indices.contains(number) else {
        return nil
      }
      var term = term
      term.operand = operands[number]
      return try conditions.sortTerm(term)
    }
    guard !keys.contains(nil), !sort.contains(nil), conditions.evaluations.isEmpty else {
      conditions = before
      return nil
    }
    let test = try intactTest(shape)
    let columns = results + (test.map { [$0] } ?? [])
    let names = columns.indices.map { SQLText(dialect.quoted("c\($0)")) }
    let selected = zip(columns, names).map { column, name -> SQLText in "\(column) AS \(name)" }
    let rank = SQLText(dialect.quoted("rank"))
    let source = try conditions.rows(shape)
    let text: SQLText = """
      SELECT \(names.joined(separator: ", ")) FROM \
      (SELECT \(selected.joined(separator: ", ")), row_number() OVER \
      (PARTITION BY \(keys.compactMap(\.self).joined(separator: ", ")) \
      ORDER BY \(sort.compactMap(\.self).joined(separator: ", "))) AS \(rank) \(source)) \
      AS \(sql: dialect.quoted("ranked")) WHERE \(rank) <= \(sql: String(first.count))
      """
    return FetchPlan(
      query: SQLQuery(text, dialect), evaluations: conditions.evaluations, output: output,
      intact: test == nil ? nil : results.count, aliases: conditions.joins?.aliases ?? [:])
  }

  /// A compiler for the conditions of a shape.
  func compiler(of shape: FetchShape) throws -> ConditionCompiler {
    var compiler = ConditionCompiler(
      table, schema, dialect, isQualified: shape.namesRelatedRows)
    if compiler.isQualified { compiler.joins = try compiler.outerJoins(for: shape) }
    return compiler
  }

  /// The test of the rows that a result's values are read from; nil where none is made.
  ///
  /// Rows that a condition, an aggregate or a path to related rows reads are not tested.
  func intactTest(_ shape: FetchShape) throws -> SQLText? {
    guard schema.verifiesRows else { return nil }
    var sources = [(table, 0)]
    switch shape.output {
    case .rows, .values: break
    case .joined(let step, _): sources.append((try schema.table(step.entity), step.scope))
    case .aggregates, .groups: return nil
    }
    let tests = sources.compactMap { table, scope in
      table.intactTest(dialect, alias: conditions.isQualified ? conditions.alias(scope) : nil)
    }
    return tests.isEmpty ? nil : SQLText(tests.joined(separator: " AND "))
  }

  mutating func output(
    _ shape: FetchShape
  ) throws -> ([SQLText], FetchPlan.Output) {
    switch shape.output {
    case .rows:
      let positions = Array(table.entity.columns.indices)
      return (positions.map { column($0) }, .columns(positions))
    case .values(let operands):
      let positions = operands.compactMap { conditions.position($0) }
      if positions.count == operands.count {
        return (positions.map { column($0) }, .columns(positions))
      }
      var leaves = FrameLeaves()
      for operand in operands { leaves.add(operand) }
      let arguments = try conditions.arguments(leaves)
      return (
        arguments.texts.isEmpty ? ["1"] : arguments.texts,
        .operands(operands.map(arguments.rewriting.rewritten), arguments.frame)
      )
    case .joined(let step, let attributes):
      try conditions.enter(step)
      let other = try schema.table(step.entity)
      let positions = try attributes.map { try conditions.position(of: Operand.Path([$0])) }
      return (
        other.entity.columns.indices.map { conditions.text($0, of: step.scope) }
          + positions.map { column($0) },
        .joined(step.entity, positions)
      )
    case .aggregates(let aggregates): return try self.aggregates(aggregates)
    case .groups:
      throw StoreError(.invalidCondition, "a group cannot be read as columns of a row")
    }
  }

  /// Groups: the engine's where it forms them exactly, else core's over the rows.
  private mutating func groups(
    _ shape: FetchShape, _ keys: [Operand], _ aggregates: [Aggregate], _ having: Condition
  ) throws -> FetchPlan {
    if sumsIntegers {
      var compiler = GroupCompiler(conditions, schema, dialect)
      if let (text, output) = try compiler.native(
        shape, keys: keys, aggregates: aggregates, having: having)
      {
        return FetchPlan(
          query: SQLQuery(text, dialect), evaluations: compiler.conditions.evaluations,
          output: output, aliases: compiler.conditions.joins?.aliases ?? [:])
      }
    }
    var leaves = FrameLeaves()
    for key in keys { leaves.add(key) }
    for aggregate in aggregates { if let operand = aggregate.operand { leaves.add(operand) } }
    let arguments = try conditions.arguments(leaves)
    let texts: [SQLText] = arguments.texts.isEmpty ? ["1"] : arguments.texts
    let text: SQLText = "SELECT \(texts.joined(separator: ", ")) \(try conditions.rows(shape))"
    return FetchPlan(
      query: SQLQuery(text, dialect), evaluations: conditions.evaluations,
      output: .collected(
        keys: keys.map(arguments.rewriting.rewritten),
        operands: aggregates.map { $0.operand.map(arguments.rewriting.rewritten) },
        arguments.frame), aliases: conditions.joins?.aliases ?? [:])
  }

  private mutating func column(_ position: Int) -> SQLText { conditions.text(position, of: 0) }

  // MARK: Aggregates

  private mutating func aggregates(
    _ aggregates: [Aggregate]
  ) throws -> ([SQLText], FetchPlan.Output) {
    var columns: [SQLText] = []
    var sources: [FetchPlan.AggregateSource] = []
    func add(_ text: SQLText) -> Int {
      if let index = columns.firstIndex(of: text) { return index }
      columns.append(text)
      return columns.count - 1
    }
    for aggregate in aggregates {
      if let operand = aggregate.operand, let position = conditions.position(operand),
        let source = native(
          aggregate.kind, table.column(position).stored.type, column(position), add)
      {
        sources.append(source)
      } else if aggregate.operand == nil, aggregate.kind == .count {
        sources.append(.column(add("count(*)"), .int64))
      } else {
        var leaves = FrameLeaves()
        if let operand = aggregate.operand { leaves.add(operand) }
        let arguments = try conditions.arguments(leaves)
        let kind = try aggregate.operand.flatMap { try conditions.kinds.kind(of: $0) }
        let evaluation = SQLEvaluation.aggregate(
          Aggregate(aggregate.kind, aggregate.operand.map(arguments.rewriting.rewritten)),
          of: kind, arguments.frame)
        let number = conditions.number(of: evaluation)
        let anchor = arguments.hasRelated ? try conditions.anchor(0) : nil
        _ = add(conditions.call(.aggregate, evaluation, arguments.texts, anchor: anchor))
        sources.append(.evaluator(number))
      }
    }
    return (columns.isEmpty ? ["1"] : columns, .aggregates(sources))
  }

  /// An aggregate of a column that the engine does exactly.
  private func native(
    _ kind: Aggregate.Kind, _ type: AttributeType, _ name: SQLText, _ add: (SQLText) -> Int
  ) -> FetchPlan.AggregateSource? {
    let stored = type.kind
    switch kind {
    case .count: return .column(add("count(\(name))"), .int64)
    case .countDistinct:
      guard dialect.comparesEqual(stored, stored) else { return nil }
      return .column(add("count(DISTINCT \(name))"), .int64)
    case .minimum, .maximum:
      guard dialect.hasExtremes(of: stored) else { return nil }
      let function = kind == .minimum ? "min" : "max"
      // Adding zero makes a -0.0 positive and changes nothing else.
      let zero = stored == .double || stored == .date ? " + \(dialect.zero)" : ""
      return .column(add("\(sql: function)(\(name))\(sql: zero)"), type)
    case .sum:
      guard sumsIntegers, stored == .int else { return nil }
      return .sum(add("sum(\(name))"))
    case .average:
      guard sumsIntegers, stored == .int else { return nil }
      return .average(sum: add("sum(\(name))"), count: add("count(\(name))"))
    }
  }
}
