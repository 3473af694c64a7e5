internal import ORMStorage

/// The hooks and checks of an entity's Swift type, with the type erased.
package protocol TypedInterceptor: Sendable {
  /// The hooks around writes; nil if the type has none.
  var hooks: (any RowHooks)? { get }
  /// True if objects are checked by code, when they are inserted or updated.
  var hasChecks: Bool { get }
  /// True if objects are checked before they are deleted.
  var checksDeletes: Bool { get }
  /// Returns the failures that code finds in a row, which is new if there is no old one.
  func failures(
    of row: [StoredValue], old: [StoredValue]?, in transaction: WriteTransaction
  ) throws -> [StoreError]
  /// Returns the failures that code finds in deleting a row.
  func deleteFailures(
    of row: [StoredValue], in transaction: WriteTransaction
  ) throws -> [StoreError]
}

/// The hooks of a Swift type, called with rows.
package protocol RowHooks: Sendable {
  /// Returns the row that the hook makes of a row, in which only the columns of the model differ.
  func willInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws -> [StoredValue]
  func willUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction
  ) throws -> [StoredValue]
  func willDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws
  func didInsert(_ row: [StoredValue], in transaction: WriteTransaction) throws
  func didUpdate(
    _ row: [StoredValue], from old: [StoredValue], in transaction: WriteTransaction) throws
  func didDelete(_ row: [StoredValue], in transaction: WriteTransaction) throws
}
