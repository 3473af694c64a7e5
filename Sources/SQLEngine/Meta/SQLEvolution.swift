package import ORMStorage

/// Brings a database to the schema that a program declares, in one transaction.
package struct SQLEvolution {
  private let connection: any SQLConnection
  private let dialect: any SQLDialect
  private let options: StoreOptions
  private let opening: SchemaOpening
  /// True if rows get checksums where they have none, and requests verify them.
  private let checksums: Bool
  private let indexes: SQLOnlineIndexes

  package init(
    _ connection: any SQLConnection, _ dialect: any SQLDialect, _ options: StoreOptions,
    checksums: Bool = false, file: (any StoreFile)? = nil
  ) {
    self.checksums = checksums
    self.connection = connection
    self.dialect = dialect
    self.options = options
    opening = SchemaOpening(options, file: file)
    indexes = SQLOnlineIndexes(connection, dialect, options)
  }

  /// The layout of the database once it fits `declared`, or as it is where nothing is declared.
  ///
  /// Throws `schemaMismatch`, naming every difference that is more than an addition and that the
  /// migration of the options does not meet, with the database as it was. For a program that only
  /// reads, additions are differences too. Indexes over many rows are built after the other changes,
  /// outside of transactions, if the database can.
  package func run(declared: StoredSchema?) throws -> SQLSchema {
    defer { indexes.end() }
    while true {
      indexes.begin()
      let schema = try fitted(declared)
      if try !indexes.buildNext() {
        indexes.removeUnfinished()
        return schema
      }
    }
  }

  /// The layout of the database once it fits `declared`, but for indexes that are to be built.
  private func fitted(_ declared: StoredSchema?) throws -> SQLSchema {
    try undoUnfinished()
    let found: SQLSchema? = try repeating {
      try connection.beginSnapshot()
      return try fitting(declared)
    } ending: { _ in
      connection.endRead()
    }
    if let found { return found }
    let declared = try opening.schema(declared)
    var hasParts = false
    do {
      let schema = try opening.write { () -> SQLSchema? in
        let schema = try inTransaction { try evolve(to: declared) }
        hasParts = hasParts || schema == nil
        return schema
      }
      return hasParts ? removingHiddenTables(of: schema) : schema
    } catch {
      // The next opening undoes a change that cannot be undone now.
      do { try undoUnfinished() } catch { options.onError?(error) }
      throw error
    }
  }

  /// Undoes a change of tables that was left unfinished, where a rollback does not.
  private func undoUnfinished() throws {
    if dialect.changesTablesInTransactions { return }
    let change = SQLUnfinishedChange(connection, dialect)
    let isLeft: Bool = try repeating {
      try connection.beginSnapshot()
      return try change.parts() != nil
    } ending: { _ in
      connection.endRead()
    }
    if !isLeft { return }
    if options.isReadOnly {
      // Another program may be at work: its additions are no part of the schema yet.
      if try SQLSession.meta(SQLMeta.schema, connection, dialect) != nil { return }
      throw StoreError(
        .schemaMismatch,
        "a change of the store's tables was left unfinished, and it is read-only; "
          + "open it once for writing")
    }
    try inTransaction { try change.undo() }
  }

  /// Runs a body in a transaction that writes.
  private func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    try repeating {
      try connection.beginWrite()
      let result = try body()
      try connection.commit()
      return result
    } ending: { isDone in
      if isDone { return }
      connection.rollback()
      opening.noteRollback()
    }
  }

  /// Runs a transaction, and repeats it while it conflicts with others, until `writerWait` or the operation
  /// that the thread works for is over.
  ///
  /// The store's own programs wait for the lock of a transaction that writes. Others know no lock, and a
  /// reader of two tables may wait for one that this one is about to change.
  ///
  /// - Parameter end: ends the transaction, if the body has not: with true one that is done, with false one
  ///   that failed.
  private func repeating<Result>(
    _ body: () throws -> Result, ending end: (_ isDone: Bool) -> Void
  ) throws -> Result {
    let last = ContinuousClock.now + options.writerWait
    var longest = 1_000
    while true {
      do {
        let result = try body()
        end(true)
        return result
      } catch {
        let isContended = (connection as? any ConcurrentConnection)?.isContended ?? false
        end(false)
        if !isContended || .now >= last { throw error }
      }
      try RunningOperation.sleep(for: .microseconds(Int.random(in: 1_000...longest)))
      longest = min(longest * 2, 200_000)
    }
  }

  /// Removes the tables that a migration of many transactions has left; after a failure, which is
  /// reported, the next change of the schema does it.
  private func removingHiddenTables(of schema: SQLSchema) -> SQLSchema {
    do {
      return try inTransaction {
        guard try SQLHiddenTables(connection, dialect).remove() else { return schema }
        return schema.declaring(
          schema.declared, verifiesRows: checksums, version: try connection.schemaVersion())
      }
    } catch {
      options.onError?(error)
      return schema
    }
  }

  /// The layout of the database when nothing has to be done.
  private func fitting(_ declared: StoredSchema?) throws -> SQLSchema? {
    // Another program has left a change since the look before.
    if !options.isReadOnly, declared != nil,
      try SQLUnfinishedChange(connection, dialect).parts() != nil
    {
      return nil
    }
    guard let found = try SQLSchema.stored(connection, dialect) else {
      _ = try opening.creating(declared)
      return nil
    }
    if let addition = try found.additions(connection, dialect).first { throw addition }
    guard let program = declared else {
      return found.declaring(found.stored, verifiesRows: true, version: found.version)
    }
    let declared = program.keepingHistory(options, of: found.stored)
    if try opening.needsMigration(from: found.stored, to: declared) { return nil }
    // While a migration lists changed keys, tables keep their triggers: they get checksums later.
    if checksums, !found.hasChecksums, !options.isReadOnly, !found.stored.isBeingMigrated {
      return nil
    }
    let changes = try opening.additions(from: found.stored, to: declared)
    guard changes.isEmpty, options.isReadOnly || changes.union == found.stored else { return nil }
    return found.declaring(declared, verifiesRows: checksums, version: found.version)
  }

  /// Changes the tables, and the rows with them; returns the layout.
  ///
  /// Returns nil if another transaction is to follow.
  private func evolve(to program: StoredSchema) throws -> SQLSchema? {
    // A run before this one, or another program, may have ended between two tables.
    if !dialect.changesTablesInTransactions {
      try SQLUnfinishedChange(connection, dialect).undo()
    }
    let found = try SQLSchema.stored(connection, dialect)
    if found == nil {
      guard try connection.isEmpty() else {
        throw StoreError(
          .notADatabase,
          "the database has tables, but another program made them: it has no schema of a store")
      }
      try SQLSession.createMeta(connection, dialect)
    } else {
      _ = try SQLHiddenTables(connection, dialect).remove()
    }
    let empty = StoredSchema(entities: [])
    let transaction = SQLSchemaTransaction(
      connection, dialect, options, found ?? SQLSchema(declared: empty, stored: empty),
      verifiesRows: checksums)
    defer { transaction.end() }
    let declared = program.keepingHistory(options, of: found?.stored)
    if let found, !dialect.changesTablesInTransactions,
      try opening.needsMigration(from: found.stored, to: declared)
    {
      throw SQLUnfinishedChange.refusal("a migration")
    }
    let wanted = try opening.changes(in: transaction, to: declared, isNew: found == nil)
    if opening.goesOn { return nil }
    let (left, built) = try indexes.choose(
      of: wanted, transaction, hasMigrated: opening.hasMigrated)
    let changes = wanted.leavingOut(left)
    let isBeingMigrated = transaction.layout.stored.isBeingMigrated
    try transaction.add(changes, addingChecksums: checksums && !isBeingMigrated, built: built)
    let layout = transaction.layout.declaring(
      declared, verifiesRows: checksums, version: try connection.schemaVersion())
    try apply(try changes.derivedFillings(declared), layout)
    return layout
  }

  /// Changes rows in the transaction that changes the tables.
  private func apply(_ changes: [StoreChange], _ schema: SQLSchema) throws {
    if changes.isEmpty { return }
    let session = SQLSession(connection, schema, dialect, options)
    let writer = SQLWriter(session, ownsTransaction: false)
    defer { writer.end() }
    for change in changes { _ = try writer.apply(change) }
  }
}
