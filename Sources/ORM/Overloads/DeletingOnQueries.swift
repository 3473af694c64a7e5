// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import FoundationEssentials
public import ORMCore

/// Deletes, and operations on hidden rows on the calling thread, on a query, in the store that is
/// named or the default store.
extension Query {
  /// Deletes every row that the query selects, and counts them; one with `limit(1)` selects the first.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.delete(in: store)
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public func delete(in store: (any Store)? = nil) throws -> Int {
    try (store ?? Persistence.store).delete(self)
  }

  /// Deletes every row that the query selects, and counts them; one with `limit(1)` selects the first.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.delete(in: tx)
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; `transactionEnded` after the end of the block.
  @discardableResult
  public func delete(in transaction: WriteTransaction) throws -> Int {
    try transaction.delete(self)
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.restore(in: store)
  /// ```
  ///
  /// - Throws: `missingTarget` if a row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  @discardableResult
  public func restore(in store: (any Store)? = nil) throws -> Int {
    try (store ?? Persistence.store).restore(self)
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.restore(in: tx)
  /// ```
  ///
  /// - Throws: `missingTarget` if a row needs a target that is hidden or missing;
  ///   `validationFailed`; `transactionEnded` after the end of the block.
  @discardableResult
  public func restore(in transaction: WriteTransaction) throws -> Int {
    try transaction.restore(self)
  }

  /// Deletes the hidden rows that match the query for good, all or those hidden before a timestamp.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.purge(in: store)
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public func purge(in store: (any Store)? = nil, before timestamp: Date? = nil) throws -> Int {
    try (store ?? Persistence.store).purge(self, before: timestamp)
  }

  /// Deletes the hidden rows that match the query for good, all or those hidden before a timestamp.
  ///
  /// ```swift
  /// try Snack.where { $0.price < 3 }.purge(in: tx)
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// - Throws: `denied`, `validationFailed`; `transactionEnded` after the end of the block.
  @discardableResult
  public func purge(in transaction: WriteTransaction, before timestamp: Date? = nil) throws -> Int {
    try transaction.purge(self, before: timestamp)
  }
}
