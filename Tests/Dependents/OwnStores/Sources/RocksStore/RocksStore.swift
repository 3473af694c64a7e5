import ORMCore
import OrderedEngine

/// A store in a folder of RocksDB.
///
/// One process at a time may have the folder open for writing. A store that is opened for reading
/// alone shows what was committed when it was opened.
public final class RocksStore: Store {
  /// The declared schema, or the schema of the folder where none was declared.
  public let schema: StoredSchema
  /// The scheduler, limits and caches that the library keeps for the store.
  public let runtime: StoreRuntime
  private let engine: OrderedStoreEngine

  /// Opens a folder, and creates it unless the options say read-only or no schema is declared.
  ///
  /// - Throws: `cannotOpen` where there is no store and none may be created, `notADatabase`,
  ///   `corrupt`, `unsupportedVersion`, `alreadyOpen`, `busy`, `schemaMismatch`, `schemaTooNew`,
  ///   `full`, `inputOutput`. Each error names the path.
  public init(
    path: String, schema declared: Schema?, options: StoreOptions = StoreOptions()
  ) throws {
    let runtime = StoreRuntime(schema: declared, options: options, name: path)
    engine = try StoreError.naming(path) {
      let map = try RocksMap(
        path: path, isReadOnly: options.isReadOnly, mayCreate: declared != nil,
        isSynced: options.durability == .full)
      do {
        // RocksDB has checksums of its own, and admits one writing process.
        return try OrderedStoreEngine(
          map, schema: declared?.stored, runtime: runtime, hasChecksums: false, isShared: false)
      } catch {
        try? map.close()
        throw error
      }
    }
    schema = engine.schema
    self.runtime = runtime
  }

  /// Opens a reader on the newest commit.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try engine.reader(turn)
  }

  /// Begins the write transaction.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try engine.writer(turn)
  }

  /// Closes the folder.
  public func close(_ turn: borrowing CloseTurn) throws { try engine.close(turn) }
}
