public import ORMStorage

extension ReadTransaction {
  /// Every row of a selection, by the names of its columns.
  ///
  /// ```swift
  /// let rows = try tx.fetch(DynamicSelection("Snack", [.value("name"), .value("price")]))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a column that is no key of its groups; as the
  ///   typed operations.
  public func fetch(_ selection: DynamicSelection) throws -> [DynamicRow] {
    let plan = try SelectionPlan(selection, in: store)
    var visitor = SelectionCollector(selection, plan)
    do {
      try live().visit(plan.request, &visitor)
    } catch let error as StoreError {
      throw error.filling(entity: plan.plan.entity.modelName)
    }
    return visitor.rows
  }

  /// Passes the rows of a selection to `body` in chunks of at most `size`, all of one snapshot; in a
  /// write transaction they are collected first, so that `body` may write.
  ///
  /// ```swift
  /// let selection = DynamicSelection("Snack", [.value("name")])
  /// try tx.chunks(selection, size: 500) { rows in print(rows.count) }
  /// ```
  public func chunks(
    _ selection: DynamicSelection, size: Int, _ body: ([DynamicRow]) throws -> Void
  ) throws {
    let plan = try SelectionPlan(selection, in: store)
    try chunks(
      plan.request, SelectionCollector(selection, plan), size: size, entity: plan.plan.entity, body)
  }

  /// Returns the number of rows a selection has: how many groups, or how many different rows.
  ///
  /// ```swift
  /// let count = try tx.count(DynamicSelection("Snack", [.value("name")]))
  /// ```
  public func count(_ selection: DynamicSelection) throws -> Int {
    var visitor = RowCounter()
    try live().visit(try SelectionPlan(selection, in: store).request, &visitor)
    return visitor.count
  }

  /// Explains how the store would answer a selection; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(tx.explain(DynamicSelection("Snack", [.value("name")])))
  /// ```
  public func explain(
    _ selection: DynamicSelection, analyze: Bool = false
  ) throws -> Explanation {
    let request = try SelectionPlan(selection, in: store).request
    return try live().explain(request, analyze: analyze)
  }
}
