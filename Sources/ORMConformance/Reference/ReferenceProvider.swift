public import ORM

/// Makes reference stores: a provider for the suite, to check the suite itself.
public struct ReferenceProvider: StoreProvider {
  /// The store's name.
  public let name = "ReferenceStore"

  /// Makes a provider.
  public init() {}

  /// Opens an empty disk.
  public func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try ReferenceStore(schema: schema, options: options)
  }

  /// Opens the same disk again.
  public func reopen(
    _ store: any Store, schema: Schema, options: StoreOptions
  ) throws -> any Store {
    guard let store = store as? ReferenceStore else {
      throw StoreError(.cannotOpen, "this provider made no such store")
    }
    try store.close()
    return try ReferenceStore(schema: schema, options: options, disk: store.disk)
  }

  /// Nothing is left behind.
  public func cleanUp() throws {}
}
