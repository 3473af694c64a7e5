public import ORMRows

/// A model that takes part when its objects are written.
///
/// ```swift
/// extension Post: WriteHooks {
///   mutating func willInsert(in transaction: WriteTransaction) throws {
///     text = text.trimmingCharacters(in: .whitespaces)
///   }
/// }
/// ```
///
/// The hooks run on every path that writes: single objects, batches, graphs, set-based updates and
/// deletes, patches, rows by names, and rows that delete rules reach. They do not run where a store
/// is copied row by row, nor in a program that knows the entity by its description alone.
///
/// - Each runs once for each row that is inserted, changed or deleted by an operation; a row that is
///   written as it is runs none. Links that core keeps in columns of its own run none.
/// - `will…` may change the object. In a set-based update the transaction shows the rows as the update
///   wrote them; elsewhere as they were stored before.
/// - A throw undoes the operation and is passed on unchanged.
/// - Hooks may read and write through the transaction, which is that of the operation. Hooks that set
///   one another off more than 64 levels deep are stopped with `tooComplex`.
///
/// A struct that is embedded in another model has none: they run where its objects are rows.
///
/// A model without hooks pays nothing for them.
public protocol WriteHooks: Persistable {
  /// Before the object becomes a new row; a key that the store gives is not known yet.
  mutating func willInsert(in transaction: WriteTransaction) throws
  /// Before the object replaces a stored row.
  mutating func willUpdate(from old: Self, in transaction: WriteTransaction) throws
  /// Before the object's row is deleted.
  func willDelete(in transaction: WriteTransaction) throws
  /// After the object became a row.
  func didInsert(in transaction: WriteTransaction) throws
  /// After the object replaced a stored row.
  func didUpdate(from old: Self, in transaction: WriteTransaction) throws
  /// After the object's row was deleted.
  func didDelete(in transaction: WriteTransaction) throws
}

extension WriteHooks {
  /// Does nothing.
  public func willInsert(in transaction: WriteTransaction) throws {}
  /// Does nothing.
  public func willUpdate(from old: Self, in transaction: WriteTransaction) throws {}
  /// Does nothing.
  public func willDelete(in transaction: WriteTransaction) throws {}
  /// Does nothing.
  public func didInsert(in transaction: WriteTransaction) throws {}
  /// Does nothing.
  public func didUpdate(from old: Self, in transaction: WriteTransaction) throws {}
  /// Does nothing.
  public func didDelete(in transaction: WriteTransaction) throws {}
}
