import ORMCore
import SQLEngine

/// A store in memory, in tables of SQLite that this package reaches by itself.
///
/// It is built on the public products of Strata alone, and claims as little of its database as the
/// SQL engine lets it: what can be left to core's evaluator is left to it. It is slow, and right.
public final class TableStore: Store {
  /// The declared schema.
  public let schema: StoredSchema
  /// The scheduler, the options and the caches that core keeps for this store.
  public let runtime: StoreRuntime
  private let engine: SQLStoreEngine
  private let image: TableImage

  /// Opens the store of an image, and makes it where the image is empty.
  ///
  /// - Throws: `alreadyOpen`, `schemaMismatch`, `corrupt`.
  public init(
    _ image: TableImage, schema: Schema, options: StoreOptions = StoreOptions()
  ) throws {
    let runtime = StoreRuntime(schema: schema, options: options, name: "a table store")
    try image.open()
    do {
      engine = try StoreError.naming(runtime.name) {
        try SQLStoreEngine(
          TableDatabase(image), schema: schema.stored, runtime: runtime, isShared: false)
      }
    } catch {
      image.close()
      throw error
    }
    self.schema = engine.schema
    self.runtime = runtime
    self.image = image
  }

  /// Opens a reader on the newest commit.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try engine.reader(turn)
  }

  /// Begins the write transaction.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try engine.writer(turn)
  }

  /// Closes the store and leaves its last commit in the image.
  public func close(_ turn: borrowing CloseTurn) throws {
    try engine.close(turn)
    image.close()
  }
}
