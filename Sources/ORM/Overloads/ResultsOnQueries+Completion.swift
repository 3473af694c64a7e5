// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Aggregates, projections, groups and pages with a completion handler, on a query, in the store
/// that is named or the default store.
extension Query {
  /// Counts the different values of an attribute; nil is not one.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.countDistinct(\.taste, in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func countDistinct<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>, in store: (any Store)? = nil,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.countDistinct(self, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Sums an attribute exactly; nil is skipped, and the sum of nothing is 0.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.sum(\.stock, in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow` if the total does not fit; the errors of `read`; `notConfigured` without a
  /// default store.
  public func sum<Value: SummableAttribute>(
    _ path: AttributePath<Model, Value>, in store: (any Store)? = nil,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Total, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.sum(self, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Computes the mean of an attribute, rounded once; the mean of nothing is nil.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.average(\.price, in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func average<Value: SummableAttribute>(
    _ path: AttributePath<Model, Value>, in store: (any Store)? = nil,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Double?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.average(self, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the least value of an attribute; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.min(\.price, in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func min<Value: ComparableAttribute>(
    _ path: AttributePath<Model, Value>, in store: (any Store)? = nil,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.min(self, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the greatest value of an attribute; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.max(\.price, in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func max<Value: ComparableAttribute>(
    _ path: AttributePath<Model, Value>, in store: (any Store)? = nil,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.max(self, path, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the models that match the query, and the cursor after the last of them.
  ///
  /// ```swift
  /// Snack.all.limit(50).fetchPage(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows that the query has in all.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func fetchPage(
    in store: (any Store)? = nil, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ResultPage<Model>, any Error>) -> Void)? = nil
  ) where Model: PrimaryKeyed {
    Persistence.submit(to: store, on: queue, completion) {
      $0.fetchPage(self, withTotal: withTotal, consistency: consistency, on: queue, $1)
    }
  }
}

/// Aggregates, projections, groups and pages with a completion handler, on a query for rows, in the
/// store that is named or the default store.
extension ResultQuery {
  /// Fetches every row of a projection or of groups, in its order.
  ///
  /// ```swift
  /// Snack.all.select(\.name, \.price).fetch(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Row], any Error>) -> Void)? = nil
  ) where Row: Sendable {
    Persistence.submit(to: store, on: queue, completion) {
      $0.fetch(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the first row of a projection or of groups; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.all.select(\.name, \.price).first(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func first(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Row?, any Error>) -> Void)? = nil
  ) where Row: Sendable {
    Persistence.submit(to: store, on: queue, completion) {
      $0.first(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Counts the rows of a projection, or the groups.
  ///
  /// ```swift
  /// Snack.all.select(\.taste).distinct().count(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func count(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.count(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the rows of a projection or of groups, and the cursor after the last of them.
  ///
  /// ```swift
  /// Snack.all.select(\.name).limit(50).fetchPage(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// `withTotal` counts, by one more request, the rows or groups that there are in all.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func fetchPage(
    in store: (any Store)? = nil, withTotal: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ResultPage<Row>, any Error>) -> Void)? = nil
  ) where Row: Sendable {
    Persistence.submit(to: store, on: queue, completion) {
      $0.fetchPage(self, withTotal: withTotal, consistency: consistency, on: queue, $1)
    }
  }

  /// Explains how the store would answer the question; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// Snack.all.select(\.name).explain(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func explain(
    in store: (any Store)? = nil, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.explain(self, analyze: analyze, consistency: consistency, on: queue, $1)
    }
  }
}

/// Aggregates, projections, groups and pages with a completion handler, on totals, in the store
/// that is named or the default store.
extension Totals {
  /// Fetches several aggregates over all rows of a query by one request.
  ///
  /// ```swift
  /// Snack.all.totals { ($0.count(), $0.average(\.price)) }.fetch(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow` if a sum does not fit; `invalidCondition` for an attribute outside of an
  /// aggregate; `invalidPage` for a page of a query; the errors of `read`; `notConfigured` without
  /// a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Row, any Error>) -> Void)? = nil
  ) where Row: Sendable {
    Persistence.submit(to: store, on: queue, completion) {
      $0.fetch(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Explains how the store would compute the totals; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// Snack.all.totals { $0.count() }.explain(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func explain(
    in store: (any Store)? = nil, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.explain(self, analyze: analyze, consistency: consistency, on: queue, $1)
    }
  }
}

/// Aggregates, projections, groups and pages with a completion handler, through the default store.
extension FirstPerGroup {
  /// Fetches the first models of each group: in the order of the groups, then in their own.
  ///
  /// ```swift
  /// Track.all.first(3, per: \.genre, sorted: .descending(\.bytes)).fetch(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `invalidPage` for a page of a query or a negative count; `invalidCondition` for an
  /// order without a meaning; the errors of `read`; `notConfigured` without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.fetch(self, consistency: consistency, on: queue, $1)
    }
  }
}
