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
}
