public import ORMStorage

/// The SQL of one database, and the part of it that is exact as `Documentation/Semantics.md` says.
///
/// A dialect is a value without state; everything it says goes into texts that are compiled once and
/// cached. Five requirements describe the language. All others have defaults that are right for every
/// database, and leave the work to core's evaluator: a backend overrides them where its database does
/// the same, to the last bit, and faster.
public protocol SQLDialect: Sendable {
  /// The kind of store whose statements a migration may run, as a location names it; nil, the default,
  /// for none.
  var storeKind: String? { get }
  /// Returns a name in quotes, whatever it contains.
  func quoted(_ name: String) -> String
  /// Returns the placeholder of a parameter, counted from 1. The same number may be written twice.
  func placeholder(_ number: Int) -> String
  /// Returns the declaration of a column: its quoted name, its type, `NOT NULL` unless the column is
  /// optional, and every check that keeps values of another kind out.
  ///
  /// The type keeps the ``SQLValue`` that is bound, to the last bit: an integer for `bool` and `int`,
  /// a double for `double` and `date`, a text for `string`, `unsigned`, `decimal`, `array` and
  /// `json`, bytes for `data` and `uuid`. Texts are compared and ordered by their bytes.
  ///
  /// - Parameters:
  ///   - column: the column.
  ///   - name: its quoted name.
  ///   - isRowNumber: true for an integer that is the whole primary key; its declaration ends in
  ///     `PRIMARY KEY`.
  func declaration(of column: StoredColumn, named name: String, isRowNumber: Bool) -> String
  /// Returns a value written down for a `DEFAULT` clause, and whether the text gives it back exactly.
  /// The engine binds every value that it writes itself.
  func literal(_ value: SQLValue) -> (text: String, isExact: Bool)
  /// Returns whether an error says that a statement cannot be parsed, or names a table or a column
  /// that the database does not have.
  func isRefusedStatement(_ error: StoreError) -> Bool

  /// Returns the words that close the declaration of a table, such as one that orders rows by their
  /// key; by default none.
  ///
  /// - Parameter hasRowNumbers: true for a table whose primary key is one integer.
  func tableEnding(hasRowNumbers: Bool) -> String
  /// Returns whether a column with its default can be added to a table by `ALTER TABLE`, so that its
  /// rows read that default and not another form of it. By default false: the table is written anew.
  func canAdd(_ column: StoredColumn) -> Bool

  /// Returns whether `=`, `IS` and `IN` find a stored value of one kind equal to a value of another
  /// exactly when `StoredValue.equals` does; by default false.
  func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool
  /// Returns whether `<`, `ORDER BY`, `min` and `max` order a stored value of one kind and a value of
  /// another exactly as `StoredValue.compare` does; by default false.
  func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool
  /// Returns the test of a text operator between a column and a value; nil, the default, where the
  /// database has none that is exact. The test may give null for false.
  ///
  /// - Parameters:
  ///   - column: the column, or the column of its folded texts.
  ///   - textOperator: the operator.
  ///   - isFolded: true if the value is folded.
  ///   - value: returns the placeholder of the value in a form, which may be asked for more than once.
  func test(
    _ column: SQLText, _ textOperator: TextOperator, isFolded: Bool, _ value: (SQLForm) -> SQLText
  ) -> SQLText?
  /// True if a sum, difference or product of 64-bit integers that overflows is a double near it; by
  /// default false.
  var integersOverflowToDoubles: Bool { get }

