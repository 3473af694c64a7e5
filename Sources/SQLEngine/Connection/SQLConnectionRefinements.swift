public import ORMStorage

// The refinements of `SQLConnection`. The engine asks once, by a cast, when it takes a
// connection or when it compiles.

/// A connection that saves trips to a server: a transaction begins with its first statement, and may end with
/// it.
///
/// Worth it where each statement costs a trip over a network.
public protocol TripSavingConnection: SQLConnection {
  /// Prepares a read for one operation, whose first statement begins it and fixes its snapshot, and returns
  /// true; or returns false, with nothing begun.
  ///
  /// If the tables are no longer those of the version, the first statement throws ``SQLLayoutChange`` before
  /// it gives a row, and the read has begun.
  ///
  /// - Parameter version: the ``SQLConnection/schemaVersion()`` for which the statements are made.
  func deferSnapshot(of version: Int64?) throws -> Bool
  /// Prepares the same for a write, or returns false.
  ///
  /// - Parameters:
  ///   - isConcurrent: true if the transaction may run beside others.
  ///   - version: the ``SQLConnection/schemaVersion()`` for which the statements are made.
  func deferWrite(isConcurrent: Bool, of version: Int64?) throws -> Bool
  /// True while a transaction has not begun that its first statement begins.
  var hasDeferredBegin: Bool { get }
  /// Begins a transaction that its first statement would begin; without effect on any other.
  ///
  /// - Throws: ``SQLLayoutChange`` if the tables are no longer those of the version; the transaction has
  ///   begun then.
  func beginNow() throws
  /// True if the end of the last read was sent, and its answer was not taken yet; false by default.
  var awaitsEnd: Bool { get }
  /// Takes the answer to the end of the last read, or gives a connection up that gives none.
  ///
  /// Asked for when the connection has been idle for a while: the end may have been lost, and then the
  /// server still holds the snapshot. By default does nothing.
  func takeEnd()
  /// Lets the next statement that changes rows, with which the transaction begins, commit it too; it may
  /// do nothing.
  ///
  /// If that statement fails, nothing of the transaction is left, and ``refusal`` is its error.
  func commitWithNextStatement()
  /// True if the last transaction was committed by a statement.
  var hasCommitted: Bool { get }
  /// The error of the statement that was to commit the last transaction, which has ended; nil if there is
  /// none.
  var refusal: StoreError? { get }
}

extension TripSavingConnection {
  /// Always false.
  public var awaitsEnd: Bool { false }

  /// Does nothing.
  public func takeEnd() {}
}

/// A connection to a server that counts its trips there, for instruments.
public protocol TripCountingConnection: SQLConnection {
  /// The number of trips so far.
  var tripCount: Int { get }
}

/// The error of a statement that was made for tables as they were before another program changed them.
public struct SQLLayoutChange: Error {
  /// Makes the error.
  public init() {}
}

/// A connection whose write transactions may run beside others.
///
/// Needed only if ``SQLDatabase/keepsWritersApart`` is true.
public protocol ConcurrentConnection: SQLConnection {
  /// Begins a write transaction that may run beside others.
  ///
  /// The database keeps such transactions serializable. It throws `contended` from any statement, or
  /// from the commit, of one that conflicts with others.
  func beginConcurrentWrite() throws
  /// True if a statement or the commit of the transaction, or of the last one, threw `contended`.
  var isContended: Bool { get }
  /// Raises the number that is recorded under a name, outside of a transaction and at once, and returns it;
  /// nil, with nothing changed, if it would pass `Int64.max`.
  ///
  /// The number becomes greater by `reservation.count` than the greatest of itself, `reservation.least`
  /// and the greatest key in the table.
  func reserveKeys(_ reservation: SQLKeyReservation) throws -> Int64?
  /// Sets the number that is recorded under a name back, outside of a transaction and at once, if it is
  /// still `greatest`.
  ///
  /// With `isAlone`, as in ``SQLKeyReservation/isAlone``, it does not wait and throws `busy`. A connection
  /// that does nothing leaves gaps between keys.
  func giveBackKeys(
    _ name: String, from greatest: Int64, to key: Int64, isAlone: Bool
  ) throws
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
  /// Then nothing excludes a transaction of the only writer, which may change the record. The reservation
  /// waits until that has ended.
  public var isAlone: Bool
}

