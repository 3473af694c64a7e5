// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Queries by names with a completion handler, each in a transaction of its own.
///
/// A read waits for the pending writes of completion overloads, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Fetches every row of a query, by the names of its attributes.
  ///
  /// ```swift
  /// store.fetch(DynamicQuery("Snack"), on: .main) { print($0) }
  /// ```
  ///
  /// ``DynamicQuery/binding(_:)`` gives its variables values.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  /// `read`.
  public func fetch(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[DynamicRow], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.fetch(query) }
  }

  /// Fetches the first row in the query's order, by names; the result is nil if there is none.
  ///
  /// ```swift
  /// store.first(DynamicQuery("Snack"), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  /// `read`.
  public func first(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<DynamicRow?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.first(query) }
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// store.exists(DynamicQuery("Snack"), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  /// `read`.
  public func exists(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.exists(query) }
  }

  /// Counts the rows that match the query's condition.
  ///
  /// ```swift
  /// store.count(DynamicQuery("Snack"), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; `invalidPage` for
  /// a query with a limit or an offset; the errors of `read`.
  public func count(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.count(query) }
  }

  /// Computes an aggregate over the rows that match the query's condition.
  ///
  /// ```swift
  /// store.aggregate(DynamicQuery("Snack"), Aggregate(.sum, .path(.init(["stock"]))), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; `invalidPage` for
  /// a query with a limit or an offset; the errors of `read`.
  public func aggregate(
    _ query: DynamicQuery, _ aggregate: Aggregate,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<StoredValue, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.aggregate(query, aggregate)
    }
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// store.explain(DynamicQuery("Snack"), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  /// `read`.
  public func explain(
    _ query: DynamicQuery, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.explain(query, analyze: analyze)
    }
  }

  /// Sets attributes of every row that the query selects, and counts them.
  ///
  /// ```swift
  /// store.update(DynamicQuery("Snack"), ["stock": .value(.int(0))], on: .main) { print($0) }
  /// ```
  ///
  /// The values may be computed from the row.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of a
  /// typed update; the errors of `write`.
  public func update(
    _ query: DynamicQuery, _ values: [String: Operand], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.update(query, values) }
  }

  /// Deletes every row that the query selects, and counts them.
  ///
  /// ```swift
  /// store.delete(DynamicQuery("Snack"), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a variable without a value; `denied`; the
  /// errors of `write`.
  public func delete(
    _ query: DynamicQuery, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.delete(query) }
  }
}
