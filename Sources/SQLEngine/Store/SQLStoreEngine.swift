public import ORMStorage

/// A store over any ``SQLDatabase``: tables, statements, plans, cursors and the pool of connections;
/// everything but the database.
///
/// A store of one's own is a thin class around it:
///
/// ```swift
/// let runtime = StoreRuntime(schema: schema, options: options, file: path)
/// let engine = try SQLStoreEngine(
///   MyDatabase(path: path), schema: schema.stored, runtime: runtime)
/// ```
///
/// Reads run beside each other and beside the writer, each on a connection of its own.
public final class SQLStoreEngine: Store {
  /// The declared schema; when none was given, the one that the database holds.
  public let schema: StoredSchema
  /// The scheduler, the options and the caches that core keeps for this store.
  public let runtime: StoreRuntime
  private let pool: SQLPool
  private let fork = ForkCheck()

  /// Opens the store that a database holds, and makes it where the database is empty.
  ///
  /// The schema is compared with the database's, and additions are made in one transaction (see
  /// `StoreOptions.SchemaPolicy`); without one, the database's is taken as it is. A failure leaves
  /// the database as it was, and closes the connection that was opened.
  ///
  /// - Parameters:
  ///   - database: the database; it opens connections as they are needed.
  ///   - schema: the declared schema, or nil for that of the database.
  ///   - runtime: the runtime of the store, which holds its options.
  ///   - hasChecksums: true to give rows checksums, and verify them. The connection then has the
  ///     functions ``SQLFunction/checksum`` and ``SQLFunction/intact``.
  ///   - isShared: true if other processes may write to the database.
  ///   - file: the file of the database, which is copied before a migration loses data; nil if it has
  ///     none.
  /// - Throws: `schemaMismatch` (naming every difference), `schemaTooNew`, `corrupt`,
  ///   `notADatabase` for a database with foreign tables, and the errors of the database. A database
  ///   without a store is `cannotOpen` if no schema is declared or the opening only reads.
  public init(
    _ database: any SQLDatabase, schema: StoredSchema?, runtime: StoreRuntime,
    hasChecksums: Bool = false, isShared: Bool = true, file: (any StoreFile)? = nil
  ) throws {
    let options = runtime.options
    let dialect = database.dialect
    let start = ContinuousClock.now
    let connection = try options.isReadOnly ? database.reader() : database.writer()
    let time = start.duration(to: .now)
    let layout: SQLSchema
    do {
      layout = try SQLEvolution(
        connection, dialect, options, checksums: hasChecksums, file: file
      ).run(declared: schema)
    } catch {
      connection.close()
      throw error
    }
    let pool = SQLPool(
      database, SQLSession(connection, layout, dialect, options), madeIn: time)
    self.schema = layout.declared
    self.runtime = runtime
    self.pool = pool
    // Not weakly to the pool, whose references every transaction counts.
    if isShared { runtime.watchOthers { [weak self] in try self?.pool.othersCommits() } }
    runtime.showConnections(
      of: ConnectionSource(
        counts: { [weak self] in self?.pool.counts },
        replicas: { [weak self] in self?.pool.replicaStates() ?? [] }))
  }

  /// Opens a reader on the newest commit, or on a replica of the database if the turn allows that.
  ///
  /// - Throws: `closed`, `forked`, and the errors of the database.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try fork.check()
    return try pool.reader(defersBegin: turn.isForOperation, turn.freshness)
  }

  /// Begins the write transaction.
  ///
  /// - Throws: `readOnly` if the store was opened so, `closed`, `forked`, `busy` when another
  ///   process holds the transaction past `writerWait`, and the errors of the database.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try fork.check()
    return try pool.writer(defersBegin: turn.isForOperation)
  }

  /// Closes every connection, the one that writes last; afterwards readers and writers throw
  /// `closed`.
  public func close(_ turn: borrowing CloseTurn) throws { pool.close() }
}
