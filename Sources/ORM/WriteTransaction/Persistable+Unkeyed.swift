internal import ORMCore

// Operations that a model without a primary key has not. They exist for their messages alone: those
// of keyed models are preferred everywhere else.
extension Persistable {
  /// Unavailable: the model has no primary key.
  @available(
    *, unavailable,
    message: """
      a model without a primary key can only be inserted: mark a property '@PrimaryKey', or call \
      'insert'
      """
  )
  @_disfavoredOverload
  public func save() throws -> Self { self }

  /// Unavailable: the model has no primary key.
  @available(
    *, unavailable,
    message: """
      a model without a primary key is deleted by a query: mark a property '@PrimaryKey', or delete \
      'Model.where { … }'
      """
  )
  @_disfavoredOverload
  public func delete() throws {}

  /// Unavailable: the model has no primary key.
  @available(
    *, unavailable,
    message: """
      a model without a primary key is found by a query: mark a property '@PrimaryKey', or fetch \
      'Model.where { … }'
      """
  )
  @_disfavoredOverload
  public static func find<Key>(_ key: Key) throws -> Self? { nil }
}
