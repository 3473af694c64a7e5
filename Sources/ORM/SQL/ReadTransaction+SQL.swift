public import ORMCore

extension ReadTransaction {
  /// Runs a query in SQL and returns its rows as models.
  ///
  /// ```swift
  /// let cheap = try tx.query(
  ///   sql: "SELECT * FROM \(Snack.self) WHERE \(\Snack.price) < \(2.0) ORDER BY \(\Snack.name)",
  ///   as: Snack.self)
  /// ```
  ///
  /// Interpolated models and key paths are quoted names, all else is a bound value. Every attribute of
  /// the model needs a column of its name, in any order; other columns are passed over. The model need
  /// not be one of the schema: a struct with the attributes of a report can take its rows.
  ///
  /// SQL sees the tables as they are: rows that are deleted softly, rows of every subentity, attributes
  /// by their columns. The layout of tables is described by the store's module. Relationships that are
  /// not columns are not loaded.
  ///
  /// - Throws: `unsupported` in a store that is no SQL database; `invalidStatement` for a text that the
  ///   database refuses, or that is no query; `decoding` for an attribute without a column, or with a
  ///   value of another kind.
  public func query<Model: Persistable>(sql query: SQLRequest, as model: Model.Type) throws
    -> [Model]
  {
    let shape = try store.runtime.plan(for: ResultShape<Model>.self) {
      try ResultShape<Model>(in: store.schema)
    }
    let positions = ResultPositions()
    var collector = ResultModels(shape, positions)
    try live().runningQueries.visit(
      sql: query,
      columns: { names in
        let columns = try shape.entity.columns(ofResult: names)
        positions.columns = columns.positions
        return columns.found
      }, &collector)
    return collector.models
  }

  /// Runs a query in SQL and returns its rows by the names of their columns.
  ///
  /// ```swift
  /// let rows = try tx.query(sql: "SELECT kind, count(*) AS n FROM \(Snack.self) GROUP BY kind")
  /// print(rows.first?["n"])
  /// ```
  ///
  /// Each value is of the kind that the database gives: an integer, a double, a text or data. The
  /// entity of the rows is `SQL`.
  ///
  /// - Throws: as ``query(sql:as:)``.
  public func query(sql query: SQLRequest) throws -> [DynamicRow] {
    var collector = ValueCollector()
    var names: [String] = []
    try live().runningQueries.visit(
      sql: query,
      columns: {
        names = $0
        return $0.map { _ in nil }
      }, &collector)
    // Of several columns with one name the first counts.
    var known: Set<ExactText> = []
    let first = names.indices.filter { known.insert(names[$0]).inserted }
    let list = AttributeList(first.map { names[$0] })
    return collector.rows.map { values in DynamicRow("SQL", list, first.map { values[$0] }) }
  }
}

extension WriteTransaction {
  /// Runs a statement in SQL on tables that are the program's own, and returns the number of rows
  /// changed.
  ///
  /// ```swift
  /// try tx.execute(sql: "CREATE VIEW cheap AS SELECT * FROM \(Snack.self) WHERE \(\Snack.price) < 2")
  /// ```
  ///
  /// The statement is part of the transaction. It may read every table, and make and change tables,
  /// indexes and views beside those of the store. Models are changed by the operations alone, which
  /// keep their rules, links, indexes and history.
  ///
  /// - Throws: `unsupported` in a store that is no SQL database; `invalidStatement` for a text that the
  ///   database refuses, or that would change a table of the store, a transaction or a setting.
  @discardableResult
  public func execute(sql statement: SQLRequest) throws -> Int {
    try checkRunning()
    return try writer.runningStatements.execute(sql: statement)
  }
}
