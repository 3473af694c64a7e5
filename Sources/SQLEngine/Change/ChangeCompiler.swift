package import ORMCore

/// A change of many rows as one statement: a value, made by a pure function.
package struct ChangePlan: Hashable, Sendable {
  /// The statement.
  package var query: SQLQuery
  /// What the evaluators of the statement are, by number.
  package var evaluations: [SQLEvaluation]
  /// The evaluator that counts the rows selected; nil where the rows changed are those selected.
  package var tally: Int?
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
    var text: SQLText = "DELETE FROM \(conditions.aliasedTable)"
    if let selection = try conditions.selection(shape) { text.append(" WHERE \(selection)") }
    return ChangePlan(
      query: SQLQuery(text, dialect), evaluations: conditions.evaluations, tally: nil)
  }

  /// Assigns to the rows a shape selects.
  ///
  /// - Parameter checksValues: whether values that are bound go through core's check, row by row,
  ///   too; for those that are not what their columns take.
  package mutating func update(
    _ shape: FetchShape, _ assignments: [StoreChange.Assignment], checksValues: Bool
  ) throws -> ChangePlan {
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
      tests.append(table.difference(old, value, column.stored.type.kind))
    }
    let tally = conditions.number(of: .tally)
    // The rows selected are counted where they are compared. CASE makes sure that a row is selected
    // before that, in whatever sequence the engine tests.
    let changed: SQLText =
      "\(sql: SQLFunction.tally.rawValue)(\(.evaluator(tally)), \(tests.joined(separator: " OR ")))"
    var text: SQLText =
      "UPDATE \(conditions.aliasedTable) SET \(sets.joined(separator: ", ")) WHERE "
    if let selection {
      text.append("(\(selection)) AND CASE WHEN \(selection) THEN \(changed) END")
    } else {
      text.append(changed)
    }
    return ChangePlan(
      query: SQLQuery(text, dialect), evaluations: conditions.evaluations, tally: tally)
  }

  /// What a column becomes, and what its folded text becomes.
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
      return (value, "\(sql: SQLFunction.fold.rawValue)(\(value))")
    }
  }
}
