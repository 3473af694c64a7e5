public import ORMStorage

/// One connection to a database, used by one thread at a time.
///
/// The functions of ``SQLFunction`` are registered when a connection is made. Failures are
/// `StoreError`. The code is `duplicate` for a unique rule, `missingValue` for a null where none may
/// be, and `invalidValue` for a value that a check refuses. It is `overflow` for a sum that the
/// database refuses. Further codes are `busy`, `full`, `inputOutput` and `corrupt`, and `engine` for all
/// else. An error that a function of the connection throws is thrown by the `step` that called the function,
/// as it was.
///
/// A failed statement undoes itself. If the database ends the whole transaction instead,
/// ``isInTransaction`` is false afterwards.
public protocol SQLConnection: AnyObject {
  /// Prepares one statement for many runs.
  ///
  /// - Throws: `engine` for a text that the database cannot parse, or that names a table, a column
  ///   or a function that it does not have.
  func statement(_ sql: String) throws -> any SQLStatement
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
  /// Ends the read.
  func endRead()
  /// Begins the write transaction. Statements see its own writes, and no other connection does.
  ///
  /// - Throws: `busy` past `StoreOptions.writerWait`, `closed`, `forked`, `inputOutput`.
  func beginWrite() throws
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
  /// Returns whether an index is there and was built whole; asked for within a transaction, by `check()`
  /// too. By default returns true.
  func isIndexBuilt(_ name: String) throws -> Bool
  /// Returns a table as the database has it, which `check()` compares with the table that the store made;
  /// asked for within a transaction. By default returns nil: it is not compared.
  func layout(ofTable name: String) throws -> SQLTableLayout?
  /// Returns objects that change the meaning of statements over tables, such as triggers, policies, and
  /// views instead of tables; asked for within a transaction. By default returns nothing.
  func additions(toTables names: [String]) throws -> [SQLTableAddition]
  /// Returns how the database would reach the rows of a table in a statement, by its own planner; nil, by
  /// default, where this is not known. A store then explains every request as a scan.
  func access(of sql: String, to table: SQLAccess.Table) throws -> SQLAccess?
  /// The number of calls of ``SQLFunction/rowCounter`` since this was set to 0.
  ///
  /// Asked for only if ``SQLDialect/countsCalls`` is true; by default always 0.
  var rowCounter: Int { get set }
  /// The integer key of the row that the last insert added, or the value that was set since: an upsert that
  /// updates leaves it as it is.
  ///
  /// Asked for only if ``SQLDialect/reportsInsertedRows`` is true; by default always 0.
  var lastInsertedRow: Int64 { get set }
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

extension SQLConnection {
  /// Returns nothing.
  public func additions(toTables names: [String]) throws -> [SQLTableAddition] { [] }

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

  /// Always nil.
  public var loss: StoreError? { nil }

  /// Does nothing.
  public func expectManyStatements() throws {}

  /// Returns nil.
  public func othersCommits() throws -> UInt64? { nil }

  /// Returns nil.
  public func schemaVersion() throws -> Int64? { nil }

  /// Does nothing and returns false.
  public func renameIndex(_ name: String, to newName: String) throws -> Bool { false }

  /// Returns true.
  public func isIndexBuilt(_ name: String) throws -> Bool { true }

  /// Returns nil.
  public func layout(ofTable name: String) throws -> SQLTableLayout? { nil }

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

  /// Prepares one statement, runs it and releases it.
  func execute(_ sql: String) throws {
    let statement = try self.statement(sql)
    defer { statement.rewind() }
    try statement.run()
  }
}
