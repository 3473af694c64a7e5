// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Inserts, updates and saves on the calling thread, on a query, in the store that is named or the
/// default store.
extension Query {
  /// Changes attributes of every row that matches the query, and counts the rows.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.update(in: store) { $0.price = 3 }
  /// ```
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; the errors of `write`;
  ///   `notConfigured` without a default store.
  @discardableResult
  public func update(
    in store: (any Store)? = nil, _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try (store ?? Persistence.store).update(self, changes)
  }

  /// Changes attributes of every row that matches the query, and counts the rows.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.update(in: tx) { $0.price = 3 }
  /// ```
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `transactionEnded` after
  ///   the end of the block.
  @discardableResult
  public func update(
    in transaction: WriteTransaction, _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try transaction.update(self, changes)
  }

  /// Changes the attributes that the closure names of every row that matches the query.
  ///
  /// ```swift
  /// try Snack.where { $0.taste == nil }.patch(in: store) { $0.taste = "mild" }
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  ///   asks; the errors of `write`; `notConfigured` without a default store.
  @discardableResult
  public func patch(
    in store: (any Store)? = nil, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try (store ?? Persistence.store).patch(self, onMissing: onMissing, changes)
  }

  /// Changes the attributes that the closure names of every row that matches the query.
  ///
  /// ```swift
  /// try Snack.where { $0.taste == nil }.patch(in: tx) { $0.taste = "mild" }
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  ///   asks; `transactionEnded` after the end of the block.
  @discardableResult
  public func patch(
    in transaction: WriteTransaction, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try transaction.patch(self, onMissing: onMissing, changes)
  }
}
