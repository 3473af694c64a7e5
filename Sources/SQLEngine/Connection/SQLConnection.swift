public import ORMStorage

/// One connection to a database, used by one thread at a time.
///
/// The functions of ``SQLFunction`` are registered when a connection is made. Failures are
/// `StoreError`. The code is `duplicate` for a unique rule, `missingValue` for a null where none may
/// be, and `invalidValue` for a value that a check refuses. It is `overflow` for a sum that the
/// database gives up. Further codes are `busy`, `full`, `inputOutput` and `corrupt`, and `engine` for all
/// else. An error that a function of the connection throws is thrown by the `step` that called the
/// function, as it was.
///
/// A failed statement undoes itself. If the database ends the whole transaction instead,
/// ``isInTransaction`` is false afterwards.
public protocol SQLConnection: AnyObject {
  /// Prepares one statement for many runs.
  ///
  /// - Throws: `engine` for a text that the database cannot parse, or that names a table, a column
  ///   or a function that it does not have.
  func statement(_ sql: String) throws -> any SQLStatement
  /// Prepares a statement that a program wrote itself; by default throws `unsupported`.
  ///
  /// - Throws: `invalidStatement` for a statement that is not of the purpose; as ``statement(_:)``.
  func statement(_ sql: String, writtenFor purpose: SQLPurpose) throws -> any SQLStatement
  /// Runs a body whose statements a program wrote for the tables of the store, which it names as it does
  /// in ``statement(_:writtenFor:)``; by default runs the body.
  func withProgramNames(_ body: () throws -> Void) throws
  /// Prepares a statement that puts many rows, whose parameters take a value of each row; by default throws
  /// `unsupported`.
  ///
  /// Its values are bound row by row, each row ended by ``SQLStatement/endRow()``. If it gives rows, the
  /// first column of each is the outcome for one row put: 1 where it was inserted, 2 where it was updated, 3
  /// where nothing was changed, and 0 where it was not found. Those of 1 and 2 count as changes.
  ///
  /// - Parameters:
  ///   - sql: the statement.
  ///   - single: the statement with the same parameters for a batch of one row; nil for `sql`.
  ///   - key: the parameters of the key; a batch has each key once.
  func statement(
    _ sql: String, forOneRow single: String?, ofRowsWithKey key: [Int]
  ) throws -> any SQLStatement
  /// Returns whether the database has a table of this name.
  func hasTable(_ name: String) throws -> Bool
  /// Returns whether a store may be made in the database: whether it has no table at all, or whether
  /// tables of other programs may stand beside those of a store.
  func isEmpty() throws -> Bool
  /// The number of rows that the last insert, update or delete changed, those of triggers not
  /// counted.
  var changes: Int { get }
  /// The number of rows that were changed since the connection was made, those of triggers counted.
  var totalChanges: Int { get }

