public import ORMCore
internal import OrderedEngine

/// A store in one LMDB file.
///
/// ```swift
/// let store = try LMDBStore(path: "snacks.lmdb", schema: schema)
/// try store.save(Snack(name: "Chips"))
/// ```
///
/// Reads run beside each other and beside the writer, each on a snapshot of its own. Other
/// processes may open the file at the same time. Records carry checksums.
public final class LMDBStore: Store {
  /// The declared schema in the form of stores.
  public let schema: StoredSchema
  /// The scheduler, the limits and the caches that core keeps for this store.
  public let runtime: StoreRuntime
  private let engine: OrderedStoreEngine

  /// Opens a file, making it and missing folders unless the options say read-only.
  ///
  /// Parts of the schema that the file lacks are added; see `StoreOptions.SchemaPolicy`.
  ///
  /// ```swift
  /// let store: any Store = try LMDBStore(path: "snacks.lmdb", schema: Schema(Snack.self))
  /// ```
  ///
  /// A damaged meta page is repaired from the other one; see <doc:DamagedFiles>.
  ///
  /// - Parameters:
  ///   - path: the data file; `-lock` and `-guard` lie beside it.
  ///   - schema: the models of the store.
  ///   - options: the options of every store.
  ///   - lmdb: the options of stores in LMDB files.
  /// - Throws: `cannotOpen`, `alreadyOpen`, `notADatabase`, `corrupt`, `schemaTooNew`,
  ///   `unsupportedVersion`, `schemaMismatch` (naming every difference), `full`, `inputOutput`,
  ///   `busy`; the file is left as it was.
  public convenience init(
    path: String, schema: Schema, options: StoreOptions = StoreOptions(),
    lmdb: LMDBOptions = LMDBOptions()
  ) throws {
    try self.init(
      path: path, stored: schema.stored, models: schema.storedModels, options: options, lmdb: lmdb)
  }

  /// Opens a file for a schema as stores see it; without one the store has that of the file, which
  /// must exist.
  package init(
    path: String, stored declared: StoredSchema?, models: [String: StoredModel] = [:],
    options: StoreOptions = StoreOptions(), lmdb: LMDBOptions = LMDBOptions()
  ) throws {
    var mapOptions = LMDBMap.Options()
    mapOptions.durability = options.durability
    mapOptions.isReadOnly = options.isReadOnly
    mapOptions.verification = options.verification
    mapOptions.wait = options.writerWait.seconds
    mapOptions.readsPagesDirectly = lmdb.readsPagesDirectly
    // A table and its indexes are a keyspace each.
    let declaredKeyspaces = declared?.entities.reduce(0) { $0 + 1 + $1.indexes.count } ?? 0
    let isUsual = declaredKeyspaces < 200
    if isUsual { mapOptions.usualKeyspaces = 512 }
    if declared == nil, try LMDBPath(path, makesFolders: false).stamp() == nil {
      throw StoreError(.cannotOpen, "\(path) does not exist; declare a schema to create it")
    }
    (runtime, engine) = try StoreError.naming(path) {
      var first = options
      if isUsual, let migration = options.schemaPolicy.migration {
        first.schemaPolicy = .migrate(PostponedMigration(migration: migration))
      }
      do {
        return try Self.engine(path, declared, models, first, lmdb, mapOptions)
      } catch let error as StoreError where error.isLMDBKeyspacesFull && isUsual {
        // The file is migrated, or grows to more keyspaces than there was reason to expect.
        mapOptions.usualKeyspaces = mapOptions.maximumKeyspaces
        return try Self.engine(path, declared, models, options, lmdb, mapOptions)
      }
    }
    schema = engine.schema
  }

  private static func engine(
    _ path: String, _ declared: StoredSchema?, _ models: [String: StoredModel],
    _ options: StoreOptions, _ lmdb: LMDBOptions, _ mapOptions: LMDBMap.Options
  ) throws -> (StoreRuntime, OrderedStoreEngine) {
    let map: any OrderedStore
    let file: LMDBFile
    if mapOptions.readsPagesDirectly {
      let opened = try LMDBMap(path: path, options: mapOptions)
      (map, file) = (opened, opened.file)
    } else {
      let opened = try LMDBLibraryMap(path: path, options: mapOptions)
      (map, file) = (opened, opened.map.file)
    }
    let runtime = StoreRuntime(models: models, options: options, file: file.path, system: "lmdb")
    do {
      return (
        runtime,
        try OrderedStoreEngine(
          map, schema: declared, runtime: runtime, file: file,
          compilesConditions: lmdb.compilesConditions)
      )
    } catch {
      try? map.close()
      throw error
    }
  }

  /// Always true.
  public var keepsReaders: Bool { true }

  /// Opens a reader on the newest commit.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try engine.reader(turn)
  }

  /// Begins the write transaction; `busy` when another process holds it past `writerWait`.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try engine.writer(turn)
  }

  /// Closes the file.
  public func close(_ turn: borrowing CloseTurn) throws { try engine.close(turn) }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
