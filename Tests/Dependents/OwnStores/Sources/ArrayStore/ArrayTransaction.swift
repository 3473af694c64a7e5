import ORMCore

/// The content of a store that is being opened: a copy, which a migration changes.
final class ArrayTransaction: SchemaTransaction {
  private let store: ArrayStore
  private var current: ArrayWriter

  init(_ store: ArrayStore, _ held: ArrayContent) throws {
    self.store = store
    current = ArrayWriter(
      store,
      try ArrayContent(
        held, SchemaChanges(union: held.schema), declared: held.schema, now: store.runtime.now))
  }

  var schema: StoredSchema { current.content.schema }

  func change(_ changes: SchemaChanges) throws {
    let content = try ArrayContent(
      current.content, changes, declared: changes.union, now: store.runtime.now)
    let broken = content.brokenRules.map { StoreError.rowsBreaking($0.index, of: $0.entity) }
    if let error = StoreError.duplicate(breaking: broken) { throw error }
    current = ArrayWriter(store, content)
  }

  func writer() -> any StoreWriter { current }

  /// Commits what was changed so far.
  func commit() throws { try current.commit() }

  /// Makes the additions of a declared schema, and commits.
  func finish(_ changes: SchemaChanges, declared: StoredSchema) throws {
    let content = try ArrayContent(
      current.content, changes, declared: declared.following(aliasesOf: changes.union),
      now: store.runtime.now)
    let broken = content.brokenRules.map { StoreError.rowsBreaking($0.index, of: $0.entity) }
    if let error = StoreError.rowsBreaking(broken) { throw error }
    let writer = ArrayWriter(store, content)
    for change in try changes.derivedFillings(declared) { _ = try writer.apply(change) }
    try writer.commit()
  }
}
