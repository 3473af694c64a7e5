// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// The reads of models with a completion handler, through the default store.
extension Persistable {
  /// Fetches the model with the least key that matches a condition, or nil.
  ///
  /// ```swift
  /// Snack.first(where: { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.first(Self.where(condition), consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the model with the least key that matches a condition, or nil.
  ///
  /// ```swift
  /// Snack.first(where: { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.first(Self.where(condition), consistency: consistency, on: queue, $1)
    }
  }

  /// Checks if a row matches a condition.
  ///
  /// ```swift
  /// Snack.exists(where: { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.exists(Self.where(condition), consistency: consistency, on: queue, $1)
    }
  }

  /// Checks if a row matches a condition.
  ///
  /// ```swift
  /// Snack.exists(where: { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.exists(Self.where(condition), consistency: consistency, on: queue, $1)
    }
  }

  /// Counts the rows that match a condition.
  ///
  /// ```swift
  /// Snack.count(where: { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.count(Self.where(condition), consistency: consistency, on: queue, $1)
    }
  }

  /// Counts the rows that match a condition.
  ///
  /// ```swift
  /// Snack.count(where: { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.count(Self.where(condition), consistency: consistency, on: queue, $1)
    }
  }
}

/// The reads of models with a completion handler, on a query, in the store that is named or the
/// default store.
extension Query {
  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.fetch(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.fetch(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.first(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func first(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.first(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.where { $0.name == "Chips" }.one(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `ambiguous` if there are several; the errors of `read`; `notConfigured` without a
  /// default store.
  public func one(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.one(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.exists(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public func exists(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) {
      $0.exists(self, consistency: consistency, on: queue, $1)
    }
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.count(in: store, on: .main) { print($0) }
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

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.explain(in: store, on: .main) { print($0) }
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
