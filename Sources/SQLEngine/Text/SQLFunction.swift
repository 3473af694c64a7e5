/// The functions that a connection offers its statements, by their names in SQL.
///
/// Those that take an evaluator find it as their first argument, where
/// ``SQLStatement/bind(evaluator:at:)`` bound it, and pass it the other arguments as a ``SQLRow`` of
/// its ``SQLEvaluator/layout``. Each takes any number of arguments, up to ``SQLLimits/arguments`` and
/// two more. All but `rowCounter` give equal results for equal arguments within one run.
public enum SQLFunction: String, CaseIterable, Sendable {
  /// `(evaluator, columns…)`: 1 or 0, by ``SQLEvaluator/test(_:)``.
  case test = "strata_test"
  /// `(evaluator, columns…)`: a value, by ``SQLEvaluator/value(_:)``.
  case value = "strata_value"
  /// `(evaluator, first, columns…)`: null, after ``SQLEvaluator/take(_:first:count:)``. The columns of
  /// the row begin at `first`, for calls with more columns than one takes.
  case more = "strata_more"
  /// `(evaluator, columns…, any)`: an aggregate with a total of its own for each group, by
  /// ``SQLEvaluator/newTotal()``, ``SQLEvaluator/add(_:to:)`` and ``SQLEvaluator/result(of:)``; null
  /// over no rows.
  case total = "strata_total"
  /// `(evaluator, columns…)`: a value, by ``SQLEvaluator/value(_:)``, which runs a statement on the
  /// same connection.
  case query = "strata_query"
  /// `(evaluator, columns…)`: an aggregate over all rows, by ``SQLEvaluator/add(_:)``; null, for the
  /// evaluator holds the result.
  case aggregate = "strata_aggregate"
  /// `(any…)`: 1. The connection counts the calls in ``SQLConnection/rowCounter``; needed only if
  /// ``SQLDialect/countsCalls`` is true.
  case rowCounter = "strata_row_count"
  /// `(double, double)`: 1 if the bits of two doubles differ, else 0. Anything that is no double is
  /// converted.
  case differs = "strata_differs"
  /// `(text)`: the text folded by `TextFolding.fold(_:_:)` with `.caseInsensitive`; null for null.
  case fold = "strata_fold"
  /// `(text, values…)`: an integer, the checksum of a row of the table named first; needed only in
  /// stores with checksums. The function may be called from the declaration of a table.
  case checksum = "strata_checksum"
  /// `(boolean, entity)`: 1, or the error `corrupt` if the boolean is not 1; needed only in stores
  /// with checksums.
  case intact = "strata_intact"
}

extension SQLFunction {
  /// A test of rows that are counted before it: 1 where it holds.
  ///
  /// CASE keeps the sequence, and tests as WHERE does: no further than it has to.
  static func counted(_ test: SQLText) -> SQLText {
    "CASE WHEN \(sql: rowCounter.rawValue)() THEN CASE WHEN \(test) THEN 1 END END"
  }
}