  /// True if the connection counts calls of ``SQLFunction/rowCounter``; by default false. The engine then
  /// reads the rows of an update before it writes them, and no explanation counts rows.
  var countsCalls: Bool { get }
  /// True if ``SQLConnection/lastInsertedRow`` is the key of the row inserted last; by default false.
  var reportsInsertedRows: Bool { get }
  /// The word that joins tables in the order in which they are written; by default `JOIN`, which
  /// leaves the order to the database.
  var orderedJoin: String { get }
  /// Returns the greatest number of rows that need be counted to compare their count with a number,
  /// as an expression of that number for `LIMIT`; nil, the default, where `LIMIT` takes none.
  func mostCounted(for number: SQLText) -> SQLText?
  /// The limits of one text.
  var limits: SQLLimits { get }
  /// True if the connection has the functions of ``SQLFunction``; by default true.
  ///
  /// If it is false, no statement calls a function. A request is split: the database does the part
  /// that it does exactly, and core does the rest over the rows of the database.
  var evaluatesInEngine: Bool { get }
  /// Returns a test of whether the bits of two doubles differ, neither of them null; nil, the
  /// default, where the database has none. Rows are then read before they are changed.
  ///
  /// Asked for only if ``evaluatesInEngine`` is false.
  func bitsDiffer(_ double: SQLText, _ other: SQLText) -> SQLText?

  /// A statement by which the database checks itself, a line of text for each fault and `ok` for
  /// none; nil, the default, where it has none.
  var integrityCheck: String? { get }
  /// The mark of a database whose rows have checksums, which keeps away programs that do not know of
  /// them; nil, the default, where it needs none.
  var checksumMark: SQLChecksumMark? { get }
}

extension SQLDialect {
  /// Returns nil.
  public var storeKind: String? { nil }
  /// No words.
  public func tableEnding(hasRowNumbers: Bool) -> String { "" }
  /// Returns false.
  public func canAdd(_ column: StoredColumn) -> Bool { false }
  /// Returns false.
  public func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    false
  }
  /// Returns false.
  public func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool { false }
  /// Returns nil.
  public func test(
    _ column: SQLText, _ textOperator: TextOperator, isFolded: Bool, _ value: (SQLForm) -> SQLText
  ) -> SQLText? { nil }
  /// Returns false.
  public var integersOverflowToDoubles: Bool { false }
  /// Returns false.
  public var countsCalls: Bool { false }
  /// Returns false.
  public var reportsInsertedRows: Bool { false }
  /// The keyword `JOIN`.
  public var orderedJoin: String { "JOIN" }
  /// Returns nil.
  public func mostCounted(for number: SQLText) -> SQLText? { nil }
  /// The limits that ``SQLLimits`` has by default.
  public var limits: SQLLimits { SQLLimits() }
  /// Returns true.
  public var evaluatesInEngine: Bool { true }
  /// Returns nil.
  public func bitsDiffer(_ double: SQLText, _ other: SQLText) -> SQLText? { nil }
  /// Returns nil.
  public var integrityCheck: String? { nil }
  /// Returns nil.
  public var checksumMark: SQLChecksumMark? { nil }
}

/// The statements about the mark of a database whose rows have checksums.
public struct SQLChecksumMark: Hashable, Sendable {
  /// A statement that sets the mark.
  public var set: String
  /// A query that gives an integer.
  public var query: String
  /// The integer that the query gives where the mark is set.
  public var value: Int64

  /// Makes a mark of its statements.
  public init(set: String, query: String, value: Int64) {
    self.set = set
    self.query = query
    self.value = value
  }
}

/// The limits of one text of SQL; core's evaluator does the work of a text that would exceed them.
public struct SQLLimits: Hashable, Sendable {
  /// The greatest number of parameters of one statement.
  public var parameters: Int
  /// The greatest number of levels of parentheses.
  public var nesting: Int
  /// The greatest height of an expression as a tree.
  public var height: Int
  /// The greatest number of elements of a list that are bound one by one.
  public var listItems: Int
  /// The greatest number of columns that one call of a function takes.
  public var arguments: Int

  /// Makes limits; without values, those that most databases support.
  public init(
    parameters: Int = 900, nesting: Int = 20, height: Int = 90, listItems: Int = 500,
    arguments: Int = 90
  ) {
    self.parameters = parameters
    self.nesting = nesting
    self.height = height
    self.listItems = listItems
    self.arguments = arguments
  }
}
