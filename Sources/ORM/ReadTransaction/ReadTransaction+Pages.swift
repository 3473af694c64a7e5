public import ORMCore

/// Some rows of a result, and the position at which they end.
///
/// ```swift
/// let query = Player.all.sorted(by: .ascending { $0.team.name }).limit(50)
/// let page = try store.fetchPage(query)
/// let next = try store.fetchPage(query.after(page.end))
/// let first = try store.fetchPage(query, withTotal: true)
/// print("\(first.rows.count) of \(first.total ?? 0)")
/// ```
public struct ResultPage<Row> {
  /// The rows.
  public let rows: [Row]
  /// The number of rows that the query has in all, on every page; nil unless it was asked for.
  public let total: Int?
  /// The position of the last of them, for `after(_:)`; nil when there is none.
  ///
  /// Codable, so that it can travel to a client and back. Rows inserted before it do not
  /// change the rows after it (clause 3.3).
  public let end: QueryCursor?
  /// True if rows come after the last of them.
  ///
  /// One row more than the limit is read for it.
  public let hasMore: Bool
}

extension ResultPage: Sendable where Row: Sendable {}

extension ReadTransaction {
  /// The position of a model in a query's order: by attributes, values at the end of to-ones, and
  /// aggregates of to-manys.
  ///
  /// ```swift
  /// let cursor = try tx.cursor(after: snack, in: Snack.all.sorted(by: .ascending(\.name)))
  /// ```
  ///
  /// - Throws: `notFound` when the order goes through relationships and the model is not stored;
  ///   `invalidValue` and `missingValue` for a model that cannot be stored.
  public func cursor<Model: PrimaryKeyed>(
    after model: Model, in query: Query<Model>
  ) throws -> QueryCursor {
    let plan = try plan(of: Model.self)
    let order = plan.lowering.positionOrder(of: .rows, query.terms)
    let isPlain = order.allSatisfy { term in
      guard case .path(let path) = term.operand, path.names.count == 1 else { return false }
      return plan.entity.relationship(named: path.names[0]) == nil
    }
    if isPlain { return try query.cursor(after: model) }
    let key = try model.id.keyValues()
    let request = try plan.lowering.request(
      output: .values(order.map(\.operand)),
      condition: .all(plan.entity.equalities(plan.entity.key, key)), order: [], paging: .all,
      start: nil, deleted: query.deleted)
    let rows = try live().rows(of: request)
    guard let values = rows.first else {
      throw StoreError(
        .notFound,
        "the cursor's row is not stored, so the page after it cannot be "
          + "found", entity: plan.entity.modelName,
        key: key)
    }
    return QueryCursor(
      sort: order, values: zip(order, values).map { term, value in value.folded(term.options) })
  }

  /// Fetches the models that match the query, and the cursor after the last of them.
  ///
  /// ```swift
  /// let page = try tx.fetchPage(Snack.all.limit(50), withTotal: true)
  /// print("\(page.rows.count) of \(page.total ?? 0)")
  /// ```
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - withTotal: true to count, by one more request, the rows that the query has in all.
  public func fetchPage<Model: PrimaryKeyed>(
    _ query: Query<Model>, withTotal: Bool = false
  ) throws -> ResultPage<Model> {
    let (limit, offset) = try plan(of: Model.self).lowering.limit(of: query.paging)
    var longer = query
    if let limit, limit < .max { longer.paging = .limit(limit + 1, offset: offset) }
    var models = try fetch(longer)
    let hasMore = limit.map { models.count > $0 } ?? false
    if hasMore { models.removeLast() }
    var whole = query
    whole.paging = .all
    whole.start = nil
    return ResultPage(
      rows: models, total: withTotal ? try count(whole) : nil,
      end: try models.last.map { try cursor(after: $0, in: query) }, hasMore: hasMore)
  }

  /// Fetches the rows of a projection or of groups, and the cursor after the last of them.
  ///
  /// ```swift
  /// let page = try tx.fetchPage(Snack.all.select(\.name).limit(50))
  /// ```
  ///
  /// - Parameters:
  ///   - question: the projection, or the groups.
  ///   - withTotal: true to count, by one more request, the rows or groups that it has in all.
  public func fetchPage<Question: ResultQuery>(
    _ question: Question, withTotal: Bool = false
  ) throws -> ResultPage<Question.Row> {
    let plan = try ResultPlan(question, in: store)
    let total = withTotal ? try count(all: plan) : nil
    return try page(plan, plan.source.decoder, total: total)
  }

  /// Counts all rows of a result, without its page and its start.
  private func count<Row>(all plan: ResultPlan<Row>) throws -> Int {
    let source = plan.source
    var output = source.output
    if case .values = output { output = .aggregates([Aggregate(.count)]) }
    let request = try plan.lowering.request(
      output: output, condition: source.condition, order: [], paging: .all, start: nil,
      deleted: source.deleted)
    do {
      guard case .groups = output else {
        let rows = try live().rows(of: request)
        return try rows.first?.first.map { try Int(storedValue: $0) } ?? 0
      }
      var counter = RowCounter()
      try live().visit(request, &counter)
      return counter.count
    } catch let error as StoreError {
      throw error.filling(entity: plan.entity.modelName)
    }
  }

  private func page<Decoder: ResultDecoder>(
    _ plan: ResultPlan<Decoder.Row>, _ decoder: Decoder, total: Int?
  ) throws -> ResultPage<Decoder.Row> {
    let source = plan.source
    let order = plan.lowering.positionOrder(of: source.output, source.order)
    var request = plan.request
    var shown = 0
    if case .values(let columns) = source.output {
      // The values of the order come after those that are requested.
      shown = columns.count
      request = try plan.lowering.request(
        output: .values(columns + order.map(\.operand)), condition: source.condition,
        order: source.order, paging: source.paging, start: source.start,
        deleted: source.deleted)
    }
    var visitor = LastRowCollector(collector: try plan.collector(decoder), limit: request.limit)
    if let limit = request.limit, limit < .max { request.limit = limit + 1 }
    do {
      try live().visit(request, &visitor)
      let end = try visitor.last.map { last in
        guard case .values = source.output else {
          return try plan.lowering.position(of: last, in: order, of: request)
        }
        return QueryCursor(
          sort: order,
          values: zip(order, last.dropFirst(shown)).map { $1.folded($0.options) })
      }
      return ResultPage(
        rows: visitor.collector.rows, total: total, end: end, hasMore: visitor.hasMore)
    } catch let error as StoreError {
      throw error.filling(entity: plan.entity.modelName)
    }
  }
}
