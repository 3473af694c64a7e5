package import ORMStorage

/// A change of many rows as one statement: a value, made by a pure function.
package struct ChangePlan: Sendable {
  /// The statement.
  package var query: SQLQuery
  /// The evaluations that the statement calls, by number.
  package var evaluations: [SQLEvaluation]
  /// True if the statement calls ``SQLFunction/rowCounter`` for each row selected; else the rows
  /// changed are those selected.
  package var countsSelected: Bool
  /// True if the database runs the statement; else core makes the change over the rows.
  package var isExact = true
  /// A query of the number of rows selected, and of those that would get too large a value; nil if no
  /// value that the database works out has a size.
  package var sizes: SQLQuery?
}

/// Compiles updates and deletes.
package struct ChangeCompiler {
  private var conditions: ConditionCompiler
  private let table: SQLTable
  private let schema: SQLSchema
  private let dialect: any SQLDialect

  /// Makes a compiler for one change.
  package init(_ table: SQLTable, _ schema: SQLSchema, _ dialect: any SQLDialect) {
    self.table = table
    self.schema = schema
    self.dialect = dialect
    conditions = ConditionCompiler(table, schema, dialect)
  }

  /// Deletes the rows a shape selects.
  package mutating func delete(_ shape: FetchShape) throws -> ChangePlan {
    conditions = ConditionCompiler(
      table, schema, dialect, isQualified: shape.namesRelatedRows)
    var text = SQLText(
      dialect.deletion(
        from: dialect.quoted(table: table.name),
        as: conditions.isQualified ? conditions.alias(0) : nil))
    if let selection = try conditions.selection(shape) { text.append(" WHERE \(selection)") }
    return ChangePlan(
      query: SQLQuery(text, dialect), evaluations: conditions.evaluations,
      countsSelected: false,
      isExact: (dialect.evaluatesInEngine || conditions.evaluations.isEmpty)
        && !shape.aggregatesRound)
  }

  /// Assigns to the rows a shape selects.
  ///
  /// - Parameters:
  ///   - checksValues: whether values that are bound go through core's check, row by row, too; for those
  ///     of another type than their columns.
  ///   - changesAll: whether no row can keep its values, so that none need be compared.
  ///   - largestValue: the greatest number of bytes of a value.
  package mutating func update(
    _ shape: FetchShape, _ assignments: [StoreChange.Assignment], checksValues: Bool,
    changesAll: Bool = false, largestValue: Int = .max
  ) throws -> ChangePlan {
    if !dialect.evaluatesInEngine, dialect is any QueryChangingDialect, !checksValues,
      let plan = try joinedUpdate(
        shape, assignments, changesAll: changesAll, largestValue: largestValue)
    {
      return plan
    }
    conditions = ConditionCompiler(
      table, schema, dialect,
      isQualified: shape.namesRelatedRows || assignments.contains { $0.value.namesRelatedRows })
    let selection = try conditions.selection(shape)
    conditions.throwsOverflow = true
    var sets: [SQLText] = []
    var tests: [SQLText] = []
    for assignment in assignments {
      let column = table.column(assignment.column)
      let name = dialect.quoted(column.name)
      let (value, folded) = try self.value(assignment, column, checksValues)
      sets.append("\(sql: name) = \(value)")
      if let shadow = column.folded {
        sets.append("\(sql: dialect.quoted(shadow)) = \(folded)")
      }
      let old = conditions.isQualified ? "\(conditions.alias(0)).\(name)" : name
      tests.append(table.difference(old, value, column.stored.type.kind, dialect))
    }
    var text: SQLText =
      "UPDATE \(conditions.aliasedTable) SET \(sets.joined(separator: ", "))"
    let intact = table.intactRequirement(
      dialect, alias: conditions.isQualified ? conditions.alias(0) : nil)
    var test = intact.map { SQLText($0) }
    if !changesAll {
      let differs = tests.chained(by: " OR ")
      test = counted(test.map { "(\(differs)) AND \($0)" } ?? differs)
    }
    switch (selection, test) {
    case (let selection?, let test?) where !dialect.evaluatesInEngine:
      text.append(" WHERE (\(selection)) AND (\(test))")
    case (let selection?, let test?):
      // The rows selected are counted where they are compared. CASE makes sure that a row is
      // selected first, in any sequence of the engine's tests.
      text.append(" WHERE (\(selection)) AND CASE WHEN \(selection) THEN \(test) END")
    case (let only?, nil), (nil, let only?): text.append(" WHERE \(only)")
    case (nil, nil): break
    }
    return ChangePlan(
      query: SQLQuery(text, dialect), evaluations: conditions.evaluations,
      countsSelected: !changesAll && dialect.evaluatesInEngine,
      isExact: dialect.evaluatesInEngine
        || conditions.evaluations.isEmpty
          && (changesAll || assignments.map(\.column).allSatisfy(table.isCompared(dialect)))
    )
  }

  /// Assigns values of related rows by a join with a query that computes them for the rows selected;
  /// nil where no value is one of related rows, or where the engine does not compute all exactly.
  private func joinedUpdate(
    _ shape: FetchShape, _ assignments: [StoreChange.Assignment], changesAll: Bool,
    largestValue: Int
  ) throws -> ChangePlan? {
    guard assignments.contains(where: { $0.value.namesRelatedRows }) else { return nil }
    var conditions = ConditionCompiler(table, schema, dialect, isQualified: true)
    conditions.joins = try conditions.outerJoins(for: shape)
    conditions.throwsOverflow = true
    let found = dialect.quoted("found")
    var selected = table.entity.key.enumerated().map { number, position -> SQLText in
      "\(conditions.text(position, of: 0)) AS \(sql: dialect.quoted("k\(number)"))"
    }
    var sets: [SQLText] = []
    var tests: [SQLText] = []
    var tooLarge: [SQLText] = []
    for (number, assignment) in assignments.enumerated() {
      let column = table.column(assignment.column)
      let form = SQLForm.stored(column.stored.type.kind)
      let value: SQLText
      var folded: SQLText?
      switch assignment.value {
      case .parameter(let slot, _):
        value = "\(.parameter(slot, form))"
        folded = "\(.parameter(slot, .folded))"
      case .value(let constant):
        value = "\(.constant(constant, form))"
        folded = "\(.constant(constant, .folded))"
      case .relatedValue, .relatedAggregate:
        let related = try conditions.related(.related(assignment.value))
        guard related.source.isStored(as: column.stored) else { return nil }
        let name = dialect.quoted("v\(number)")
        selected.append("\(related.text) AS \(sql: name)")
        value = "\(sql: found).\(sql: name)"
        if [.string, .data].contains(column.stored.type.kind) {
          guard let size = (dialect as? any QueryChangingDialect)?.byteCount(of: value) else {
            return nil
          }
          tooLarge.append("\(size) > \(sql: "\(largestValue)")")
        }
        if column.folded != nil {
          guard let text = try foldedText(assignment.value, &conditions) else { return nil }
          let name = dialect.quoted("f\(number)")
          selected.append("\(text) AS \(sql: name)")
          folded = "\(sql: found).\(sql: name)"
        }
      default: return nil
      }
      let name = dialect.quoted(column.name)
      sets.append("\(sql: name) = \(value)")
      if let shadow = column.folded, let folded {
        sets.append("\(sql: dialect.quoted(shadow)) = \(folded)")
      }
      tests.append(
        table.difference(
          "\(conditions.alias(0)).\(name)", value, column.stored.type.kind, dialect))
    }
    conditions.throwsOverflow = false
    let source = try conditions.source(shape)
    guard conditions.evaluations.isEmpty else { return nil }
    var matches = table.entity.key.enumerated().map { number, position -> SQLText in
      let key = "\(found).\(dialect.quoted("k\(number)"))"
      return "\(conditions.text(position, of: 0)) = \(sql: key)"
    }
    if let intact = table.intactRequirement(dialect, alias: conditions.alias(0)) {
      matches.append(SQLText(intact))
    }
    if !changesAll { matches.append("(\(tests.chained(by: " OR ")))") }
    let from: SQLText =
      "FROM (SELECT \(selected.joined(separator: ", ")) \(source)) AS \(sql: found)"
    let text: SQLText = """
      UPDATE \(conditions.aliasedTable) SET \(sets.joined(separator: ", ")) \(from) \
      WHERE \(matches.joined(separator: " AND "))
      """
    let counts: SQLText =
      "SELECT count(*), count(CASE WHEN \(tooLarge.chained(by: " OR ")) THEN 1 END) \(from)"
    return ChangePlan(
      query: SQLQuery(text, dialect), evaluations: [], countsSelected: false,
      isExact: changesAll || assignments.map(\.column).allSatisfy(table.isCompared(dialect)),
      sizes: tooLarge.isEmpty ? nil : SQLQuery(counts, dialect))
  }

  /// The folded text of an attribute that to-ones lead to, from the column that holds it; nil for any
  /// other value.
  private func foldedText(
    _ operand: Operand, _ conditions: inout ConditionCompiler
  ) throws -> SQLText? {
    guard case .relatedValue(.path(let path), let rows) = operand, let last = rows.steps.last,
      path.scope == last.scope
    else { return nil }
    let target = try schema.table(last.entity)
    guard let position = target.entity.column(ofAttribute: path.names[0]),
      target.column(position).folded != nil
    else { return nil }
    return try conditions.related(.related(operand), isFolded: true).text
  }

  /// A test of rows that are counted before it, where the database counts calls.
  private func counted(_ test: SQLText) -> SQLText {
    dialect.evaluatesInEngine ? SQLFunction.counted(test) : test
  }

  /// Returns the text that an assignment stores in a column, and the text of its folded form.
  private mutating func value(
    _ assignment: StoreChange.Assignment, _ column: SQLTable.Column, _ checksValues: Bool
  ) throws -> (SQLText, folded: SQLText) {
    let form = SQLForm.stored(column.stored.type.kind)
    switch assignment.value {
    case .parameter(let slot, _) where !checksValues:
      return ("\(.parameter(slot, form))", "\(.parameter(slot, .folded))")
    case .value(let value) where !checksValues:
      return ("\(.constant(value, form))", "\(.constant(value, .folded))")
    default:
      let arguments = try conditions.arguments(assignment.value)
      let value = conditions.call(
        .value,
        .assigned(
          arguments.rewriting.rewritten(assignment.value), column.stored, arguments.frame),
        arguments.texts)
      if let integer = integer(assignment.value, for: column.stored, otherwise: value) {
        return (integer, "")
      }
      return (value, "\(sql: SQLFunction.fold.rawValue)(\(value))")
    }
  }

  /// Arithmetic on integers: the engine computes every result that the column takes; overflow, null and
  /// results out of range are left to the evaluator.
  private mutating func integer(
    _ operand: Operand, for column: StoredColumn, otherwise evaluated: SQLText
  ) -> SQLText? {
    guard dialect.integersOverflowToDoubles, let range = column.type.integerRange,
      case .arithmetic(_, let left, let right) = operand,
      let result = integer(operand, depth: Self.deepestArithmetic)
    else { return nil }
    // A double for a result that is too small may be equal to the least integer.
    let least = max(range.lowerBound, -Int64.max)
    var test: SQLText = "\(result) BETWEEN \(sql: "\(least)") AND \(sql: "\(range.upperBound)")"
    if left.isArithmetic || right.isArithmetic {
      // A result computed from a double may come back into the range, but as a double.
      let isWhole: SQLText = "typeof(\(result)) = 'integer'"
      test = column.type == .int64 ? isWhole : "\(isWhole) AND \(test)"
    }
    return "CASE WHEN \(test) THEN \(result) ELSE \(evaluated) END"
  }

  /// The operators inside each other that the engine computes: a parser's stack is small (SQLite's has
  /// 100 levels), and each takes some.
  private static let deepestArithmetic = 16

  /// Returns the text of an operand that the engine computes in integers, or in doubles where it
  /// overflows; nil for any other operand, and for operators deeper than `depth`.
  private mutating func integer(_ operand: Operand, depth: Int) -> SQLText? {
    switch operand {
    case .value(.int(let value)): return "\(.constant(.int(value), .stored(.int)))"
    case .parameter(let slot, .int): return "\(.parameter(slot, .stored(.int)))"
    case .path:
      guard let position = conditions.position(operand),
        table.column(position).stored.type.kind == .int
      else { return nil }
      return conditions.text(position, of: 0)
    case .arithmetic(let symbol, let left, let right)
    where depth > 0 && [.add, .subtract, .multiply].contains(symbol):
      guard let first = integer(left, depth: depth - 1),
        let second = integer(right, depth: depth - 1)
      else { return nil }
      let parts = [(left, first), (right, second)].map { operand, text -> SQLText in
        operand.isArithmetic ? "(\(text))" : text
      }
      return "\(parts[0]) \(sql: symbol.symbol) \(parts[1])"
    default: return nil
    }
  }
}

extension Operand {
  /// True for an operator with two operands.
  fileprivate var isArithmetic: Bool { if case .arithmetic = self { true } else { false } }
}

extension SQLRowLayout.Column {
  /// Returns whether a column takes every value of this one as it is, unless it is too large: their
  /// types are the same, and the column does not normalize.
  fileprivate func isStored(as column: StoredColumn) -> Bool {
    !isTagged && type == column.type && type.isScalar && !(type == .string && column.isNormalized)
  }
}
