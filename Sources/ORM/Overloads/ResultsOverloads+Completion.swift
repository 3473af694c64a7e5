// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Aggregates, projections, groups and pages with a completion handler, each in a transaction of
/// its own.
///
/// A read waits for the pending writes of completion overloads, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Counts the different values of an attribute; nil is not one.
  ///
  /// ```swift
  /// store.countDistinct(Snack.all, \.taste, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.countDistinct(query, path)
    }
  }

  /// Sums an attribute exactly; nil is skipped, and the sum of nothing is 0.
  ///
  /// ```swift
  /// store.sum(Snack.all, \.stock, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow` if the total does not fit; the errors of `read`.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Total, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.sum(query, path) }
  }

  /// Computes the mean of an attribute, rounded once; the mean of nothing is nil.
  ///
  /// ```swift
  /// store.average(Snack.all, \.price, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Double?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.average(query, path) }
  }

  /// Finds the least value of an attribute; the result is nil if there is none.
  ///
  /// ```swift
  /// store.min(Snack.all, \.price, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.min(query, path) }
  }

  /// Finds the greatest value of an attribute; the result is nil if there is none.
  ///
  /// ```swift
  /// store.max(Snack.all, \.price, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.max(query, path) }
  }

  /// Counts the different values of an expression over each row; nil is not one.
  ///
  /// ```swift
  /// store.countDistinct(Team.all, of: { $0.players.count }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.countDistinct(query, of: { _ in field })
    }
  }

  /// Sums an expression over each row exactly; nil is skipped, and the sum of nothing is 0.
  ///
  /// ```swift
  /// store.sum(Team.all, of: { $0.players.count }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow` if the total does not fit; the errors of `read`.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Total, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.sum(query, of: { _ in field })
    }
  }

  /// Computes the mean of an expression over each row, rounded once; the mean of nothing is nil.
  ///
  /// ```swift
  /// store.average(Team.all, of: { $0.players.count }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Double?, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.average(query, of: { _ in field })
    }
  }

  /// Finds the least value of an expression over each row; the result is nil if there is none.
  ///
  /// ```swift
  /// store.min(Player.all, of: { $0.team.founded }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.min(query, of: { _ in field })
    }
  }

  /// Finds the greatest value of an expression over each row; the result is nil if there is none.
  ///
  /// ```swift
  /// store.max(Player.all, of: { $0.team.founded }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.max(query, of: { _ in field })
    }
  }

  /// Fetches several aggregates over all rows of a query by one request.
  ///
  /// ```swift
  /// store.fetch(Snack.all.totals { ($0.count(), $0.average(\.price)) }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow` if a sum does not fit; `invalidCondition` for an attribute outside of an
  /// aggregate; `invalidPage` for a page of a query; the errors of `read`.
  public func fetch<Model: Persistable, Row>(
    _ totals: Totals<Model, Row>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Row, any Error>) -> Void)? = nil
  ) where Row: Sendable {
    submitRead(consistency: consistency, on: queue, completion) { try $0.fetch(totals) }
  }

  /// Explains how the store would compute the totals; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// store.explain(Snack.all.totals { $0.count() }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func explain<Model: Persistable, Row>(
    _ totals: Totals<Model, Row>, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.explain(totals, analyze: analyze)
    }
  }

  /// Fetches the first models of each group: in the order of the groups, then in their own.
  ///
  /// ```swift
  /// store.fetch(Track.all.first(3, per: \.genre, sorted: .descending(\.bytes)), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `invalidPage` for a page of a query or a negative count; `invalidCondition` for an
  /// order without a meaning; the errors of `read`.
  public func fetch<Model: PrimaryKeyed>(
    _ groups: FirstPerGroup<Model>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.fetch(groups) }
  }

  /// Fetches every row of a projection or of groups, in its order.
  ///
  /// ```swift
  /// store.fetch(Snack.all.select(\.name, \.price), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func fetch<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Question.Row], any Error>) -> Void)? = nil
  ) where Question.Row: Sendable {
    submitRead(consistency: consistency, on: queue, completion) { try $0.fetch(question) }
  }

  /// Fetches the first row of a projection or of groups; the result is nil if there is none.
  ///
  /// ```swift
  /// store.first(Snack.all.select(\.name, \.price), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func first<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Question.Row?, any Error>) -> Void)? = nil
  ) where Question.Row: Sendable {
    submitRead(consistency: consistency, on: queue, completion) { try $0.first(question) }
  }

  /// Counts the rows of a projection, or the groups.
  ///
  /// ```swift
  /// store.count(Snack.all.select(\.taste).distinct(), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func count<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.count(question) }
  }

  /// Fetches the rows of a projection or of groups, and the cursor after the last of them.
  ///
  /// ```swift
  /// store.fetchPage(Snack.all.select(\.name).limit(50), on: .main) { print($0) }
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows or groups that there are in all.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func fetchPage<Question: ResultQuery>(
    _ question: Question, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ResultPage<Question.Row>, any Error>) -> Void)? = nil
  ) where Question.Row: Sendable {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.fetchPage(question, withTotal: withTotal)
    }
  }

  /// Explains how the store would answer the question; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// store.explain(Snack.all.select(\.name), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func explain<Question: ResultQuery>(
    _ question: Question, analyze: Bool = false, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.explain(question, analyze: analyze)
    }
  }

  /// Fetches the models that match the query, and the cursor after the last of them.
  ///
  /// ```swift
  /// store.fetchPage(Snack.all.limit(50), withTotal: true, on: .main) { print($0) }
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows that the query has in all.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func fetchPage<Model: PrimaryKeyed>(
    _ query: Query<Model>, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ResultPage<Model>, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.fetchPage(query, withTotal: withTotal)
    }
  }

  /// Makes the cursor that stands after a model in the query's order.
  ///
  /// ```swift
  /// store.cursor(after: snack, in: Snack.all.sorted(by: .ascending(\.name)), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func cursor<Model: PrimaryKeyed>(
    after model: Model, in query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<QueryCursor, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.cursor(after: model, in: query)
    }
  }
}

