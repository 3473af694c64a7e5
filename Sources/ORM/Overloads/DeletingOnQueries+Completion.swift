// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Deletes, and operations on hidden rows with a completion handler, on a query, in the store that
/// is named or the default store.
extension Query {
  /// Deletes every row that matches the query, and counts them.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.delete(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public func delete(
    in store: (any Store)? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) { $0.delete(self, on: queue, $1) }
  }

  /// Deletes the first row in the query's order; the result is false if there was none.
  ///
  /// ```swift
  /// Snack.all.sorted(by: .ascending(\.price)).deleteFirst(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public func deleteFirst(
    in store: (any Store)? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) { $0.deleteFirst(self, on: queue, $1) }
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.restore(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget` if a row needs a target that is hidden or missing; `validationFailed`;
  /// the errors of `write`; `notConfigured` without a default store.
  public func restore(
    in store: (any Store)? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) { $0.restore(self, on: queue, $1) }
  }

  /// Deletes the hidden rows that match the query for good, and counts them.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.purge(in: store, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public func purge(
    in store: (any Store)? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) { $0.purge(self, on: queue, $1) }
  }
}
