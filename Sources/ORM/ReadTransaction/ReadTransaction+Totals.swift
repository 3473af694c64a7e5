public import ORMCore

extension ReadTransaction {
  /// Fetches several aggregates over all rows of a query by one request.
  ///
  /// ```swift
  /// let totals = Snack.all.totals { ($0.count(), $0.average(\.price)) }
  /// let (count, price) = try tx.fetch(totals)                   // (Int, Double?)
  /// ```
  ///
  /// - Throws: `overflow` if a sum does not fit; `invalidCondition` for an attribute outside of an
  ///   aggregate; `invalidPage` for a page of a query; the error of the totals' `map`.
  public func fetch<Model: Persistable, Row>(_ totals: Totals<Model, Row>) throws -> Row {
    let plan = try ResultPlan(totals.source, of: Model.self, in: store)
    guard let row = try rows(plan, plan.request, plan.source.decoder).first else {
      throw StoreError(
        .engine, "the store gave no row for aggregates", entity: plan.entity.modelName)
    }
    return row
  }

  /// Explains how the store would compute the totals; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(tx.explain(Snack.all.totals { $0.count() }))
  /// ```
  public func explain<Model: Persistable, Row>(
    _ totals: Totals<Model, Row>, analyze: Bool = false
  ) throws -> Explanation {
    let request = try ResultPlan(totals.source, of: Model.self, in: store).request
    return try live().explain(request, analyze: analyze)
  }
}