/// Aggregates, projections, groups and pages with a completion handler, through the default store.
extension Persistable {
  /// Counts the different values of an attribute; nil is not one.
  ///
  /// ```swift
  /// Snack.countDistinct(Snack.all, \.taste, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func countDistinct<Value: AttributeValue>(
    _ query: Query<Self> = Self.all, _ path: AttributePath<Self, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.countDistinct(query, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Sums an attribute exactly; nil is skipped, and the sum of nothing is 0.
  ///
  /// ```swift
  /// Snack.sum(Snack.all, \.stock, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow` if the total does not fit; the errors of `read`; `notConfigured` without a
  /// default store.
  public static func sum<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Total, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.sum(query, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Computes the mean of an attribute, rounded once; the mean of nothing is nil.
  ///
  /// ```swift
  /// Snack.average(Snack.all, \.price, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func average<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Double?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.average(query, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the least value of an attribute; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.min(Snack.all, \.price, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func min<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.min(query, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the greatest value of an attribute; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.max(Snack.all, \.price, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func max<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.max(query, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches several aggregates over all rows of a query by one request.
  ///
  /// ```swift
  /// Snack.fetch(Snack.all.totals { ($0.count(), $0.average(\.price)) }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow` if a sum does not fit; `invalidCondition` for an attribute outside of an
  /// aggregate; `invalidPage` for a page of a query; the errors of `read`; `notConfigured` without
  /// a default store.
  public static func fetch<Row>(
    _ totals: Totals<Self, Row>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Row, any Error>) -> Void)? = nil
  ) where Row: Sendable {
    Persistence.submit(on: queue, completion) {
      $0.fetch(totals, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches every row of a projection or of groups, in its order.
  ///
  /// ```swift
  /// Snack.fetch(Snack.all.select(\.name, \.price), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func fetch<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Question.Row], any Error>) -> Void)? = nil
  ) where Question.Model == Self, Question.Row: Sendable {
    Persistence.submit(on: queue, completion) {
      $0.fetch(question, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the first row of a projection or of groups; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.first(Snack.all.select(\.name, \.price), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func first<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Question.Row?, any Error>) -> Void)? = nil
  ) where Question.Model == Self, Question.Row: Sendable {
    Persistence.submit(on: queue, completion) {
      $0.first(question, consistency: consistency, on: queue, $1)
    }
  }

  /// Counts the rows of a projection, or the groups.
  ///
  /// ```swift
  /// Snack.count(Snack.all.select(\.taste).distinct(), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func count<Question: ResultQuery>(
    _ question: Question, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) where Question.Model == Self {
    Persistence.submit(on: queue, completion) {
      $0.count(question, consistency: consistency, on: queue, $1)
    }
  }

  /// Explains how the store would answer the question; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// Snack.explain(Snack.all.select(\.name), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func explain<Question: ResultQuery>(
    _ question: Question, analyze: Bool = false, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) where Question.Model == Self {
    Persistence.submit(on: queue, completion) {
      $0.explain(question, analyze: analyze, consistency: consistency, on: queue, $1)
    }
  }
}

/// Aggregates, projections, groups and pages with a completion handler, through the default store.
extension PrimaryKeyed {
  /// Fetches the first models of each group: in the order of the groups, then in their own.
  ///
  /// ```swift
  /// Track.fetch(Track.all.first(3, per: \.genre, sorted: .descending(\.bytes)), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `invalidPage` for a page of a query or a negative count; `invalidCondition` for an
  /// order without a meaning; the errors of `read`; `notConfigured` without a default store.
  public static func fetch(
    _ groups: FirstPerGroup<Self>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.fetch(groups, consistency: consistency, on: queue, $1)
    }
  }
}
