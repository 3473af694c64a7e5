// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Statements in SQL on the calling thread, each in a transaction of its own.
///
/// A read waits for the pending writes of blocks with a completion handler, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Runs a query in SQL and returns its rows as models, whose attributes are found by the names of columns.
  ///
  /// ```swift
  /// let cheap = try store.query(sql: "SELECT * FROM \(Snack.self) WHERE \(\Snack.price) < \(2.0)", as: Snack.self)
  /// ```
  ///
  /// Interpolated models and key paths are quoted names, all else is a bound value.
  ///
  /// - Throws: `unsupported` in a store that is no SQL database; `invalidStatement`; `decoding` for
  ///   an attribute without a column; the errors of `read`.
  public func query<Model: Persistable>(
    sql query: SQLRequest, as model: Model.Type, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> [Model] {
    try readOperation(consistency: consistency) { try $0.query(sql: query, as: model) }
  }

  /// Runs a query in SQL and returns its rows by the names of their columns.
  ///
  /// ```swift
  /// let rows = try store.query(sql: "SELECT count(*) AS n FROM \(Snack.self)")
  /// ```
  ///
  /// Each value is of the kind that the database gives: an integer, a double, a text or data.
  ///
  /// - Throws: `unsupported` in a store that is no SQL database; `invalidStatement`; the errors of
  ///   `read`.
  public func query(
    sql query: SQLRequest, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> [DynamicRow] {
    try readOperation(consistency: consistency) { try $0.query(sql: query) }
  }

  /// Runs a statement in SQL on tables that are the program's own, and returns the number of rows changed.
  ///
  /// ```swift
  /// try store.execute(sql: "CREATE VIEW cheap AS SELECT * FROM \(Snack.self) WHERE \(\Snack.price) < 2")
  /// ```
  ///
  /// Models are changed by the operations of the store alone.
  ///
  /// - Throws: `unsupported` in a store that is no SQL database; `invalidStatement` for a statement
  ///   that would change a table of the store; the errors of `write`.
  @discardableResult
  public func execute(sql statement: SQLRequest) throws -> Int {
    try singleOperation { try $0.execute(sql: statement) }
  }
}
