// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Selections by names with a completion handler, each in a transaction of its own.
///
/// A read waits for the pending writes of completion overloads, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Fetches every row of a selection, by the names of its columns.
  ///
  /// ```swift
  /// store.fetch(DynamicSelection("Snack", [.value("name"), .value("price")]), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a column that is no key of the groups; the
  /// errors of `read`.
  public func fetch(
    _ selection: DynamicSelection, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[DynamicRow], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.fetch(selection) }
  }

  /// Counts the rows of a selection: its groups, its different rows or all rows.
  ///
  /// ```swift
  /// store.count(DynamicSelection("Snack", [.value("name")]), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a column that is no key of the groups; the
  /// errors of `read`.
  public func count(
    _ selection: DynamicSelection, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.count(selection) }
  }

  /// Explains how the store would answer the selection; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// store.explain(DynamicSelection("Snack", [.value("name")]), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownEntity`; `invalidCondition` for a column that is no key of the groups; the
  /// errors of `read`.
  public func explain(
    _ selection: DynamicSelection, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.explain(selection, analyze: analyze)
    }
  }
}
