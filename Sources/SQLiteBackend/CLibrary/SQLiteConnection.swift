internal import CSQLite

/// One connection to a file: closed by `close`, or when it and its statements are released.
///
/// Not Sendable: the library is opened without locks of its own for it. It may move between
/// threads, used by one at a time; only ``interrupter`` is for any thread at any time. Pools stand
/// above. After a fork everything throws `forked`.
package final class SQLiteConnection {
  let handle: SQLiteHandle
  var transactions: SQLiteTransactionStatements
  var readState = ReadState.none
  /// The statement that holds the snapshot of a read; prepared once for all reads.
  var snapshot: SQLiteStatement?
  /// The data version of the last snapshot.
  var snapshotVersion: Int64 = 0
  /// The schema version at a data version; nil where it was not asked for since the last write.
  var knownSchema: (data: Int64, schema: Int64)?
  let counter = SQLiteRowCounter()
  /// The files it has open, against which commits are checked; nil if they cannot change.
  var identity: SQLiteFileIdentity?

  /// Opens a file that `SQLiteFile` has verified.
  init(name: String, flags: Int32, settings: SQLiteSettings) throws {
    handle = try SQLiteHandle(name: name, flags: flags, wait: settings.wait)
    transactions = SQLiteTransactionStatements(handle)
    try configure(settings)
  }

  /// Stops the running statement of the connection, from any thread.
  package var interrupter: SQLiteInterrupter { handle.interrupter }

  /// Sets the time to wait for locks of other processes before `busy`.
  package func setWait(_ limit: Duration) { handle.wait = SQLiteWait(limit: limit) }

  /// Prepares one statement for many runs.
  ///
  /// A text of several statements, or none, is an error.
  package func prepare(_ sql: String) throws -> SQLiteStatement {
    try SQLiteStatement(sql, on: handle)
  }

  /// Runs every statement of a text, to its end; rows are not looked at.
  package func execute(_ sql: String) throws {
    try handle.check()
    try handle.execute(sql)
  }

  /// The integer in the first column of the first row; nil when there is none.
  package func integer(_ sql: String) throws -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() && !statement.isNull(at: 0) ? statement.int64(at: 0) : nil
  }

  /// The text in the first column of the first row; nil when there is none.
  package func text(_ sql: String) throws -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(at: 0) : nil
  }

  /// The number of rows the last insert, update or delete changed.
  package var changes: Int { Int(sqlite3_changes64(handle.database)) }

  /// The number of rows that were changed since the connection was opened, those of triggers
  /// counted.
  package var totalChanges: Int { Int(sqlite3_total_changes64(handle.database)) }
  /// The row number of the last insert, or the one that was set since.
  package var lastInsertedRow: Int64 {
    get { sqlite3_last_insert_rowid(handle.database) }
    set { sqlite3_set_last_insert_rowid(handle.database, newValue) }
  }

  /// The number of calls of the function that counts its calls, since this was set to 0.
  package var rowCounter: Int {
    get { counter.count }
    set { counter.count = newValue }
  }

  /// Moves the log into the file as far as readers allow; `truncating` waits for them and empties
  /// the log.
  package func checkpoint(truncating: Bool = false) throws {
    try handle.check()
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    try handle.check(sqlite3_wal_checkpoint_v2(handle.database, "main", mode, nil, nil))
  }

  /// Closes the connection.
  ///
  /// Its statements are not to be used any more; those still held keep the file open until they go.
  /// The last connection of all processes to close, if it can write, ends the log: so close the
  /// readers before the writer. Safe to call twice.
  package func close() {
    endRead()
    snapshot = nil
    transactions.finish()
    handle.close()
  }
}
