package import ORMCore

/// One connection to a database, used by one thread at a time.
///
/// Its functions are those that ``SQLEvaluator`` names; they are registered when the connection is
/// made. Failures are ``StoreError``: `duplicate` and `missingValue` for broken constraints, and
/// what the engine means by the others.
package protocol SQLConnection: AnyObject {
  /// Prepares one statement for many runs.
  func statement(_ sql: String) throws -> any SQLStatement
  /// Runs every statement of a text, to its end.
  func execute(_ sql: String) throws
  /// Whether the database has a table of this name.
  func hasTable(_ name: String) throws -> Bool
  /// Returns whether the database has no table at all.
  func isEmpty() throws -> Bool
  /// How the engine would reach the rows of a table in a statement, which names it by this alias,
  /// or as the only one by its name.
  func access(of sql: String, to table: SQLTable, alias: String?) throws -> SQLAccess
  /// How many rows the last insert, update or delete changed, those of triggers not counted.
  var changes: Int { get }
  /// How many rows were changed since the connection was made, those of triggers counted.
  var totalChanges: Int { get }
  /// The row number that the last insert gave, in whatever table that has row numbers, or what was
  /// set since: an upsert that updates leaves it as it is.
  var lastInsertedRow: Int64 { get set }
  /// How often ``SQLFunction/tally`` was called since this was set to 0.
  var tally: Int { get set }

  /// Begins a read; its snapshot is fixed when this returns.
  func beginSnapshot() throws
  /// Says that more than two statements are going to be run in this read.
  func expectManyStatements() throws
  /// Ends the read.
  func endRead()
  /// Begins the write transaction.
  func beginWrite() throws
  /// Makes the transaction durable; when it throws, it has rolled back.
  func commit() throws
  /// Undoes the transaction; without effect when there is none.
  func rollback()
  /// Whether a transaction was begun and neither committed nor rolled back, not even by the engine.
  var isInTransaction: Bool { get }
  /// Begins a savepoint; they nest.
  func beginSavepoint() throws
  /// Ends the innermost savepoint and keeps what was written in it.
  func releaseSavepoint() throws
  /// Undoes what was written in the innermost savepoint and ends it.
  func rollbackSavepoint() throws
  /// Closes the connection; its statements are not to be used any more. Safe to call twice.
  func close()
}

/// A prepared statement.
///
/// Parameters count from 1 and columns from 0.
///
/// The life of a run is `rewind`, a `bind` for each parameter, `step` until it gives false or
/// enough was seen, `rewind`. `visitRows` and `bindRow` are where rows change hands: they are
/// requirements so that the reader and the writer of a row are types of the backend, without a
/// generic in between that would cost a second dispatch a field.
package protocol SQLStatement: AnyObject {
  /// Binds null.
  func bindNull(at parameter: Int) throws
  /// Binds an integer.
  func bind(_ value: Int64, at parameter: Int) throws
  /// Binds a double.
  func bind(_ value: Double, at parameter: Int) throws
  /// Binds a text; an embedded NUL is kept.
  func bind(_ value: String, at parameter: Int) throws
  /// Binds a text by its bytes, which need only be ordered by: they may be no valid UTF-8.
  func bind(text value: UnsafeRawBufferPointer, at parameter: Int) throws
  /// Binds bytes; none are not null.
  func bind(blob value: UnsafeRawBufferPointer, at parameter: Int) throws
  /// Binds an object for the functions that ``SQLEvaluator`` names.
  func bind(evaluator: SQLEvaluator, at parameter: Int) throws

  /// Moves to the next row; false when there are no more. After an error it is rewound.
  func step() throws -> Bool
  /// Runs a statement whose rows are of no interest to its end, and resets it.
  func run() throws
  /// Ends the run and forgets what was bound.
  func rewind()

  /// Whether a column of the current row is null.
  func isNull(at column: Int) -> Bool
  /// An integer of the current row.
  func int64(at column: Int) -> Int64
  /// A text of the current row; nil when it is null or no valid UTF-8.
  func text(at column: Int) -> String?

  /// Steps, handing each row to the visitor, until it pauses or stops, or there are no more. True
  /// when it paused.
  func visitRows<V: RowVisitor>(_ layout: SQLRowLayout, _ visitor: inout V) throws -> Bool
  /// Binds the next row of the source; false when there are no more.
  func bindRow<S: RowSource>(
    from source: inout S, _ parameters: SQLRowParameters, _ key: inout Int64
  ) throws -> Bool
}
