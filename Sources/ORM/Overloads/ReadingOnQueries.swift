// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// The reads of models on the calling thread, through the default store.
extension Persistable {
  /// Fetches the model with the least key that matches a condition, or nil.
  ///
  /// ```swift
  /// try Snack.first { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Self? {
    try Persistence.store.first(Self.where(condition), consistency: consistency)
  }

  /// Fetches the model with the least key that matches a condition, or nil.
  ///
  /// ```swift
  /// try Snack.first { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Self? {
    try Persistence.store.first(Self.where(condition), consistency: consistency)
  }

  /// Checks if a row matches a condition.
  ///
  /// ```swift
  /// try Snack.exists { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Bool {
    try Persistence.store.exists(Self.where(condition), consistency: consistency)
  }

  /// Checks if a row matches a condition.
  ///
  /// ```swift
  /// try Snack.exists { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Bool {
    try Persistence.store.exists(Self.where(condition), consistency: consistency)
  }

  /// Counts the rows that match a condition.
  ///
  /// ```swift
  /// try Snack.count { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    where condition: (Fields<Self>) -> Filter<Self>,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Int {
    try Persistence.store.count(Self.where(condition), consistency: consistency)
  }

  /// Counts the rows that match a condition.
  ///
  /// ```swift
  /// try Snack.count { $0.price < 3 }
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    where condition: (Fields<Self>) -> Field<Self, Bool>,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Int {
    try Persistence.store.count(Self.where(condition), consistency: consistency)
  }
}

/// The reads of models on the calling thread, on a query, in the store that is named or the default
/// store.
extension Query {
  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.fetch(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func fetch(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> [Model] {
    try (store ?? Persistence.store).fetch(self, consistency: consistency)
  }

  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.fetch(in: tx)
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func fetch(in transaction: ReadTransaction) throws -> [Model] {
    try transaction.fetch(self)
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.first(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func first(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Model? {
    try (store ?? Persistence.store).first(self, consistency: consistency)
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.first(in: tx)
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func first(in transaction: ReadTransaction) throws -> Model? {
    try transaction.first(self)
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// ```swift
  /// try Snack.where { $0.name == "Chips" }.one(in: store)
  /// ```
  ///
  /// - Throws: `ambiguous` if there are several; the errors of `read`; `notConfigured` without a
  ///   default store.
  public func one(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Model? {
    try (store ?? Persistence.store).one(self, consistency: consistency)
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// ```swift
  /// try Snack.where { $0.name == "Chips" }.one(in: tx)
  /// ```
  ///
  /// - Throws: `ambiguous` if there are several; `transactionEnded` after the end of the block.
  public func one(in transaction: ReadTransaction) throws -> Model? {
    try transaction.one(self)
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.exists(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func exists(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Bool {
    try (store ?? Persistence.store).exists(self, consistency: consistency)
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.exists(in: tx)
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func exists(in transaction: ReadTransaction) throws -> Bool {
    try transaction.exists(self)
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.count(in: store)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func count(
    in store: (any Store)? = nil, consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Int {
    try (store ?? Persistence.store).count(self, consistency: consistency)
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.count(in: tx)
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func count(in transaction: ReadTransaction) throws -> Int {
    try transaction.count(self)
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(Snack.where { $0.price < 3 }.explain(in: store))
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public func explain(
    in store: (any Store)? = nil, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites
  ) throws -> Explanation {
    try (store ?? Persistence.store).explain(self, analyze: analyze, consistency: consistency)
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try print(Snack.where { $0.price < 3 }.explain(in: tx))
  /// ```
  ///
  /// - Throws: `transactionEnded` after the end of the block.
  public func explain(
    in transaction: ReadTransaction, analyze: Bool = false
  ) throws -> Explanation {
    try transaction.explain(self, analyze: analyze)
  }
}
