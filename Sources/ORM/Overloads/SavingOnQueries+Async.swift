// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Inserts, updates and saves off the calling thread, on a query, in the store that is named or the
/// default store.
extension Query {
  /// Changes attributes of every row that matches the query, and counts the rows.
  ///
  /// ```swift
  /// try await Snack.where { $0.price < 3 }.update(in: store) { $0.price = 3 }
  /// ```
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; the errors of `write`;
  ///   `notConfigured` without a default store.
  @discardableResult
  public func update(
    in store: (any Store)? = nil, _ changes: (inout Changes<Model>) -> Void
  ) async throws -> Int {
    try await (store ?? Persistence.store).update(self, changes)
  }

  /// Changes the attributes that the closure names of every row that matches the query.
  ///
  /// ```swift
  /// try await Snack.where { $0.taste == nil }.patch(in: store) { $0.taste = "mild" }
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
  ) async throws -> Int {
    try await (store ?? Persistence.store).patch(self, onMissing: onMissing, changes)
  }
}
