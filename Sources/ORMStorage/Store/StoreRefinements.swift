/// A reader that is costly to make, and that can begin anew once it has ended.
///
/// Core retains one for the next read if ``Store/keepsReaders`` is true. A retained reader holds no
/// snapshot, and nothing that keeps a file open.
public protocol RestartableReader: StoreReader {
  /// Begins a reader that has ended anew, on the newest commit, and returns true; or does nothing and
  /// returns false.
  ///
  /// Core calls it instead of ``Store/reader(_:)``, whose errors it throws, on a reader that has no other
  /// user. After an error the reader has ended, as before.
  func restart(_ turn: borrowing ReadTurn) throws -> Bool
}

/// A reader or writer whose transaction may fail because of others that ran beside it.
///
/// Stores with one writer at a time need none.
public protocol ConcurrentReader: StoreReader {
  /// True if this transaction conflicts with others, so that it has failed, or can only fail,
  /// with `contended`, and may succeed if it is run again.
  ///
  /// Core asks after the end of a transaction that threw.
  var isContended: Bool { get }
}

/// A writer that can commit in the trip of its only write, for a store on a server.
///
/// Either every writer of a store is one, or none is: core asks the first writer of a store and
/// remembers a refusal.
public protocol TripSavingWriter: StoreWriter {
  /// Allows the writer to commit with the next `put` or `apply`, which is the only write of the
  /// transaction; or returns false, and does nothing.
  ///
  /// A write that throws has committed nothing, unless the error is `outcomeUnknown`. One that succeeds
  /// may have committed (``isCommitted``), and nothing is read or written after it. `commit()` is called
  /// all the same.
  ///
  /// A writer around another does not pass the call on: it may write more than it is asked to.
  func commitWithNextWrite() -> Bool
  /// True once a write has committed the transaction.
  var isCommitted: Bool { get }
}

/// A reader of a SQL database that runs queries that programs write.
public protocol ProgramStatementReader: StoreReader {
  /// Visits the rows of a query in SQL.
  ///
  /// - Parameters:
  ///   - query: the query, which changes nothing.
  ///   - columns: takes the names of the result's columns before the first row, and returns the column
  ///     of the schema as which each is read; nil for values of the kinds that the database gives.
  ///   - visitor: takes the rows, whose columns are those of the result.
  /// - Throws: `invalidStatement` for a text that the database refuses, or that is no query; the errors
  ///   of any other request.
  func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V) throws
}

/// A writer of a SQL database that runs statements that programs write.
public protocol ProgramStatementWriter: StoreWriter, ProgramStatementReader {
  /// Runs a statement of SQL that changes tables which are not the store's, and returns the number of
  /// rows changed.
  ///
  /// - Throws: `invalidStatement` for a text that the database refuses, or that would change a table
  ///   of the store, a transaction or a setting.
  func execute(sql statement: SQLRequest) throws -> Int
}

extension StoreReader {
  /// True if the reader is a ``ConcurrentReader`` that conflicts with others.
  package var metContention: Bool { (self as? any ConcurrentReader)?.isContended ?? false }

  /// The reader as one that runs queries of programs.
  ///
  /// - Throws: `unsupported` if it runs none.
  package var runningQueries: any ProgramStatementReader {
    get throws {
      guard let reader = self as? any ProgramStatementReader else { throw SQLRequest.isUnsupported }
      return reader
    }
  }
}

extension StoreWriter {
  /// The writer as one that runs statements of programs.
  ///
  /// - Throws: `unsupported` if it runs none.
  package var runningStatements: any ProgramStatementWriter {
    get throws {
      guard let writer = self as? any ProgramStatementWriter else { throw SQLRequest.isUnsupported }
      return writer
    }
  }
}
