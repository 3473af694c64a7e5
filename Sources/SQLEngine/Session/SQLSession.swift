package import ORMStorage

/// A connection with everything prepared on it: reused by one transaction after another.
package final class SQLSession {
  package let connection: any SQLConnection
  /// The connection as one that saves trips; nil for others.
  let tripSaving: (any TripSavingConnection)?
  /// The connection as one whose writers may run together; nil for others.
  let concurrent: (any ConcurrentConnection)?
  /// The connection as one that counts its trips; nil for others.
  let tripCounting: (any TripCountingConnection)?
  /// The number of rows that the library tested itself; nil for a store without instruments.
  let tally: RowTally?
  /// The layout of the database; others may give it another one between two transactions.
  package private(set) var schema: SQLSchema
  package let dialect: any SQLDialect
  package let options: StoreOptions
  /// The connection as one that puts many rows by one statement; nil for others.
  let batching: (any BatchingConnection)?
  /// True if a page and the rows to which it leads are read by one statement.
  let readsLinkedRows: Bool
  /// True if statements call core's functions.
  let evaluatesInEngine: Bool
  // A session has one user at a time, and a look-up runs no code of others. So exclusive access to the
  // caches is not checked at run time.
  @exclusivity(unchecked) private var fetches: StatementCache<FetchShape, PreparedFetch>
  private var exactFetches: StatementCache<FetchShape, PreparedFetch>
  private var linkedFetches: StatementCache<LinkedShape, PreparedLinkedFetch>
  var changes: StatementCache<ChangeKey, PreparedChange>
  private var puts: StatementCache<PutRequest, PreparedPut>

  private var rows: [ExactText: PreparedRows] = [:]
  /// The queries that programs wrote in SQL.
  var writtenStatements = WrittenStatements(capacity: 32)

  /// The number of statements of each sort a connection keeps.
  ///
  /// A prepared statement takes some 5 KiB.
  private static var capacity: Int { 128 }

  /// Makes a session on a connection that has its functions registered.
  package init(
    _ connection: any SQLConnection, _ schema: SQLSchema, _ dialect: any SQLDialect,
    _ options: StoreOptions
  ) {
    self.connection = connection
    tripSaving = connection as? any TripSavingConnection
    batching = connection as? any BatchingConnection
    concurrent = connection as? any ConcurrentConnection
    tripCounting = connection as? any TripCountingConnection
    tally = options.instruments.isEmpty ? nil : RowTally()
    self.schema = schema
    self.dialect = dialect
    self.options = options
    readsLinkedRows = dialect is any LinkedReadingDialect
    evaluatesInEngine = dialect.evaluatesInEngine
    fetches = StatementCache(capacity: Self.capacity)
    changes = StatementCache(capacity: Self.capacity)
    exactFetches = StatementCache(capacity: 8)
    linkedFetches = StatementCache(capacity: 32)
    puts = StatementCache(capacity: Self.capacity)
  }

  /// Takes the layout that others have given the database, for the transaction that has begun.
  ///
  /// - Throws: `schemaMismatch` or `schemaTooNew` if it no longer has the parts that the program
  ///   declares, `corrupt`.
  func checkSchema() throws {
    let version = try connection.schemaVersion()
    if version == nil || version == schema.version { return }
    guard let found = try SQLSchema.stored(connection, dialect) else {
      throw StoreError(.corrupt, "the store's schema cannot be read")
    }
    if let addition = try found.additions(connection, dialect).first { throw addition }
    let isSame =
      found.stored == schema.stored && found.hasChecksums == schema.hasChecksums
      && found.checksumNames == schema.checksumNames && found.dropped == schema.dropped
      && found.overflowing == schema.overflowing
    if !isSame {
      let changes = try SchemaComparison.compare(
        stored: found.stored, declared: schema.declared, isReadOnly: options.isReadOnly)
      guard changes.addedEntities.isEmpty, changes.addedColumns.isEmpty else {
        throw StoreError(
          .schemaMismatch,
          "another program has removed entities or attributes that this program declares; open the "
            + "store again")
      }
      try schema.declared.following(aliasesOf: found.stored).checkEntities(
        areThoseOf: schema.declared)
      forgetStatements()
    }
    schema = found.declaring(
      schema.declared, verifiesRows: schema.verifiesRows, version: version)
  }

  /// Lets the first statement begin a write transaction, if the connection can; returns whether it does.
  func deferWrite(isConcurrent: Bool) throws -> Bool {
    try tripSaving?.deferWrite(isConcurrent: isConcurrent, of: schema.version) ?? false
  }

  /// Begins a write transaction.
  ///
  /// - Parameter isConcurrent: true if it may run beside others.
  func beginWrite(isConcurrent: Bool) throws {
    if isConcurrent {
      try writingTogether.beginConcurrentWrite()
    } else {
      try connection.beginWrite()
    }
  }

  /// The connection as one whose writers run together, as its database says.
  ///
  /// - Throws: `unsupported` if it is none.
  var writingTogether: any ConcurrentConnection {
    get throws {
      if let concurrent { return concurrent }
      throw StoreError(.unsupported, "the connection runs one write transaction at a time")
    }
  }

  private func forgetStatements() {
    fetches.removeAll()
    exactFetches.removeAll()
    linkedFetches.removeAll()
    changes.removeAll()
    puts.removeAll()
    rows.removeAll()
    writtenStatements = WrittenStatements(capacity: 32)
  }

  /// Gives a table overflow keys; ``restore(_:)`` goes back if the transaction is undone.
  func overflow(_ table: SQLTable) throws {
    schema = try schema.overflow([ExactText(table.stored.name)], connection, dialect)
    forgetStatements()
  }

  /// Takes a layout from before in the transaction, which was undone to then.
  func restore(_ before: SQLSchema) {
    if schema === before { return }
    schema = before
    forgetStatements()
  }

  /// The compiled form of a shape.
  func fetch(_ shape: FetchShape) throws -> PreparedFetch {
    if let fetch = fetches.value(for: shape) { return fetch }
    let fetch = try compile(shape, sumsIntegers: true)
    fetches.insert(fetch, for: shape)
    return fetch
  }

  /// The compiled form of a shape of aggregates with every sum made by core.
  func exactFetch(_ shape: FetchShape) throws -> PreparedFetch {
    if let fetch = exactFetches.value(for: shape) { return fetch }
    let fetch = try compile(shape, sumsIntegers: false)
    exactFetches.insert(fetch, for: shape)
    return fetch
  }

  /// The compiled form of a page with its linked requests.
  func linkedFetch(_ shape: LinkedShape) throws -> PreparedLinkedFetch {
    if let fetch = linkedFetches.value(for: shape) { return fetch }
    let fetch = try PreparedLinkedFetch(shape, schema, dialect)
    linkedFetches.insert(fetch, for: shape)
    return fetch
  }

  private func compile(
    _ shape: FetchShape, sumsIntegers: Bool, throwsOverflow: Bool = false, countsRows: Bool = false
  ) throws -> PreparedFetch {
    let table = try schema.table(shape.entity)
    var compiler = FetchCompiler(table, schema, dialect)
    compiler.sumsIntegers = sumsIntegers
    compiler.throwsOverflow = throwsOverflow
    compiler.countsRows = countsRows
    return try PreparedFetch(table, try compiler.compile(shape), shape, schema.declared)
  }

  /// The compiled form of a shape whose values are to be assigned.
  func assignedFetch(_ shape: FetchShape) throws -> PreparedFetch {
    try compile(shape, sumsIntegers: true, throwsOverflow: true)
  }

  /// The compiled form of a shape, with a count of the rows looked at.
  func countedFetch(_ shape: FetchShape) throws -> PreparedFetch {
    try compile(shape, sumsIntegers: true, countsRows: true)
  }

  /// The compiled form of a put.
  func put(_ request: PutRequest) throws -> PreparedPut {
    if let put = puts.value(for: request) { return put }
    let table = try schema.table(request.entity)
    let put = PreparedPut(
      table, PutCompiler(request, table, dialect).compile(), request, options,
      batch: batching == nil ? nil : BatchPut(request, table, dialect),
      mayOverflow: mayOverflow(table))
    puts.insert(put, for: request)
    return put
  }

  /// Returns whether a value may be too long for an entry of an index that a table has now.
  func mayOverflow(_ table: SQLTable) -> Bool {
    !table.hasOverflowKeys && table.canOverflow(dialect)
  }

  /// The statements for full rows of a table.
  func rows(_ table: SQLTable) throws -> PreparedRows {
    if let known = rows[table.name] { return known }
    let made = PreparedRows(table, dialect, connection)
    rows[table.name] = made
    return made
  }
}
