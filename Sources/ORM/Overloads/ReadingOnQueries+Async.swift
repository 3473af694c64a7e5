// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// The reads of models off the calling thread, through the default store.
extension Persistable {
  /// Fetches the model with the least key that matches a condition, or nil.
  ///
  /// ```swift
  /// try await Snack.first { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Self? {
    try await Persistence.store.first(Self.where(condition), consistency: consistency)
  }

  /// Fetches the model with the least key that matches a condition, or nil.
  ///
  /// ```swift
  /// try await Snack.first { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Self? {
    try await Persistence.store.first(Self.where(condition), consistency: consistency)
  }

  /// Checks if a row matches a condition.
  ///
  /// ```swift
  /// try await Snack.exists { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Bool {
    try await Persistence.store.exists(Self.where(condition), consistency: consistency)
  }

  /// Checks if a row matches a condition.
  ///
  /// ```swift
  /// try await Snack.exists { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Bool {
    try await Persistence.store.exists(Self.where(condition), consistency: consistency)
  }

  /// Counts the rows that match a condition.
  ///
  /// ```swift
  /// try await Snack.count { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    try await Persistence.store.count(Self.where(condition), consistency: consistency)
  }

  /// Counts the rows that match a condition.
  ///
  /// ```swift
  /// try await Snack.count { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    try await Persistence.store.count(Self.where(condition), consistency: consistency)
  }
}

/// The reads of models off the calling thread, on a query, in the store that is named or the
/// default store.
extension Query {
  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// try await Snack.where { $0.price < 3 }.fetch(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [Model] {
    try await (store ?? Persistence.store).fetch(self, consistency: consistency)
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// try await Snack.where { $0.price < 3 }.first(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func first(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Model? {
    try await (store ?? Persistence.store).first(self, consistency: consistency)
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// ```swift
  /// try await Snack.where { $0.name == "Chips" }.one(in: store)
  /// ```
  ///
  /// - Throws: `ambiguous` if there are several; the errors of `read`; `notConfigured` without a
  ///   default store.
  public func one(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Model? {
    try await (store ?? Persistence.store).one(self, consistency: consistency)
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// try await Snack.where { $0.price < 3 }.exists(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func exists(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Bool {
    try await (store ?? Persistence.store).exists(self, consistency: consistency)
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// try await Snack.where { $0.price < 3 }.count(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func count(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    try await (store ?? Persistence.store).count(self, consistency: consistency)
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try await print(Snack.where { $0.price < 3 }.explain(in: store))
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func explain(
    in store: (any Store)? = nil, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Explanation {
    try await (store ?? Persistence.store).explain(self, analyze: analyze, consistency: consistency)
  }
}
