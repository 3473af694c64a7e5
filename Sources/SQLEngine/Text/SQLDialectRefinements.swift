public import ORMStorage

// The refinements of `SQLDialect`. The engine asks by a cast when it compiles a statement.

/// A dialect of a database that puts many rows by one statement.
///
/// The connection is then a ``BatchingConnection``.
public protocol BatchingDialect: SQLDialect {
  /// Returns the placeholder of a parameter to which values of one form are bound, one for each row of a
  /// batch.
  func placeholder(_ number: Int, ofEach form: SQLForm) -> String
  /// Returns the table of the rows of a batch, for `FROM`, without a name: its columns are those given, and
  /// after them the number of the row. Nil if rows of these columns are put one by one.
  ///
  /// - Parameter columns: the placeholders of the columns' values.
  func rows(of columns: [SQLText]) -> SQLText?
  /// Returns the table of a batch of one row, with the same columns and parameters as ``rows(of:)``, for a
  /// planner that should know that there is one. By default nil: the row is put as many are.
  ///
  /// - Parameter columns: the placeholders of the columns' values.
  func row(of columns: [SQLText]) -> SQLText?
  /// Returns the key after the greatest one of a table, null for a table without rows, and a number that is
  /// recorded as a text, null for none; by default nil. A row that comes alone then gets its key in the
  /// statement that inserts it, which saves a trip.
  ///
  /// Asked for only if ``row(of:)`` gives a text, and used only with a ``TripSavingConnection``. The key is at
  /// least 1, and one beyond `Int64.max` is an error.
  func nextKey(after greatest: SQLText, recorded: SQLText) -> SQLText?
  /// Returns a test of whether two arrays, which may be null, differ in any bit; nil, the default, where the
  /// database has none.
  ///
  /// Asked for only if ``SQLDialect/keepsArraysAsTexts`` is false.
  func arraysDiffer(_ array: SQLText, _ other: SQLText) -> SQLText?
}

extension BatchingDialect {
  /// Returns nil.
  public func row(of columns: [SQLText]) -> SQLText? { nil }
  /// Returns nil.
  public func nextKey(after greatest: SQLText, recorded: SQLText) -> SQLText? { nil }
  /// Returns nil.
  public func arraysDiffer(_ array: SQLText, _ other: SQLText) -> SQLText? { nil }
}

/// A dialect of a database that reads a page and the rows to which it leads by one statement, of common table
/// expressions that are worked out once.
///
/// The statements of the connection are then ``LinkedReadingStatement``. Worth it where a statement costs a
/// trip.
public protocol LinkedReadingDialect: SQLDialect {
  /// Returns the test of whether a column is among the values that a query of one column gives; by default by
  /// `IN`.
  func test(_ column: SQLText, isAmong query: SQLText) -> SQLText
}

extension LinkedReadingDialect {
  /// Tests by `IN`.
  public func test(_ column: SQLText, isAmong query: SQLText) -> SQLText {
    "\(column) IN (\(query))"
  }
}

/// A dialect of a database whose changes may read their own table in a query, and take values from one.
///
/// The statement is `UPDATE a AS t SET b = found.v FROM (SELECT …) AS found WHERE …`, whose query sees all
/// rows as they were. Asked for only if ``SQLDialect/evaluatesInEngine`` is false. Changes by related rows are
/// then one statement.
public protocol QueryChangingDialect: SQLDialect {
  /// Returns the number of bytes of a text or of bytes, or a greater number; nil where the database has none.
  /// Texts of related rows are then assigned by core.
  func byteCount(of value: SQLText) -> SQLText?
}

/// A dialect of a database that limits the length of an entry of an index.
///
/// If the database refuses a value with `tooLarge` and changes tables in transactions, the table gets indexes with overflow keys: of the
/// beginnings of long values, and of a digest where the index is unique. The connection is then a
/// ``TableAlteringConnection``.
public protocol OverflowKeyDialect: SQLDialect {
  /// Returns whether values of a kind may be too long for an entry of an index.
  func canOverflow(_ kind: AttributeType.Kind) -> Bool
  /// Returns the beginning of a value, cut so that three of them fit an entry of an index.
  ///
  /// Of two values in order, the beginnings are in the same order, or equal.
  func beginning(of value: SQLText, _ kind: AttributeType.Kind) -> SQLText
  /// Returns an expression for an index that differs if any of the values does, and is null if any of them
  /// is; asked for only of kinds that ``canOverflow(_:)``.
  ///
  /// - Parameter columns: the quoted names of the columns, with their kinds.
  func digest(of columns: [(name: String, kind: AttributeType.Kind)]) -> String
  /// Returns the statement that makes an index, without a name, that finds equal values of any length; asked
  /// for only of kinds that ``canOverflow(_:)``.
  ///
  /// - Parameters:
  ///   - column: the quoted name of the column.
  ///   - table: the plain name of the table.
  func equalityIndex(of column: String, in table: String) -> String
}

extension SQLDialect {
  /// The dialect as one of a database that limits the length of an entry; nil for others.
  var overflowing: (any OverflowKeyDialect)? {
    changesTablesInTransactions ? self as? any OverflowKeyDialect : nil
  }

  /// Returns whether values of a kind may be too long for an entry of an index.
  func mayOverflow(_ kind: AttributeType.Kind) -> Bool { overflowing?.canOverflow(kind) ?? false }

  /// Returns the beginning of a value that may be too long for an entry of an index; others as they are.
  func shortened(_ value: SQLText, _ kind: AttributeType.Kind) -> SQLText {
    overflowing?.beginning(of: value, kind) ?? value
  }
}
