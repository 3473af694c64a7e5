// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Queries by names off the calling thread, each in a transaction of its own.
///
/// A read waits for the pending writes of blocks with a completion handler, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Fetches every row of a query, by the names of its attributes.
  ///
  /// ```swift
  /// let rows = try await store.fetch(DynamicQuery("Snack"))
  /// ```
  ///
  /// ``DynamicQuery/binding(_:)`` gives its variables values.
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  ///   `read`.
  public func fetch(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [DynamicRow] {
    return try await read(consistency: consistency) { try $0.fetch(query) }
  }

  /// Fetches the first row in the query's order, by names; the result is nil if there is none.
  ///
  /// ```swift
  /// let row = try await store.first(DynamicQuery("Snack"))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  ///   `read`.
  public func first(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> DynamicRow? {
    return try await read(consistency: consistency) { try $0.first(query) }
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// let isThere = try await store.exists(DynamicQuery("Snack"))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  ///   `read`.
  public func exists(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Bool {
    return try await read(consistency: consistency) { try $0.exists(query) }
  }

  /// Counts the rows that match the query's condition.
  ///
  /// ```swift
  /// let count = try await store.count(DynamicQuery("Snack"))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; `invalidPage`
  ///   for a query with a limit or an offset; the errors of `read`.
  public func count(
    _ query: DynamicQuery, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    return try await read(consistency: consistency) { try $0.count(query) }
  }

  /// Computes an aggregate over the rows that match the query's condition.
  ///
  /// ```swift
  /// let sum = try await store.aggregate(DynamicQuery("Snack"), Aggregate(.sum, .path(.init(["stock"]))))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; `invalidPage`
  ///   for a query with a limit or an offset; the errors of `read`.
  public func aggregate(
    _ query: DynamicQuery, _ aggregate: Aggregate,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> StoredValue {
    return try await read(consistency: consistency) { try $0.aggregate(query, aggregate) }
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try await print(store.explain(DynamicQuery("Snack")))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of
  ///   `read`.
  public func explain(
    _ query: DynamicQuery, analyze: Bool = false, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Explanation {
    return try await read(consistency: consistency) { try $0.explain(query, analyze: analyze) }
  }

  /// Sets attributes of every row that the query selects, and counts them.
  ///
  /// ```swift
  /// let count = try await store.update(DynamicQuery("Snack"), ["stock": .value(.int(0))])
  /// ```
  ///
  /// The values may be computed from the row.
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; the errors of a
  ///   typed update; the errors of `write`.
  @discardableResult
  public func update(_ query: DynamicQuery, _ values: [String: Operand]) async throws -> Int {
    return try await writeOperation(rows: .max) { try $0.update(query, values) }
  }

  /// Deletes every row that the query selects, and counts them.
  ///
  /// ```swift
  /// let count = try await store.delete(DynamicQuery("Snack"))
  /// ```
  ///
  /// - Throws: `unknownEntity`; `invalidCondition` for a variable without a value; `denied`; the
  ///   errors of `write`.
  @discardableResult
  public func delete(_ query: DynamicQuery) async throws -> Int {
    return try await writeOperation(rows: .max) { try $0.delete(query) }
  }
}
