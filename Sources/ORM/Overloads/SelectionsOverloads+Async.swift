// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Selections by names off the calling thread, each in a transaction of its own.
///
/// A read waits for the pending writes of blocks with a completion handler, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Fetches every row of a selection, by the names of its columns.
  ///
  /// ```swift
  /// let rows = try await store.fetch(DynamicSelection("Snack", [.value("name"), .value("price")]))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a column that is no key of the groups; the
  ///   errors of `read`.
  public func fetch(
    _ selection: DynamicSelection, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [DynamicRow] {
    return try await read(consistency: consistency) { try $0.fetch(selection) }
  }

  /// Counts the rows of a selection: its groups, its different rows or all rows.
  ///
  /// ```swift
  /// let count = try await store.count(DynamicSelection("Snack", [.value("name")]))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a column that is no key of the groups; the
  ///   errors of `read`.
  public func count(
    _ selection: DynamicSelection, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    return try await read(consistency: consistency) { try $0.count(selection) }
  }

  /// Explains how the store would answer the selection; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try await print(store.explain(DynamicSelection("Snack", [.value("name")])))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a column that is no key of the groups; the
  ///   errors of `read`.
  public func explain(
    _ selection: DynamicSelection, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Explanation {
    return try await read(consistency: consistency) { try $0.explain(selection, analyze: analyze) }
  }
}