  /// Begins a read; its snapshot is fixed when this returns.
  ///
  /// - Throws: `busy` past `StoreOptions.readerWait`, `closed`, `forked`, `inputOutput`.
  func beginSnapshot() throws
  /// Begins a read of a replica, if its state is fresh enough, and returns whether it is; by default
  /// returns false.
  ///
  /// - Parameters:
  ///   - freshness: how new the state has to be.
  ///   - primary: runs a body on a connection to the database itself, in no transaction.
  func beginSnapshot(
    _ freshness: ReadFreshness, primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> Bool
  /// Ends the read.
  func endRead()
  /// Begins the write transaction. Statements see its own writes, and no other connection does.
  ///
  /// - Throws: `busy` past `StoreOptions.writerWait`, `closed`, `forked`, `inputOutput`.
  func beginWrite() throws
  /// Prepares a read for one operation, whose first statement begins it and fixes its snapshot, and returns
  /// true; by default returns false, with nothing begun.
  ///
  /// If the tables are no longer those of the version, the first statement throws ``SQLLayoutChange`` before
  /// it gives a row, and the read has begun.
  ///
  /// - Parameter version: the ``schemaVersion()`` for which the statements are made.
  func beginLateSnapshot(of version: Int64?) throws -> Bool
  /// Prepares the same for a write; by default returns false.
  ///
  /// - Parameters:
  ///   - isConcurrent: true if the transaction may run beside others.
  ///   - version: the ``schemaVersion()`` for which the statements are made.
  func beginLateWrite(isConcurrent: Bool, of version: Int64?) throws -> Bool
  /// True while a transaction has not begun that its first statement begins; by default always false.
  var isLate: Bool { get }
  /// Begins a transaction that its first statement would begin; by default does nothing.
  ///
  /// - Throws: ``SQLLayoutChange`` if the tables are no longer those of the version; the transaction has
  ///   begun then.
  func beginNow() throws
  /// Begins a write transaction that may run beside others, if ``SQLDatabase/keepsWritersApart``
  /// is true; by default as ``beginWrite()``.
  ///
  /// The database keeps such transactions serializable. It throws `contended` from any statement, or
  /// from the commit, of one that others came in the way of.
  func beginConcurrentWrite() throws
  /// True if a statement or the commit of the transaction, or of the last one, threw `contended`; by
  /// default always false.
  var isContended: Bool { get }
  /// Raises the number that is recorded under a name, outside of a transaction and at once, and returns it;
  /// nil, with nothing changed, if it would pass `Int64.max`.
  ///
  /// The number becomes greater by `reservation.count` than the greatest of itself, `reservation.least`
  /// and the greatest key in the table. Asked for only if ``SQLDatabase/keepsWritersApart`` is
  /// true; by default throws `unsupported`.
  func reserveKeys(_ reservation: SQLKeyReservation) throws -> Int64?
  /// Sets the number that is recorded under a name back, outside of a transaction and at once, if it is
  /// still `greatest`; by default does nothing.
  ///
  /// With `isAlone`, as in ``SQLKeyReservation/isAlone``, it does not wait and throws `busy`.
  func giveBackKeys(
    _ name: String, from greatest: Int64, to key: Int64, isAlone: Bool
  ) throws
  /// Lets the next statement that changes rows, with which the transaction begins, commit it too;
  /// by default does nothing.
  ///
  /// If that statement fails, nothing of the transaction is left, and ``refusal`` is its error.
  func commitWithNextStatement()
  /// True if the last transaction was committed by a statement; by default always false.
  var hasCommitted: Bool { get }
  /// The error of the statement that was to commit the last transaction, which has ended; by default
  /// always nil.
  var refusal: StoreError? { get }
  /// Makes the transaction durable; if it throws, it has rolled back.
  func commit() throws
  /// Undoes the transaction; without effect when there is none.
  func rollback()
  /// True if a transaction was begun and neither committed nor rolled back, not even by the
  /// database.
  var isInTransaction: Bool { get }
  /// The error of a connection that has ended, whose transaction nothing is left of; by default always nil.
  var loss: StoreError? { get }
  /// Closes the connection; its statements are not used any more. Safe to call twice.
  func close()

  /// Begins a savepoint; they nest. By default runs `SAVEPOINT`.
  func beginSavepoint() throws
  /// Ends the innermost savepoint and keeps its writes. By default runs `RELEASE`.
  func releaseSavepoint() throws
  /// Undoes the writes of the innermost savepoint and ends it; without effect when the database has
  /// rolled back everything. By default runs `ROLLBACK TO` and `RELEASE`.
  func rollbackSavepoint() throws
  /// Announces that more than two statements are going to be run in this read. By default does
  /// nothing.
  func expectManyStatements() throws
  /// Returns a number that changes when another connection has committed, of this process or another;
  /// nil, by default, where the database has none.
  ///
  /// It is asked for on the connection that writes, or, in a store opened for reading alone, on one
  /// that does nothing else.
  func othersCommits() throws -> UInt64?
  /// Returns a number that changes whenever the tables of the database do, by this connection or
  /// another; nil, by default, where the database has none.
  ///
  /// It is asked for within a transaction, and is that of the transaction. Without it a store does not
  /// notice that another process has changed the schema.
  func schemaVersion() throws -> Int64?
  /// Gives an index another name within the write transaction, without building it anew, and returns
  /// true; by default does nothing and returns false: the index is then dropped and built.
  func renameIndex(_ name: String, to newName: String) throws -> Bool
  /// Waits until no other program builds indexes outside of transactions, and keeps others from it.
  ///
  /// This function, the next two and ``removeUnfinishedIndexes()`` are asked for only if
  /// ``SQLDialect/onlineIndexWord`` is not nil; by default they throw `unsupported` or do nothing.
  func beginIndexBuilding() throws
  /// Lets other programs build indexes again.
  func endIndexBuilding()
  /// Builds an index outside of a transaction, while others write, instead of one of its name that
  /// was left unfinished.
  ///
  /// - Throws: `duplicate` if rows break its unique rule. If it throws, nothing of the index is left,
  ///   unless the connection is lost.
  func buildIndex(_ sql: String, named name: String) throws
  /// Returns whether an index is there and was built whole; asked for within a transaction, by `check()`
  /// too. By default returns true.
  func isIndexBuilt(_ name: String) throws -> Bool
  /// Returns a table as the database has it, which `check()` compares with what the store made; asked for
  /// within a transaction. By default returns nil: it is not compared.
  func layout(ofTable name: String) throws -> SQLTableLayout?
  /// Returns what changes the meaning of statements over tables, such as triggers, policies, and
  /// views instead of tables; asked for within a transaction. By default returns nothing.
  func additions(toTables names: [String]) throws -> [SQLTableAddition]
  /// Removes the indexes that a program has left unfinished, if no program builds any; asked for outside
  /// of transactions.
  func removeUnfinishedIndexes() throws
  /// Removes the primary key of a table within the write transaction, and what refers to it; by default
  /// throws `unsupported`.
  ///
  /// Asked for only if a kind of values ``SQLDialect/canOverflow(_:)``.
  func removePrimaryKey(of table: String) throws
  /// Forbids or allows nil in a column within the write transaction, without a look at rows, which fit
  /// already.
  ///
  /// Asked for only if ``SQLDialect/columnRemoval`` is `hiding`; by default throws `unsupported`.
  ///
  /// - Parameters:
  ///   - isRequired: true to forbid nil.
  ///   - column: the column, as its table declares it but for nil.
  ///   - name: its name in the table.
  ///   - table: the table.
  func setRequired(
    _ isRequired: Bool, _ column: StoredColumn, named name: String, in table: String
  ) throws
  /// Returns how the database would reach the rows of a table in a statement, by its own planner;
  /// nil, by default, where it does not say. A store then explains every request as a scan.
  func access(of sql: String, to table: SQLAccess.Table) throws -> SQLAccess?
  /// The number of calls of ``SQLFunction/rowCounter`` since this was set to 0.
  ///
  /// Asked for only if ``SQLDialect/countsCalls`` is true; by default always 0.
  var rowCounter: Int { get set }
  /// The integer key of the row that the last insert added, or what was set since: an upsert that
  /// updates leaves it as it is.
  ///
  /// Asked for only if ``SQLDialect/reportsInsertedRows`` is true; by default always 0.
  var lastInsertedRow: Int64 { get set }
}

/// The error of a statement that was made for tables as they were before another program changed them.
public struct SQLLayoutChange: Error {
  /// Makes the error.
  public init() {}
}

/// A table as a database has it.
public struct SQLTableLayout: Equatable, Sendable {
  /// The declarations of the columns by name; empty for a table that is not there.
  ///
  /// Each is as ``SQLDialect/declaration(of:named:isRowNumber:)`` writes it, without the name, `PRIMARY KEY`
  /// and checks: `text COLLATE "C" NOT NULL`.
  public var columns: [String: String]
  /// The names of the primary key's columns in its order; empty for a table without one.
  public var key: [String]