/// A connection to a replica of a database, which shows an older state.
///
/// Needed only of those that ``SQLDatabase/replica(_:)`` opens.
public protocol ReplicaConnection: SQLConnection {
  /// Begins a read of the replica, if its state is fresh enough, and returns whether it is.
  ///
  /// - Parameters:
  ///   - freshness: how new the state has to be.
  ///   - primary: runs a body on a connection to the database itself, in no transaction.
  func beginSnapshot(
    _ freshness: ReadFreshness, primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> Bool
  /// Returns how far the replica is behind; by default that it answers.
  ///
  /// - Parameter primary: runs a body on a connection to the database itself, in no transaction.
  /// - Throws: any error where it does not answer.
  func health(
    primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> ReplicaHealth
}

extension ReplicaConnection {
  /// Returns that it answers, and no lag.
  public func health(
    primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) throws -> ReplicaHealth { ReplicaHealth(isReachable: true) }
}

/// A connection that takes statements of SQL that programs write.
public protocol ProgramStatementConnection: SQLConnection {
  /// Prepares a statement that a program wrote itself.
  ///
  /// - Throws: `invalidStatement` for a statement that is not of the purpose; as
  ///   ``SQLConnection/statement(_:)``.
  func statement(
    _ sql: String, writtenFor purpose: SQLPurpose
  ) throws -> any ProgramStatement
  /// Runs a body whose statements a program wrote for the tables of the store, which it names as it does
  /// in ``statement(_:writtenFor:)``; by default runs the body.
  func withProgramNames(_ body: () throws -> Void) throws
}

extension ProgramStatementConnection {
  /// Runs the body.
  public func withProgramNames(_ body: () throws -> Void) throws { try body() }
}

/// A statement that a program wrote itself.
public protocol ProgramStatement: SQLStatement {
  /// The names of the columns of a row; none for a statement that gives no rows.
  var columnNames: [String] { get }
}

/// The purpose of a statement that a program wrote itself.
public enum SQLPurpose: Hashable, Sendable {
  /// A query, which changes nothing: neither rows nor tables, settings or transactions.
  case query
  /// A statement that may change rows, tables, indexes and views, but not those of the tables named
  /// here, nor of tables whose names begin with `strata_`; nor settings or transactions.
  case change(keeping: Set<String>)
}

/// A connection that puts many rows by one statement, whose parameters take a value of each row.
///
/// The dialect is then a ``BatchingDialect``.
public protocol BatchingConnection: SQLConnection {
  /// Prepares a statement that puts many rows.
  ///
  /// If it gives rows, the first column of each is the outcome for one row put: 1 where it was inserted, 2
  /// where it was updated, 3 where nothing was changed, and 0 where it was not found. Those of 1 and 2 count
  /// as changes.
  ///
  /// - Parameters:
  ///   - sql: the statement.
  ///   - single: the statement with the same parameters for a batch of one row; nil for `sql`.
  ///   - key: the parameters of the key; a batch has each key once.
  func statement(
    _ sql: String, forOneRow single: String?, ofRowsWithKey key: [Int]
  ) throws -> any BatchStatement
}

/// A statement that puts a batch of rows: values are bound row by row, each row ended by ``endRow()``.
public protocol BatchStatement: SQLStatement {
  /// Ends a row of the batch, so that values are bound to the next one, and returns true; or returns false if
  /// the batch has a row with its key. That row is then the first one after ``SQLStatement/rewind()``.
  func endRow() throws -> Bool
  /// The number of bytes that the rows of the batch hold.
  var batchSize: Int { get }
}

/// A statement whose rows are of several parts: a page, and the rows to which it leads.
///
/// All statements of a connection are such if its dialect is a ``LinkedReadingDialect``.
public protocol LinkedReadingStatement: SQLStatement {
  /// Visits, as ``SQLStatement/visitRows(_:_:)`` does, the rows of one part, in their order; those of several
  /// parts come in any order.
  ///
  /// The first column of a row is the number of its part, and the second its position in the part. The first
  /// call runs the statement and keeps all rows until ``SQLStatement/rewind()``; later calls visit other
  /// parts.
  func visitRows<V: RowVisitor>(
    of part: SQLPart, _ layout: SQLRowLayout, _ visitor: inout V
  ) throws -> Bool
}

/// A part of the rows of a statement.
public struct SQLPart: Hashable, Sendable {
  /// The number in the first column of the part's rows, from 0 on.
  public var number: Int
  /// The column of the statement that is the first of the part's layout.
  public var firstColumn: Int

  /// Makes a part of its number and its first column.
  public init(number: Int, firstColumn: Int) {
    self.number = number
    self.firstColumn = firstColumn
  }
}

/// A connection that builds indexes outside of transactions, while others write.
public protocol IndexBuildingConnection: SQLConnection {
  /// The word after `CREATE INDEX` by which the database builds an index so.
  var onlineIndexWord: String { get }
  /// Waits until no other program builds indexes outside of transactions, and keeps others from it.
  func beginIndexBuilding() throws
  /// Lets other programs build indexes again.
  func endIndexBuilding()
  /// Builds an index outside of a transaction, while others write, instead of one of its name that was
  /// left unfinished.
  ///
  /// - Throws: `duplicate` if rows break its unique rule. If it throws, nothing of the index is left,
  ///   unless the connection is lost.
  func buildIndex(_ sql: String, named name: String) throws
  /// Removes the indexes that a program has left unfinished, if no program builds any; asked for outside
  /// of transactions.
  func removeUnfinishedIndexes() throws
}

/// A connection that changes the declarations of a table's columns and key, without reading rows.
///
/// Needed only if ``SQLDialect/columnRemoval`` is `hiding`, or if the dialect is an ``OverflowKeyDialect``.
public protocol TableAlteringConnection: SQLConnection {
  /// Forbids or allows nil in a column within the write transaction; the rows fit already.
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
  /// Removes the primary key of a table within the write transaction, and the objects that refer to it; by
  /// default throws `unsupported`.
  ///
  /// Asked for only if the dialect is an ``OverflowKeyDialect``.
  func removePrimaryKey(of table: String) throws
}

extension TableAlteringConnection {
  /// Throws `unsupported`.
  public func setRequired(
    _ isRequired: Bool, _ column: StoredColumn, named name: String, in table: String
  ) throws {
    throw StoreError(.unsupported, "the database cannot alter a column")
  }

  /// Throws `unsupported`.
  public func removePrimaryKey(of table: String) throws {
    throw StoreError(.unsupported, "the database cannot remove a primary key")
  }
}

extension SQLConnection {
  /// The connection as one that alters tables.
  ///
  /// - Throws: `unsupported` if it is none.
  var altering: any TableAlteringConnection {
    get throws {
      guard let altering = self as? any TableAlteringConnection else {
        throw StoreError(.unsupported, "the database cannot alter a column or remove a primary key")
      }
      return altering
    }
  }
}
