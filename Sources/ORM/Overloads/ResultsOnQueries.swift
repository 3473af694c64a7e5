// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Aggregates, projections, groups and pages on the calling thread, on a query, in the store that
/// is named or the default store.
extension Query {
  /// Counts the different values of an attribute, or of an expression over each row; nil is not one.
  ///
  /// ```swift
  /// try Team.all.countDistinct(in: store) { $0.players.count }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func countDistinct<Value: AttributeValue>(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Int {
    try (store ?? Persistence.store).countDistinct(self, consistency: consistency, body)
  }

  /// Counts the different values of an attribute, or of an expression over each row; nil is not one.
  ///
  /// ```swift
  /// try Team.all.countDistinct(in: tx) { $0.players.count }
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func countDistinct<Value: AttributeValue>(
    in transaction: ReadTransaction, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Int {
    try transaction.countDistinct(self, body)
  }

  /// Sums an attribute, or an expression over each row, exactly; nil is skipped, and the sum of nothing is 0.
  ///
  /// ```swift
  /// try Team.all.sum(in: store) { $0.players.count }
  /// ```
  ///
  /// - Throws: `overflow` if the total does not fit; the errors of `read`; `notConfigured` without
  ///   a default store.
  public func sum<Value: SummableAttribute>(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Total {
    try (store ?? Persistence.store).sum(self, consistency: consistency, body)
  }

  /// Sums an attribute, or an expression over each row, exactly; nil is skipped, and the sum of nothing is 0.
  ///
  /// ```swift
  /// try Team.all.sum(in: tx) { $0.players.count }
  /// ```
  ///
  /// - Throws: `overflow` if the total does not fit; `transactionEnded` after the end of the block.
  public func sum<Value: SummableAttribute>(
    in transaction: ReadTransaction, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Total {
    try transaction.sum(self, body)
  }

  /// Computes the mean of an attribute, or of an expression over each row, rounded once; that of nothing is nil.
  ///
  /// ```swift
  /// try Team.all.average(in: store) { $0.players.count }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func average<Value: SummableAttribute>(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Double? {
    try (store ?? Persistence.store).average(self, consistency: consistency, body)
  }

  /// Computes the mean of an attribute, or of an expression over each row, rounded once; that of nothing is nil.
  ///
  /// ```swift
  /// try Team.all.average(in: tx) { $0.players.count }
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func average<Value: SummableAttribute>(
    in transaction: ReadTransaction, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Double? {
    try transaction.average(self, body)
  }

  /// Finds the least value of an attribute, or of an expression over each row; nil if there is none.
  ///
  /// ```swift
  /// try Player.all.min(in: store) { $0.team.founded }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func min<Value: ComparableAttribute>(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try (store ?? Persistence.store).min(self, consistency: consistency, body)
  }

  /// Finds the least value of an attribute, or of an expression over each row; nil if there is none.
  ///
  /// ```swift
  /// try Player.all.min(in: tx) { $0.team.founded }
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func min<Value: ComparableAttribute>(
    in transaction: ReadTransaction, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try transaction.min(self, body)
  }

  /// Finds the greatest value of an attribute, or of an expression over each row; nil if there is none.
  ///
  /// ```swift
  /// try Player.all.max(in: store) { $0.team.founded }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func max<Value: ComparableAttribute>(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try (store ?? Persistence.store).max(self, consistency: consistency, body)
  }

  /// Finds the greatest value of an attribute, or of an expression over each row; nil if there is none.
  ///
  /// ```swift
  /// try Player.all.max(in: tx) { $0.team.founded }
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func max<Value: ComparableAttribute>(
    in transaction: ReadTransaction, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try transaction.max(self, body)
  }

  /// Fetches the models that match the query, and the cursor after the last of them.
  ///
  /// ```swift
  /// try Snack.all.limit(50).fetchPage(in: store)
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows that the query has in all.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func fetchPage(
    in store: (any Store)? = nil, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> ResultPage<Model> where Model: PrimaryKeyed {
    try (store ?? Persistence.store).fetchPage(self, withTotal: withTotal, consistency: consistency)
  }

  /// Fetches the models that match the query, and the cursor after the last of them.
  ///
  /// ```swift
  /// try Snack.all.limit(50).fetchPage(in: tx)
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows that the query has in all.
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func fetchPage(
    in transaction: ReadTransaction, withTotal: Bool = false
  ) throws -> ResultPage<Model> where Model: PrimaryKeyed {
    try transaction.fetchPage(self, withTotal: withTotal)
  }
}

/// Aggregates, projections, groups and pages on the calling thread, on a query for rows, in the
/// store that is named or the default store.
extension ResultQuery {
  /// Fetches every row of a projection or of groups, in its order.
  ///
  /// ```swift
  /// try Snack.all.select(\.name, \.price).fetch(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> [Row] {
    try (store ?? Persistence.store).fetch(self, consistency: consistency)
  }

  /// Fetches every row of a projection or of groups, in its order.
  ///
  /// ```swift
  /// try Snack.all.select(\.name, \.price).fetch(in: tx)
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func fetch(in transaction: ReadTransaction) throws -> [Row] {
    try transaction.fetch(self)
  }

  /// Fetches the first row of a projection or of groups; the result is nil if there is none.
  ///
  /// ```swift
  /// try Snack.all.select(\.name, \.price).first(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func first(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Row? {
    try (store ?? Persistence.store).first(self, consistency: consistency)
  }

  /// Fetches the first row of a projection or of groups; the result is nil if there is none.
  ///
  /// ```swift
  /// try Snack.all.select(\.name, \.price).first(in: tx)
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func first(in transaction: ReadTransaction) throws -> Row? {
    try transaction.first(self)
  }

  /// Counts the rows of a projection, or the groups.
  ///
  /// ```swift
  /// try Snack.all.select(\.taste).distinct().count(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func count(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Int {
    try (store ?? Persistence.store).count(self, consistency: consistency)
  }

  /// Counts the rows of a projection, or the groups.
  ///
  /// ```swift
  /// try Snack.all.select(\.taste).distinct().count(in: tx)
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func count(in transaction: ReadTransaction) throws -> Int {
    try transaction.count(self)
  }

  /// Fetches the rows of a projection or of groups, and the cursor after the last of them.
  ///
  /// ```swift
  /// try Snack.all.select(\.name).limit(50).fetchPage(in: store)
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows or groups that there are in all.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func fetchPage(
    in store: (any Store)? = nil, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> ResultPage<Row> {
    try (store ?? Persistence.store).fetchPage(self, withTotal: withTotal, consistency: consistency)
  }

  /// Fetches the rows of a projection or of groups, and the cursor after the last of them.
  ///
  /// ```swift
  /// try Snack.all.select(\.name).limit(50).fetchPage(in: tx)
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows or groups that there are in all.
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func fetchPage(
    in transaction: ReadTransaction, withTotal: Bool = false
  ) throws -> ResultPage<Row> {
    try transaction.fetchPage(self, withTotal: withTotal)
  }

  /// Explains how the store would answer the question; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(Snack.all.select(\.name).explain(in: store))
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func explain(
    in store: (any Store)? = nil, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Explanation {
    try (store ?? Persistence.store).explain(self, analyze: analyze, consistency: consistency)
  }

  /// Explains how the store would answer the question; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(Snack.all.select(\.name).explain(in: tx))
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func explain(
    in transaction: ReadTransaction, analyze: Bool = false
  ) throws -> Explanation {
    try transaction.explain(self, analyze: analyze)
  }
}

/// Aggregates, projections, groups and pages on the calling thread, on totals, in the store that is
/// named or the default store.
extension Totals {
  /// Fetches several aggregates over all rows of a query by one request.
  ///
  /// ```swift
  /// try Snack.all.totals { ($0.count(), $0.average(\.price)) }.fetch(in: store)
  /// ```
  ///
  /// - Throws: `overflow` if a sum does not fit; `invalidCondition` for an attribute outside of an
  ///   aggregate; `invalidPage` for a page of a query; the errors of `read`; `notConfigured`
  ///   without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Row {
    try (store ?? Persistence.store).fetch(self, consistency: consistency)
  }

  /// Fetches several aggregates over all rows of a query by one request.
  ///
  /// ```swift
  /// try Snack.all.totals { ($0.count(), $0.average(\.price)) }.fetch(in: tx)
  /// ```
  ///
  /// - Throws: `overflow` if a sum does not fit; `invalidCondition` for an attribute outside of an
  ///   aggregate; `invalidPage` for a page of a query; `transactionEnded` after the end of the
  ///   block.
  public func fetch(in transaction: ReadTransaction) throws -> Row {
    try transaction.fetch(self)
  }

  /// Explains how the store would compute the totals; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(Snack.all.totals { $0.count() }.explain(in: store))
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func explain(
    in store: (any Store)? = nil, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Explanation {
    try (store ?? Persistence.store).explain(self, analyze: analyze, consistency: consistency)
  }

  /// Explains how the store would compute the totals; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(Snack.all.totals { $0.count() }.explain(in: tx))
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func explain(
    in transaction: ReadTransaction, analyze: Bool = false
  ) throws -> Explanation {
    try transaction.explain(self, analyze: analyze)
  }
}

/// Aggregates, projections, groups and pages on the calling thread, through the default store.
extension FirstPerGroup {
  /// Fetches the first models of each group: in the order of the groups, then in their own.
  ///
  /// ```swift
  /// try Track.all.first(3, per: \.genre, sorted: .descending(\.bytes)).fetch(in: store)
  /// ```
  ///
  /// - Throws: `invalidPage` for a page of a query or a negative count; `invalidCondition` for an
  ///   order without a meaning; the errors of `read`; `notConfigured` without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> [Model] {
    try (store ?? Persistence.store).fetch(self, consistency: consistency)
  }

  /// Fetches the first models of each group: in the order of the groups, then in their own.
  ///
  /// ```swift
  /// try Track.all.first(3, per: \.genre, sorted: .descending(\.bytes)).fetch(in: tx)
  /// ```
  ///
  /// - Throws: `invalidPage` for a page of a query or a negative count; `invalidCondition` for an
  ///   order without a meaning; `transactionEnded` after the end of the block.
  public func fetch(in transaction: ReadTransaction) throws -> [Model] {
    try transaction.fetch(self)
  }
}
