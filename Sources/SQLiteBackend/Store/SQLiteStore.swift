public import ORMCore
internal import SQLEngine

/// A store in one SQLite file, which the `sqlite3` command reads as well.
///
/// ```swift
/// let store = try SQLiteStore(path: "snacks.sqlite", schema: schema)
/// try store.save(Snack(name: "Chips"))
/// ```
///
/// Reads run beside each other and beside the writer, each on a snapshot of its own. Other processes may
/// open the file at the same time. `Layout.md` describes the file.
///
/// The first store that a process opens sets SQLite, unless it is initialized already, to not count the
/// memory it has in use (`SQLITE_CONFIG_MEMSTATUS`): a lock of the whole process protects the count, and
/// readers would wait for each other there. A program that asks `sqlite3_memory_used`, sets heap limits, or
/// uses SQLite on other threads at that very time calls `sqlite3_initialize` before it opens a store.
public final class SQLiteStore: Store {
  /// The declared schema in the form of stores.
  public let schema: StoredSchema
  /// The scheduler, the limits and the caches that core keeps for this store.
  public let runtime: StoreRuntime
  private let engine: SQLStoreEngine

  /// Opens a file, making it and missing folders unless the options say read-only.
  ///
  /// Parts of the schema that the file lacks are added; see `StoreOptions.SchemaPolicy`.
  ///
  /// ```swift
  /// let store: any Store = try SQLiteStore(path: "snacks.sqlite", schema: Schema(Snack.self))
  /// ```
  ///
  /// - Throws: `cannotOpen`, `notADatabase`, `corrupt`, `schemaTooNew`, `schemaMismatch` (naming
  ///   every difference), `readOnly`, `full`, `inputOutput`, `busy`; the file is left as it was.
  public convenience init(
    path: String, schema: Schema, options: StoreOptions = StoreOptions(),
    sqlite: SQLiteOptions = SQLiteOptions()
  ) throws {
    try self.init(
      path: path, stored: schema.stored, models: schema.storedModels, options: options,
      sqlite: sqlite)
  }

  /// Opens a file for a schema as stores see it; without one the store has that of the file, which
  /// must exist.
  ///
  /// - Throws: `cannotOpen`, `notADatabase`, `corrupt`, `schemaTooNew`, `schemaMismatch` (naming
  ///   every difference), `readOnly`, `full`, `inputOutput`, `busy`; the file is left as it was.
  package init(
    path: String, stored declared: StoredSchema?, models: [String: StoredModel] = [:],
    options: StoreOptions = StoreOptions(), sqlite: SQLiteOptions = SQLiteOptions()
  ) throws {
    (runtime, engine) = try StoreError.naming(path) {
      if declared == nil, try SQLiteFile.size(of: SQLiteFile.resolve(path)) ?? 0 == 0 {
        throw StoreError(.cannotOpen, "\(path) does not exist; declare a schema to create it")
      }
      let settings = SQLiteSettings(options, sqlite)
      let file = try SQLiteFile(path: path, options: options, settings: settings)
      let runtime = StoreRuntime(
        models: models, options: options, file: file.path, system: "sqlite")
      let engine = try SQLStoreEngine(
        SQLiteDatabase(file, evaluatesInEngine: sqlite.evaluatesInEngine), schema: declared,
        runtime: runtime,
        hasChecksums: settings.sizes.checksums, file: file)
      return (runtime, engine)
    }
    schema = engine.schema
  }

  /// Opens a reader on the newest commit.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try engine.reader(turn)
  }

  /// Begins the write transaction; `busy` when another process holds it past `writerWait`.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try engine.writer(turn)
  }

  /// Closes every connection; the log is moved into the file.
  public func close(_ turn: borrowing CloseTurn) throws { try engine.close(turn) }
}
