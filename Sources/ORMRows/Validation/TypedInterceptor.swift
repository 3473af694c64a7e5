internal import ORMStorage

/// The hooks and checks of an entity's Swift type, with the type erased.
package protocol TypedInterceptor: Sendable {
  /// True if there are hooks around writes.
  var hasHooks: Bool { get }
  /// True if objects are checked by code, when they are inserted or updated.
  var hasChecks: Bool { get }
  /// True if objects are checked before they are deleted.
  var checksDeletes: Bool { get }
  /// The row that a `will…` hook makes of a row, its model's columns alone.
  func willInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws -> [StoredValue]
  func willUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction
  ) throws -> [StoredValue]
  func willDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws
  func didInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws
  func didUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction) throws
  func didDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws
  /// Returns the failures that code finds in a row, which is new if there is no old one.
  func failures(
    of row: [StoredValue], old: [StoredValue]?, in transaction: WriteTransaction
  ) throws -> [StoreError]
  /// Returns the failures that code finds in deleting a row.
  func deleteFailures(
    of row: [StoredValue], in transaction: WriteTransaction
  ) throws -> [StoreError]
}
