// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Statements in SQL with a completion handler, each in a transaction of its own.
///
/// A read waits for the pending writes of completion overloads, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Runs a query in SQL and returns its rows as models, whose attributes are found by the names of columns.
  ///
  /// ```swift
  /// store.query(sql: "SELECT * FROM \(Snack.self) WHERE \(\Snack.price) < \(2.0)", as: Snack.self, on: .main) { print($0) }
  /// ```
  ///
  /// Interpolated models and key paths are quoted names, all else is a bound value.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unsupported` in a store that is no SQL database; `invalidStatement`; `decoding` for
  /// an attribute without a column; the errors of `read`.
  public func query<Model: Persistable>(
    sql query: SQLRequest, as model: Model.Type, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.query(sql: query, as: model)
    }
  }

  /// Runs a query in SQL and returns its rows by the names of their columns.
  ///
  /// ```swift
  /// store.query(sql: "SELECT count(*) AS n FROM \(Snack.self)", on: .main) { print($0) }
  /// ```
  ///
  /// Each value is of the kind that the database gives: an integer, a double, a text or data.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unsupported` in a store that is no SQL database; `invalidStatement`; the errors of
  /// `read`.
  public func query(
    sql query: SQLRequest, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[DynamicRow], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.query(sql: query) }
  }

  /// Runs a statement in SQL on tables that are the program's own, and returns the number of rows changed.
  ///
  /// ```swift
  /// store.execute(sql: "CREATE VIEW cheap AS SELECT * FROM \(Snack.self) WHERE \(\Snack.price) < 2", on: .main) { print($0) }
  /// ```
  ///
  /// Models are changed by the operations of the store alone.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unsupported` in a store that is no SQL database; `invalidStatement` for a statement
  /// that would change a table of the store; the errors of `write`.
  public func execute(
    sql statement: SQLRequest, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.execute(sql: statement) }
  }
}
