// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Inserts, updates and saves with a completion handler, on a query, in the store that is named or
/// the default store.
extension Query {
  /// Changes attributes of every row that matches the query, and counts the rows.
  ///
  /// ```swift
  /// Snack.where { $0.price < 3 }.update(in: store, { $0.price = 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow`, `invalidValue`, `missingValue`, `duplicate`; the errors of `write`;
  /// `notConfigured` without a default store.
  public func update(
    in store: (any Store)? = nil, _ changes: (inout Changes<Model>) -> Void,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(to: store, on: queue, completion) { $0.update(self, changes, on: queue, $1) }
  }
}
