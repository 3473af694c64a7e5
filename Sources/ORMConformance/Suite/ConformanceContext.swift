public import ORM
internal import ORMCore

/// The environment of a case: new stores of the provider under test, and expectations.
public final class ConformanceContext: Sendable {
  /// The provider that makes the stores.
  public let provider: any StoreProvider
  let name: String
  let clauses: [String]
  /// The stores that are open, by their runtimes.
  private let stores = Lock<[ObjectIdentifier: any Store]>([:])

  init(provider: any StoreProvider, name: String, clauses: [String]) {
    self.provider = provider
    self.name = name
    self.clauses = clauses
  }

  /// A new store for these models.
  public func open(
    _ models: any Persistable.Type..., options: StoreOptions = StoreOptions()
  ) throws -> any Store {
    try open(Schema(models: models), options: options)
  }

  /// A new store.
  public func open(
    _ schema: Schema, options: StoreOptions = StoreOptions()
  ) throws -> any Store {
    let store = try provider.make(schema: schema, options: Self.unhurried(options))
    keep(store)
    return store
  }

  /// Options whose waits outlast a machine under load, unless a case sets them: between two steps of a
  /// task, many other tests may run.
  private static func unhurried(_ options: StoreOptions) -> StoreOptions {
    let usual = StoreOptions()
    var options = options
    if options.writerWait == usual.writerWait { options.writerWait = .seconds(300) }
    if options.readerWait == usual.readerWait { options.readerWait = .seconds(300) }
    if options.streamExpiry == usual.streamExpiry { options.streamExpiry = .seconds(3_600) }
    return options
  }

  /// Closes a store and opens its content again with these models.
  public func reopen(
    _ store: any Store, _ models: any Persistable.Type..., options: StoreOptions = StoreOptions()
  ) throws -> any Store {
    try reopen(store, Schema(models: models), options: options)
  }

  /// Closes a store and opens its content again with this schema.
  public func reopen(
    _ store: any Store, _ schema: Schema, options: StoreOptions = StoreOptions()
  ) throws -> any Store {
    let new = try provider.reopen(store, schema: schema, options: Self.unhurried(options))
    _ = stores.withLock { $0.removeValue(forKey: ObjectIdentifier(store.runtime)) }
    keep(new)
    return new
  }

  private func keep(_ store: any Store) {
    stores.withLock { $0[ObjectIdentifier(store.runtime)] = store }
  }

  func closeAll() throws {
    for store in takeStores() { try store.close() }
  }

  func closeQuietly() {
    for store in takeStores() { try? store.close() }
  }

  private func takeStores() -> [any Store] {
    stores.withLock { stores in
      defer { stores = [:] }
      return Array(stores.values)
    }
  }
}

extension Persistable {
  /// The entity's description, through an existential.
  static var describedEntity: EntityDescription { entity.description }
}
