package import ORMStorage

/// A computation left to core's evaluator, as a value; it becomes an ``SQLEvaluator`` when it is
/// bound.
///
/// Conditions and operands name the columns of their frames.
package enum SQLEvaluation: Equatable, Sendable {
  /// A test of whether a condition holds.
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

/// A query about rows outside of it that is a statement of its own, run once a call, for conditions that are
/// too deep or too long for one text.
package struct SQLInnerQuery: Equatable, Sendable {
  /// The statement, which gives one value.
  package var query: SQLQuery
  /// The evaluations that the statement calls, by number.
  package var evaluations: [SQLEvaluation]
  /// The columns of outside rows that the statement is passed.
  package var frame: SQLFrame
  /// The result column that describes the value it gives.
  package var result: SQLRowLayout.Column
}
