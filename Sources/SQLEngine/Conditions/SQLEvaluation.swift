package import ORMStorage

/// What is left to core's evaluator, as a value: each becomes an ``SQLEvaluator`` when it is bound.
///
/// Conditions and operands name the columns of their frames.
package enum SQLEvaluation: Hashable, Sendable {
  /// Whether a condition holds.
  case test(Condition, SQLFrame)
  /// The value of an operand, as a column of this type keeps it.
  case assigned(Operand, StoredColumn, SQLFrame)
  /// The value of an operand of related rows; arithmetic that overflows throws, or is null.
  case value(Operand, SQLRowLayout.Column, throwsOverflow: Bool, SQLFrame)
  /// A value that orders as a sort term does; nil for nil. The kind is that of the operand.
  case order(Operand, AttributeType.Kind?, TextOptions, SQLFrame)
  /// An aggregate over all rows, of an operand of this kind.
  case aggregate(Aggregate, of: AttributeType.Kind?, SQLFrame)
  /// An aggregate over related rows, of an operand of a kind; a sum that overflows throws, or is
  /// null.
  case total(
    Aggregate, of: AttributeType.Kind?, SQLRowLayout.Column, throwsOverflow: Bool, SQLFrame)
  /// The one value of a query of its own.
  case query(SQLInnerQuery)
}

/// A query about rows outside of it that is a statement of its own, run once a call: for what is
/// too deep or too long to stand in one text.
package struct SQLInnerQuery: Hashable, Sendable {
  /// The statement, which gives one value.
  package var query: SQLQuery
  /// What the evaluators of the statement are, by number.
  package var evaluations: [SQLEvaluation]
  /// What the statement is handed of the rows outside.
  package var frame: SQLFrame
  /// What it gives.
  package var result: SQLRowLayout.Column
}