  /// Makes the layout of a table that is not there.
  public init(columns: [String: String] = [:], key: [String] = []) {
    self.columns = columns
    self.key = key
  }
}

/// A part of a database by which statements over a table do something else than they say.
public struct SQLTableAddition: Hashable, Sendable {
  /// The name of the table in the database.
  public var table: String
  /// The kind in words, such as `trigger`.
  public var kind: String
  /// The name; empty for a kind that has none.
  public var name: String

  /// Makes an addition.
  public init(table: String, kind: String, name: String = "") {
    self.table = table
    self.kind = kind
    self.name = name
  }
}

/// A number of generated keys that a transaction asks for.
public struct SQLKeyReservation: Hashable, Sendable {
  /// The name under which the greatest key of the entity is recorded in the table of the engine's own.
  public var name: String
  /// The number of keys.
  public var count: Int64
  /// A key that the new ones must be greater than.
  public var least: Int64
  /// The table of the entity.
  public var table: String
  /// The column of its key.
  public var column: String
  /// True if the transaction that the keys are for has not begun.
  ///
  /// Nothing keeps a transaction of the only writer away then, which may change what is recorded. The
  /// reservation waits until that has ended.
  public var isAlone: Bool
}

/// The purpose of a statement that a program wrote itself.
public enum SQLPurpose: Hashable, Sendable {
  /// A query, which changes nothing: neither rows nor tables, settings or transactions.
  case query
  /// A statement that may change rows, tables, indexes and views, but not those of the tables named
  /// here, nor of tables whose names begin with `strata_`; nor settings or transactions.
  case change(keeping: Set<String>)
}

extension SQLConnection {
  /// Throws `unsupported`.
  public func statement(_ sql: String, writtenFor purpose: SQLPurpose) throws -> any SQLStatement {
    throw StoreError(.unsupported, "the store takes no statements of SQL from programs")
  }

