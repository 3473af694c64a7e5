package import ORMCore

/// How one database writes SQL, and what it does exactly as the semantics say.
///
/// A new SQL database is a dialect and an ``SQLConnection``. A dialect is a value without state;
/// everything it says goes into texts that are compiled once and cached.
package protocol SQLDialect: Sendable {
  /// A name in quotes, whatever it contains.
  func quoted(_ name: String) -> String
  /// The placeholder of a parameter, counted from 1. The same number may be written twice.
  func placeholder(_ number: Int) -> String
  /// The declaration of a column of a table: its quoted name, its type, and every check that keeps
  /// values of another kind out. A row number is an integer key that the engine's own row number
  /// stands for.
  func declaration(of column: StoredColumn, named name: String, isRowNumber: Bool) -> String
  /// What closes the declaration of a table; one without row numbers is ordered by its key.
  func tableEnding(hasRowNumbers: Bool) -> String
  /// A value written down for a DEFAULT clause, and whether the text gives it back exactly. What
  /// the store itself writes is always bound.
  func literal(_ value: StoredValue, for column: StoredColumn) -> (text: String, isExact: Bool)

  /// Whether the engine finds a stored value of one kind equal to a value of another exactly when
  /// `StoredValue.equals` does, and so with `IN`.
  func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool
  /// Whether the engine orders a stored value of one kind and a value of another exactly as
  /// `StoredValue.compare` does, and so in sorts, minimum and maximum.
  func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool

  /// Whether a sum, difference or product of integers that is none becomes a double near to it.
  var integersOverflowToDoubles: Bool { get }

  /// Whether a column with its default can be added to a table whose rows then read that default,
  /// not another form of it; if not, the table is written anew.
  func canAdd(_ column: StoredColumn) -> Bool
  /// A text operator between a text column, by its text, and a text that `form` binds; nil
  /// where the engine does not do it exactly as the semantics say. The text may give null for false.
  func test(
    _ column: SQLText, _ textOperator: TextOperator, isFolded: Bool,
    _ binding: (SQLForm) -> SQLBinding
  ) -> SQLText?

  /// The word that joins tables in the order in which they are written, where the engine keeps to
  /// it.
  var orderedJoin: String { get }
  /// The most rows that are counted where the count is compared with a number, as an expression
  /// of that number for LIMIT; nil where LIMIT takes none.
  func mostCounted(for number: SQLText) -> SQLText?

  /// A statement by which the engine checks its whole file, a line of text a fault and `ok` for
  /// none; nil where it has none.
  var integrityCheck: String? { get }
  /// The mark of a database whose rows have checksums, which keeps away programs that do not know
  /// of them; nil where it needs none.
  var checksumMark: SQLChecksumMark? { get }
  /// How much of a condition may go into one text.
  var limits: SQLLimits { get }
  /// Returns whether an error says that a statement cannot be parsed, or names a table or column
  /// that the database does not have.
  func isRefusedStatement(_ error: StoreError) -> Bool
}

extension SQLDialect {
  /// Any order.
  package var orderedJoin: String { "JOIN" }
  /// All of them.
  package func mostCounted(for number: SQLText) -> SQLText? { nil }
  /// None.
  package var integrityCheck: String? { nil }
  /// Returns no mark, unless the dialect has one.
  package var checksumMark: SQLChecksumMark? { nil }
}

/// The statements about the mark of a database whose rows have checksums.
package struct SQLChecksumMark: Hashable, Sendable {
  /// A statement that sets the mark.
  package var set: String
  /// A query that gives an integer.
  package var query: String
  /// The integer that the query gives where the mark is set.
  package var value: Int64

  /// Makes a mark of its statements.
  package init(set: String, query: String, value: Int64) {
    self.set = set
    self.query = query
    self.value = value
  }
}

/// How much the engine takes in one text; what is beyond is left to core's evaluator.
package struct SQLLimits: Hashable, Sendable {
  /// The most parameters of one statement.
  package var parameters: Int
  /// The most levels of parentheses.
  package var nesting: Int
  /// The greatest height of an expression as a tree.
  package var height: Int
  /// The most elements of a list that are bound one by one.
  package var listItems: Int
  /// The most columns handed to one call of the evaluator.
  package var arguments: Int

  /// Makes limits.
  package init(parameters: Int, nesting: Int, height: Int, listItems: Int, arguments: Int) {
    self.parameters = parameters
    self.nesting = nesting
    self.height = height
    self.listItems = listItems
    self.arguments = arguments
  }
}
