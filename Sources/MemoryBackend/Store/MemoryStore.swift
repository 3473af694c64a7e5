public import ORMCore
internal import OrderedEngine

/// A store in memory: for tests, caches, and data that is read from one file and written back whole.
///
/// Snapshots cost nothing, and readers and the writer never wait for each other. Its rows are
/// lost when it is released, unless ``write(to:)`` was called.
///
/// ```swift
/// let store: any Store = MemoryStore(schema: schema)
/// ```
public final class MemoryStore: ImageStore {
  /// The declared schema in the form of stores.
  public let schema: StoredSchema
  /// The scheduler, the limits and the caches that core keeps for this store.
  public let runtime: StoreRuntime
  private let map: MemoryMap
  /// The engine, or why there is none: thrown at first use.
  private let engine: Result<OrderedStoreEngine, StoreError>

  /// Makes an empty store.
  ///
  /// ```swift
  /// let store = MemoryStore(schema: schema)
  /// try store.save(Snack(name: "Chips"))
  /// ```
  ///
  /// - Parameters:
  ///   - schema: the models of the store.
  ///   - options: limits and waits.
  ///   - limit: the most that keys and records may take together, in bytes; nil for no limit. A
  ///     write past it throws `full`.
  public convenience init(
    schema: Schema, options: StoreOptions = StoreOptions(), limit: Int? = nil
  ) {
    self.init(stored: schema.stored, models: schema.storedModels, options: options, limit: limit)
  }

  /// Makes an empty store for a schema as stores see it.
  package init(
    stored schema: StoredSchema, models: [String: StoredModel] = [:],
    options: StoreOptions = StoreOptions(), limit: Int? = nil
  ) {
    let schema = schema.keepingHistory(options)
    self.schema = schema
    runtime = StoreRuntime(
      models: models, options: options, name: "a store in memory", system: "memory")
    map = MemoryMap(limit: limit)
    do {
      engine = .success(
        try OrderedStoreEngine(
          map, schema: schema, runtime: runtime, hasChecksums: false, isShared: false))
    } catch {
      engine = .failure(error as? StoreError ?? StoreError(.engine, "\(error)"))
    }
  }

  /// Reads a store from a file that ``write(to:)`` wrote; the file is left as it is.
  ///
  /// ```swift
  /// let copy = try MemoryStore(schema: schema, contentsOf: "snacks.image")
  /// ```
  ///
  /// - Throws: `cannotOpen`, `notADatabase`, `corrupt`, `schemaTooNew`, `schemaMismatch` (naming
  ///   every difference), `full` when it holds more than `limit`.
  public convenience init(
    schema: Schema, contentsOf path: String, options: StoreOptions = StoreOptions(),
    limit: Int? = nil
  ) throws {
    try self.init(
      stored: schema.stored, models: schema.storedModels, contentsOf: path, options: options,
      limit: limit
    )
  }

  /// Reads a store from a file, with a schema as stores see it, or the one that the file holds.
  package init(
    stored schema: StoredSchema?, models: [String: StoredModel] = [:], contentsOf path: String,
    options: StoreOptions = StoreOptions(), limit: Int? = nil
  ) throws {
    let runtime = StoreRuntime(
      models: models, options: options, name: "a store in memory, read from \(path)",
      system: "memory")
    let (map, engine) = try StoreError.naming(path) {
      let map = try MemoryMap(contentsOf: path, limit: limit)
      let engine = try OrderedStoreEngine(
        map, schema: schema, runtime: runtime, hasChecksums: false, isShared: false,
        file: ImageStoreFile(path: path))
      return (map, engine)
    }
    self.runtime = runtime
    self.map = map
    self.schema = engine.schema
    self.engine = .success(engine)
  }

  /// Writes the newest commit to a file, replacing the one that may be there, whole or not at
  /// all; on return it is durable.
  ///
  /// ```swift
  /// let store = MemoryStore(schema: schema)
  /// try store.write(to: "snacks.image")
  /// ```
  ///
  /// Missing folders are made.
  ///
  /// - Throws: `cannotOpen`, `full`, `inputOutput`, `closed`.
  public func write(to path: String) throws { try map.write(to: path) }

  /// Always true.
  public var keepsReaders: Bool { true }

  /// Opens a reader on the newest commit.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try engine.get().reader(turn)
  }

  /// Begins the write transaction.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try engine.get().writer(turn)
  }

  /// Frees everything.
  public func close(_ turn: borrowing CloseTurn) throws { try engine.get().close(turn) }
}
