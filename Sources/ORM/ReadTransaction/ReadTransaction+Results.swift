public import ORMCore

/// Rows that are no models: projections and groups.
extension ReadTransaction {
  /// Every row of a projection or of groups, in its order.
  ///
  /// ```swift
  /// let tastes = Snack.all.grouped(by: \.taste) { $0.count() }
  /// for (taste, count) in try tx.fetch(tastes) { print(taste ?? "none", count) }
  /// ```
  ///
  /// - Throws: `invalidCondition` for a question that cannot be asked, such as one that names an
  ///   attribute of a group that is no key; `overflow` for a sum that does not fit; the error of the
  ///   question's `map`.
  public func fetch<Question: ResultQuery>(_ question: Question) throws -> [Question.Row] {
    let plan = try ResultPlan(question, in: store)
    return try rows(plan, plan.request, plan.source.decoder)
  }

  /// The first row of a projection or of groups; nil when there is none.
  ///
  /// ```swift
  /// let row = try tx.first(Snack.all.select(\.name, \.price))
  /// ```
  public func first<Question: ResultQuery>(_ question: Question) throws -> Question.Row? {
    let plan = try ResultPlan(question, in: store)
    return try rows(plan, plan.request.limited(to: 1), plan.source.decoder).first
  }

  func rows<Decoder: ResultDecoder>(
    _ plan: ResultPlan<Decoder.Row>, _ request: FetchRequest, _ decoder: Decoder
  ) throws -> [Decoder.Row] {
    var collector = try plan.collector(decoder)
    do {
      try live().visit(request, &collector)
    } catch let error as StoreError {
      throw error.filling(entity: plan.entity.modelName)
    }
    return collector.rows
  }

  /// Returns the number of rows a projection has, or how many groups there are.
  ///
  /// ```swift
  /// let tastes = try tx.count(Snack.all.select(\.taste).distinct())
  /// ```
  public func count<Question: ResultQuery>(_ question: Question) throws -> Int {
    let plan = try ResultPlan(question, in: store)
    var rowCounter = RowCounter()
    do {
      try live().visit(plan.request, &rowCounter)
    } catch let error as StoreError {
      throw error.filling(entity: plan.entity.modelName)
    }
    return rowCounter.count
  }

  /// Passes the rows to `body` in chunks of at most `size`, all of one snapshot; in a write transaction
  /// they are collected first, so that `body` may write.
  ///
  /// ```swift
  /// let prices = Snack.all.select(\.name, \.price)
  /// try tx.chunks(prices, size: 500) { rows in print(rows.count) }
  /// ```
  ///
  /// A projection takes constant memory, groups that of the groups.
  public func chunks<Question: ResultQuery>(
    _ question: Question, size: Int, _ body: ([Question.Row]) throws -> Void
  ) throws {
    let plan = try ResultPlan(question, in: store)
    func run<Decoder: ResultDecoder>(
      _ decoder: Decoder, _ body: ([Decoder.Row]) throws -> Void
    ) throws where Decoder.Row == Question.Row {
      try chunks(
        plan.request, plan.collector(decoder), size: size, entity: plan.entity, body)
    }
    try run(plan.source.decoder, body)
  }

  /// Explains how the store would answer the question; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// let tastes = Snack.all.grouped(by: \.taste) { $0.count() }
  /// print(try tx.explain(tastes, analyze: true).rowsRead)
  /// ```
  public func explain<Question: ResultQuery>(
    _ question: Question, analyze: Bool = false
  ) throws -> Explanation {
    let request = try ResultPlan(question, in: store).request
    return try live().explain(request, analyze: analyze)
  }
}
