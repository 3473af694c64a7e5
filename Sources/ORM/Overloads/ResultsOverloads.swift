// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Aggregates, projections, groups and pages on the calling thread, each in a transaction of its
/// own.
///
/// A read waits for the pending writes of blocks with a completion handler, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Counts the different values of an attribute, or of an expression over each row; nil is not one.
  ///
  /// ```swift
  /// let tastes = try store.countDistinct(Snack.all, \.taste)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Int {
    try readOperation(consistency: consistency) { try $0.countDistinct(query, body) }
  }

  /// Sums an attribute, or an expression over each row, exactly; nil is skipped, and the sum of nothing is 0.
  ///
  /// ```swift
  /// let stock = try store.sum(Snack.all, \.stock)
  /// ```
  ///
  /// - Throws: `overflow` if the total does not fit; the errors of `read`.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Total {
    try readOperation(consistency: consistency) { try $0.sum(query, body) }
  }

  /// Computes the mean of an attribute, or of an expression over each row, rounded once; that of nothing is nil.
  ///
  /// ```swift
  /// let price = try store.average(Snack.all, \.price)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Double? {
    try readOperation(consistency: consistency) { try $0.average(query, body) }
  }

  /// Finds the least value of an attribute, or of an expression over each row; nil if there is none.
  ///
  /// ```swift
  /// let least = try store.min(Snack.all, \.price)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try readOperation(consistency: consistency) { try $0.min(query, body) }
  }

  /// Finds the greatest value of an attribute, or of an expression over each row; nil if there is none.
  ///
  /// ```swift
  /// let greatest = try store.max(Snack.all, \.price)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try readOperation(consistency: consistency) { try $0.max(query, body) }
  }

  /// Fetches several aggregates over all rows of a query by one request.
  ///
  /// ```swift
  /// let (count, price) = try store.fetch(Snack.all.totals { ($0.count(), $0.average(\.price)) })
  /// ```
  ///
  /// - Throws: `overflow` if a sum does not fit; `invalidCondition` for an attribute outside of an
  ///   aggregate; `invalidPage` for a page of a query; the errors of `read`.
  public func fetch<Model: Persistable, Row>(
    _ totals: Totals<Model, Row>, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Row {
    try readOperation(consistency: consistency) { try $0.fetch(totals) }
  }

  /// Explains how the store would compute the totals; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(store.explain(Snack.all.totals { $0.count() }))
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func explain<Model: Persistable, Row>(
    _ totals: Totals<Model, Row>, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Explanation {
    try readOperation(consistency: consistency) { try $0.explain(totals, analyze: analyze) }
  }

  /// Fetches the first models of each group: in the order of the groups, then in their own.
  ///
  /// ```swift
  /// let tracks = try store.fetch(Track.all.first(3, per: \.genre, sorted: .descending(\.bytes)))
  /// ```
  ///
  /// - Throws: `invalidPage` for a page of a query or a negative count; `invalidCondition` for an
  ///   order without a meaning; the errors of `read`.
  public func fetch<Model: PrimaryKeyed>(
    _ groups: FirstPerGroup<Model>, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> [Model] {
    try readOperation(consistency: consistency) { try $0.fetch(groups) }
  }

  /// Fetches every row of a projection or of groups, in its order.
  ///
  /// ```swift
  /// let prices = try store.fetch(Snack.all.select(\.name, \.price))
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func fetch<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> [Question.Row] {
    try readOperation(consistency: consistency) { try $0.fetch(question) }
  }

  /// Fetches the first row of a projection or of groups; the result is nil if there is none.
  ///
  /// ```swift
  /// let row = try store.first(Snack.all.select(\.name, \.price))
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func first<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Question.Row? {
    try readOperation(consistency: consistency) { try $0.first(question) }
  }

  /// Counts the rows of a projection, or the groups.
  ///
  /// ```swift
  /// let tastes = try store.count(Snack.all.select(\.taste).distinct())
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func count<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Int {
    try readOperation(consistency: consistency) { try $0.count(question) }
  }

  /// Fetches the rows of a projection or of groups, and the cursor after the last of them.
  ///
  /// ```swift
  /// let page = try store.fetchPage(Snack.all.select(\.name).limit(50))
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows or groups that there are in all.
  ///
  /// - Throws: the errors of `read`.
  public func fetchPage<Question: ResultQuery>(
    _ question: Question, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> ResultPage<Question.Row> {
    try readOperation(consistency: consistency) { try $0.fetchPage(question, withTotal: withTotal) }
  }

  /// Explains how the store would answer the question; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(store.explain(Snack.all.select(\.name)))
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func explain<Question: ResultQuery>(
    _ question: Question, analyze: Bool = false, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Explanation {
    try readOperation(consistency: consistency) { try $0.explain(question, analyze: analyze) }
  }

  /// Fetches the models that match the query, and the cursor after the last of them.
  ///
  /// ```swift
  /// let page = try store.fetchPage(Snack.all.limit(50), withTotal: true)
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows that the query has in all.
  ///
  /// - Throws: the errors of `read`.
  public func fetchPage<Model: PrimaryKeyed>(
    _ query: Query<Model>, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> ResultPage<Model> {
    try readOperation(consistency: consistency) { try $0.fetchPage(query, withTotal: withTotal) }
  }

  /// Makes the cursor that stands after a model in the query's order.
  ///
  /// ```swift
  /// let cursor = try store.cursor(after: snack, in: Snack.all.sorted(by: .ascending(\.name)))
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func cursor<Model: PrimaryKeyed>(
    after model: Model, in query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> QueryCursor {
    try readOperation(consistency: consistency) { try $0.cursor(after: model, in: query) }
  }
}
