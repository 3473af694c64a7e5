public import ORMCore
internal import SQLEngine

/// A store in one namespace of a PostgreSQL server, which many programs may use at once.
///
/// ```swift
/// let store = try PostgresStore("postgres:app@db.example.org/shop", schema: schema)
/// try store.save(Snack(name: "Chips"))
/// ```
///
/// Reads run beside each other and beside writers, each on a snapshot of its own. Write transactions of
/// all programs follow one another, or run together (`PostgresOptions.Writers`). `Layout.md` describes
/// the namespace.
public final class PostgresStore: Store {
  /// The declared schema in the form of stores.
  public let schema: StoredSchema
  /// The scheduler, the limits and the caches that core keeps for this store.
  public let runtime: StoreRuntime
  private let engine: SQLStoreEngine
  private let counters: PostgresCounters
  private let replicaCounters: PostgresCounters

  /// Opens the store of a namespace, making both where they are missing.
  ///
  /// The location is `postgres:user@host:port/database?namespace=name`; all but the namespace, which is
  /// `public` unless given, is as in libpq's URIs. Parts of the schema that the store lacks are added;
  /// see `StoreOptions.SchemaPolicy`. Other tables of the namespace are left alone.
  ///
  /// ```swift
  /// let store: any Store = try PostgresStore(
  ///   "postgres:app@localhost/shop?namespace=snacks", schema: Schema(Snack.self))
  /// ```
  ///
  /// - Throws: `invalidLocation`, `cannotOpen`, `unsupportedVersion`, `notADatabase` if tables of other
  ///   programs have the names, `corrupt`, `schemaTooNew`, `schemaMismatch` (naming every difference),
  ///   `readOnly`, `busy`; the namespace is left as it was.
  public convenience init(
    _ location: String, schema: Schema, options: StoreOptions = StoreOptions(),
    postgres: PostgresOptions = PostgresOptions()
  ) throws {
    try self.init(
      location, stored: schema.stored, models: schema.storedModels, options: options,
      postgres: postgres)
  }

  /// Opens the store for a schema as stores see it; without one it has that of the namespace, which
  /// must hold a store.
  package init(
    _ location: String, stored declared: StoredSchema?, models: [String: StoredModel] = [:],
    options: StoreOptions = StoreOptions(), postgres: PostgresOptions = PostgresOptions()
  ) throws {
    let target = try PostgresLocation(location, postgres)
    let runtime = StoreRuntime(
      models: models, options: options, name: target.description, system: "postgresql")
    let database = try PostgresDatabase(location, target, options, postgres)
    if !postgres.writers.isOne {
      runtime.runWritersTogether(
        ConcurrentWriters(
          maximum: postgres.writers.maximum, attempts: postgres.writers.attempts,
          rerunsHooks: postgres.rerunsHooks))
    }
    engine = try StoreError.naming(target.description) {
      try SQLStoreEngine(database, schema: declared, runtime: runtime)
    }
    counters = database.counters
    replicaCounters = database.replicaCounters
    self.runtime = runtime
    schema = engine.schema
  }

  /// The number of trips to the server that the store has made.
  package var tripCount: Int { counters.trips.withLock { $0 } }

  /// The number of trips to replicas that the store has made.
  package var replicaTripCount: Int { replicaCounters.trips.withLock { $0 } }

  /// Removes the namespace of a location, with everything in it.
  package static func removeNamespace(of location: String) throws {
    let options = PostgresOptions()
    let target = try PostgresLocation(location, options)
    let handle = try PostgresHandle(target, limit: options.connectTimeout, PostgresCounters())
    let name = PostgresDialect(namespace: target.namespace).quoted(target.namespace)
    try handle.run("DROP SCHEMA IF EXISTS \(name) CASCADE")
  }

  /// Opens a reader on the newest commit, or on a replica if the turn allows that.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try engine.reader(turn)
  }

  /// Begins the write transaction; `busy` when another program holds it past `writerWait`.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try engine.writer(turn)
  }

  /// Closes every connection.
  public func close(_ turn: borrowing CloseTurn) throws { try engine.close(turn) }
}