  /// Runs the body.
  public func withProgramNames(_ body: () throws -> Void) throws { try body() }

  /// Returns nothing.
  public func additions(toTables names: [String]) throws -> [SQLTableAddition] { [] }

  /// Throws `unsupported`.
  public func statement(
    _ sql: String, forOneRow single: String?, ofRowsWithKey key: [Int]
  ) throws -> any SQLStatement {
    throw StoreError(.unsupported, "the store puts rows one by one")
  }

  /// Runs `SAVEPOINT`.
  public func beginSavepoint() throws { try execute("SAVEPOINT strata") }

  /// Runs `RELEASE`.
  public func releaseSavepoint() throws { try execute("RELEASE SAVEPOINT strata") }

  /// Runs `ROLLBACK TO` and `RELEASE`.
  public func rollbackSavepoint() throws {
    if !isInTransaction { return }
    try execute("ROLLBACK TO SAVEPOINT strata")
    try execute("RELEASE SAVEPOINT strata")
  }

  /// Returns false.
  public func beginSnapshot(
    _ freshness: ReadFreshness, primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> Bool { false }

  /// Returns false.
  public func beginLateSnapshot(of version: Int64?) throws -> Bool { false }

  /// Returns false.
  public func beginLateWrite(isConcurrent: Bool, of version: Int64?) throws -> Bool { false }

  /// Always false.
  public var isLate: Bool { false }

  /// Does nothing.
  public func beginNow() throws {}

  /// Does nothing.
  public func commitWithNextStatement() {}

  /// Always false.
  public var hasCommitted: Bool { false }

  /// Always nil.
  public var refusal: StoreError? { nil }

  /// Always nil.
  public var loss: StoreError? { nil }

  /// Begins the write transaction.
  public func beginConcurrentWrite() throws { try beginWrite() }

  /// Always false.
  public var isContended: Bool { false }

  /// Throws `unsupported`.
  public func reserveKeys(_ reservation: SQLKeyReservation) throws -> Int64? {
    throw StoreError(.unsupported, "the database has one writer at a time")
  }

  /// Does nothing.
  public func giveBackKeys(
    _ name: String, from greatest: Int64, to key: Int64, isAlone: Bool
  ) throws {}

  /// Does nothing.
  public func expectManyStatements() throws {}

  /// Returns nil.
  public func othersCommits() throws -> UInt64? { nil }

  /// Returns nil.
  public func schemaVersion() throws -> Int64? { nil }

  /// Does nothing and returns false.
  public func renameIndex(_ name: String, to newName: String) throws -> Bool { false }

  /// Throws `unsupported`.
  public func beginIndexBuilding() throws {
    throw StoreError(.unsupported, "the database builds indexes in transactions")
  }

  /// Does nothing.
  public func endIndexBuilding() {}

  /// Throws `unsupported`.
  public func buildIndex(_ sql: String, named name: String) throws {
    throw StoreError(.unsupported, "the database builds indexes in transactions")
  }

  /// Returns false.
  public func isIndexBuilt(_ name: String) throws -> Bool { true }

  /// Returns nil.
  public func layout(ofTable name: String) throws -> SQLTableLayout? { nil }

  /// Does nothing.
  public func removeUnfinishedIndexes() throws {}

  /// Throws `unsupported`.
  public func removePrimaryKey(of table: String) throws {
    throw StoreError(.unsupported, "the database cannot remove a primary key")
  }

  /// Throws `unsupported`.
  public func setRequired(
    _ isRequired: Bool, _ column: StoredColumn, named name: String, in table: String
  ) throws {
    throw StoreError(.unsupported, "the database cannot alter a column")
  }

  /// Returns nil.
  public func access(of sql: String, to table: SQLAccess.Table) throws -> SQLAccess? { nil }

  /// Always 0.
  public var rowCounter: Int {
    get { 0 }
    set {}
  }

  /// Always 0.
  public var lastInsertedRow: Int64 {
    get { 0 }
    set {}
  }

  /// Prepares one statement, runs it and lets go of it.
  func execute(_ sql: String) throws {
    let statement = try self.statement(sql)
    defer { statement.rewind() }
    try statement.run()
  }
}
