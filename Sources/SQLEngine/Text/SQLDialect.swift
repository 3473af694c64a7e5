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
  /// Returns a name in quotes; it may contain any characters.
  func quoted(_ name: String) -> String
  /// Returns the placeholder of a parameter, counted from 1. The same number may be written twice.
  func placeholder(_ number: Int) -> String
  /// Returns the quoted name of an existing table or index, with a qualifier if the database needs one to
  /// find it. By default as ``quoted(_:)``, which is called for new names.
  func quoted(table name: String) -> String
  /// Returns the placeholder of a parameter to which a value is bound in a form; by default that
  /// without a form. A database that infers types needs the type here.
  func placeholder(_ number: Int, as form: SQLForm) -> String
  /// Returns the operand of `LIMIT` for the placeholder of an integer that is -1 for no limit; by
  /// default the placeholder.
  func limit(_ placeholder: String) -> String
  /// True if ``placeholder(_:as:)`` says the type of every value; by default false.
  var typesValues: Bool { get }
  /// Returns a value with the type of the column for which it stands, where neither its placeholder nor
  /// the text around says it; by default the value.
  func typed(_ value: SQLText, as type: AttributeType) -> SQLText
  /// Returns a truth value; by default 1 or 0.
  func literal(_ value: Bool) -> String
  /// Returns a test of whether two values are equal or both null, which never gives null; by default by
  /// `IS`.
  func isSame(_ value: SQLText, _ other: SQLText) -> SQLText
  /// Returns a test of whether two values are neither equal nor both null, which never gives null; by
  /// default by `IS NOT`. A truth value may be among them.
  func isDifferent(_ value: SQLText, _ other: SQLText) -> SQLText
  /// The double that is zero, with a positive sign; by default `0.0`. Where the engine adds it to a
  /// double, -0.0 becomes 0.0 and any other value stays.
  var zero: String { get }
  /// Returns a value as one of a kind, which is `double` or `string`; by default by `CAST`.
  ///
  /// Asked for only if ``typesValues`` is false.
  func cast(_ value: SQLText, to kind: AttributeType.Kind) -> SQLText
  /// Returns whether an order puts nulls first unless its text says otherwise; by default in ascending
  /// order alone.
  func putsNullsFirst(_ isDescending: Bool) -> Bool
  /// True if orders may say `NULLS FIRST` and `NULLS LAST`; by default true. If it is false, the engine
  /// orders by whether a value is null first, and indexes do without.
  var placesNulls: Bool { get }
  /// True if the database has `INSERT … ON CONFLICT (key) DO NOTHING` and `DO UPDATE SET … WHERE …` with the
  /// row `excluded`; by default true. If it is false, puts that may find rows read each row first.
  var supportsOnConflict: Bool { get }
  /// True if a common table expression in a subquery may name rows of the statement around it; by default
  /// true. If it is false, a long path through related rows that may meet rows more than once is a query of its
  /// own for each row.
  var correlatesTableExpressions: Bool { get }
  /// True if the query of the keys that a change selects is to be wrapped in `SELECT * FROM (…)`; by
  /// default false.
  ///
  /// For a database that takes no `LIMIT` in the query of an `IN`, or whose changes may read their own
  /// table only so.
  var wrapsQueriesOfKeys: Bool { get }
  /// True if tables and indexes change within a transaction, and a rollback undoes it; by default true.
  ///
  /// It is false of a database where each such statement commits earlier writes. An opening then makes
  /// tables, columns and indexes, and undoes unfinished changes of another. It throws `unsupported` for
  /// other changes of a schema, before anything has changed. ``SQLConnection/beginWrite()`` keeps other
  /// programs away until the commit or the rollback although statements commit, and may be called again
  /// after them. ``SQLConnection/schemaVersion()`` also changes with the transaction after them.
  var changesTablesInTransactions: Bool { get }
  /// Returns the beginning of a statement that deletes rows, up to its condition; by default
  /// `DELETE FROM`.
  ///
  /// - Parameters:
  ///   - table: the quoted name of the table.
  ///   - alias: the quoted name that the condition has for its rows; nil if it needs none.
  func deletion(from table: String, as alias: String?) -> String
  /// Returns the statement that makes an index; by default `CREATE INDEX`.
  func creation(of index: SQLIndex) -> String
  /// Returns the statement that removes an index; by default `DROP INDEX`, without the table.
  ///
  /// - Parameters:
  ///   - name: the plain name of the index.
  ///   - table: the plain name of the table that has it now.
  func removal(ofIndex name: String, on table: String) -> String
  /// True if groups can be ordered by a column that they are not formed by, and whose value is one in
  /// each group; by default true.
  var ordersGroupsByOtherColumns: Bool { get }
  /// Returns the statement that makes the object which empties a table of elements with its owners; by
  /// default a trigger. It goes with the owners' table.
  func creation(of cleaner: SQLCleaner) -> String
  /// Returns the statement that removes the object that empties a table of elements.
  func removal(of cleaner: SQLCleaner) -> String
  /// Returns the statements that make the objects which list the keys of rows as they change; by default
  /// triggers.
  ///
  /// It goes along where the table gets another name. A key is listed once.
  func creations(of lister: SQLKeyLister) -> [String]
  /// Returns the statements that remove the objects made by ``creations(of:)``.
  func removals(of lister: SQLKeyLister) -> [String]
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
  /// Returns the default of a column written down, and whether the text gives it back exactly; by
  /// default the literal of the ``SQLValue`` that is bound for it.
  func literal(_ value: StoredValue, of column: StoredColumn) -> (text: String, isExact: Bool)
  /// Returns whether an error says that a statement cannot be parsed, or names a table or a column
  /// that the database does not have.
  ///
  /// If ``changesTablesInTransactions`` is false, also whether one removes a table, a column, an index
  /// or a trigger that is not there, or adds an index that is. It is never true for missing rights.
  func isRefusedStatement(_ error: StoreError) -> Bool

  /// Returns the words that close the declaration of a table, such as one that orders rows by their
  /// key; by default none.
  ///
  /// - Parameter hasRowNumbers: true for a table whose primary key is one integer.
  func tableEnding(hasRowNumbers: Bool) -> String
  /// Returns whether a column with its default can be added to a table by `ALTER TABLE`, so that its
  /// rows read that default and not another form of it. By default false: the table is written anew.
  func canAdd(_ column: StoredColumn) -> Bool
  /// The treatment of a column that is dropped; by default the table is written anew without it.
  var columnRemoval: SQLColumnRemoval { get }
  /// Returns whether `=`, `IS` and `IN` find a stored value of one kind equal to a value of another
  /// exactly when `StoredValue.equals` does; by default false.
  func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool
  /// Returns whether `<`, `ORDER BY`, `min` and `max` order a stored value of one kind and a value of
  /// another exactly as `StoredValue.compare` does; by default false.
  func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool
  /// Returns whether `min` and `max` take values of a kind that the database orders; by default as
  /// ``orders(_:_:)``.
  func hasExtremes(of kind: AttributeType.Kind) -> Bool
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
  /// True if a sum, difference or product of 64-bit integers that overflows is a double near it, which
  /// `typeof` calls another type than `'integer'`; by default false.
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
  /// The limits of one text; by default those of `SQLLimits()`.
  var limits: SQLLimits { get }
  /// True if the connection has the functions of ``SQLFunction``; by default true.
  ///
  /// If it is false, no statement calls a function. A request is split: the database does the part
  /// that it does exactly, and core does the rest over the rows of the database.
  var evaluatesInEngine: Bool { get }
  /// True if a query ranks rows by `row_number() OVER (PARTITION BY … ORDER BY …)`, and a query around it
  /// tests the rank; by default false.
  ///
  /// The first rows of each group are then all that the database returns.
  var ranksRows: Bool { get }
  /// Returns a test of whether the bits of two doubles differ, neither of them null; nil, the
  /// default, where the database has none. Rows are then read before they are changed.
  ///
  /// Asked for only if ``evaluatesInEngine`` is false.
  func bitsDiffer(_ double: SQLText, _ other: SQLText) -> SQLText?
  /// True if arrays are stored as their texts, and so differ where any bit of an element does; by
  /// default true.
  var keepsArraysAsTexts: Bool { get }

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
  /// The name in quotes.
  public func quoted(table name: String) -> String { quoted(name) }
  /// The placeholder without a type.
  public func placeholder(_ number: Int, as form: SQLForm) -> String { placeholder(number) }
  /// The placeholder.
  public func limit(_ placeholder: String) -> String { placeholder }
  /// Returns false.
  public var typesValues: Bool { false }
  /// The value.
  public func typed(_ value: SQLText, as type: AttributeType) -> SQLText { value }
  /// Returns 1 or 0.
  public func literal(_ value: Bool) -> String { value ? "1" : "0" }
  /// Tests by `IS`.
  public func isSame(_ value: SQLText, _ other: SQLText) -> SQLText { "\(value) IS \(other)" }
  /// Tests by `IS NOT`.
  public func isDifferent(_ value: SQLText, _ other: SQLText) -> SQLText {
    "\(value) IS NOT \(other)"
  }
  /// The literal `0.0`.
  public var zero: String { "0.0" }
  /// Casts to `TEXT` or `DOUBLE PRECISION`.
  public func cast(_ value: SQLText, to kind: AttributeType.Kind) -> SQLText {
    kind == .string ? "CAST(\(value) AS TEXT)" : "CAST(\(value) AS DOUBLE PRECISION)"
  }
  /// Returns true for ascending order.
  public func putsNullsFirst(_ isDescending: Bool) -> Bool { !isDescending }
  /// Returns true.
  public var placesNulls: Bool { true }
  /// Returns true.
  public var supportsOnConflict: Bool { true }
  /// Returns true.
  public var correlatesTableExpressions: Bool { true }
  /// Returns false.
  public var wrapsQueriesOfKeys: Bool { false }
  /// Returns true.
  public var changesTablesInTransactions: Bool { true }
  /// Begins with `DELETE FROM`.
  public func deletion(from table: String, as alias: String?) -> String {
    "DELETE FROM " + table + (alias.map { " AS " + $0 } ?? "")
  }
  /// Makes the index by `CREATE INDEX`.
  public func creation(of index: SQLIndex) -> String {
    let words = ["CREATE", index.isUnique ? "UNIQUE" : nil, "INDEX", index.onlineWord]
    let name = index.name.map { [quoted($0)] } ?? []
    return (words.compactMap(\.self) + name).joined(separator: " ")
      + " ON \(quoted(table: index.table)) (\(index.terms.map(\.sql).joined(separator: ", ")))"
  }
  /// Removes the index by `DROP INDEX`.
  public func removal(ofIndex name: String, on table: String) -> String {
    "DROP INDEX \(quoted(table: name))"
  }
  /// Returns true.
  public var ordersGroupsByOtherColumns: Bool { true }
  /// Makes a trigger.
  public func creation(of cleaner: SQLCleaner) -> String {
    let matches = zip(cleaner.owners, cleaner.key).map { "\(quoted($0)) = old.\(quoted($1))" }
    return "CREATE TRIGGER \(quoted(cleaner.name)) "
      + "AFTER DELETE ON \(quoted(cleaner.table)) BEGIN DELETE FROM \(quoted(cleaner.elements)) "
      + "WHERE \(matches.joined(separator: " AND ")); END"
  }
  /// Removes the trigger.
  public func removal(of cleaner: SQLCleaner) -> String { "DROP TRIGGER \(quoted(cleaner.name))" }
  /// Makes a trigger for each sort of change.
  public func creations(of lister: SQLKeyLister) -> [String] {
    let list = quoted(table: lister.list)
    let columns = lister.columns.map { quoted($0) }
    func listing(_ row: String) -> String {
      let values = lister.key.map { "\(row).\(quoted($0))" }
      let matches = zip(columns, values).map { "\($0) = \($1)" }.joined(separator: " AND ")
      return "INSERT INTO \(list) (\(columns.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) "
        + "WHERE NOT EXISTS (SELECT 1 FROM \(list) WHERE \(matches)); "
    }
    return SQLKeyLister.changes.map { change in
      let rows = change == "INSERT" ? ["new"] : change == "DELETE" ? ["old"] : ["old", "new"]
      return "CREATE TRIGGER \(quoted(lister.name + change)) AFTER \(change) "
        + "ON \(quoted(table: lister.table)) BEGIN \(rows.map(listing).joined())END"
    }
  }
  /// Removes the triggers.
  public func removals(of lister: SQLKeyLister) -> [String] {
    SQLKeyLister.changes.map { "DROP TRIGGER IF EXISTS \(quoted(lister.name + $0))" }
  }
  /// The literal of the value that is bound.
  public func literal(
    _ value: StoredValue, of column: StoredColumn
  ) -> (text: String, isExact: Bool) {
    literal(SQLValue(storing: value, as: column.type.kind))
  }
  /// Returns whether the database orders the kind.
  public func hasExtremes(of kind: AttributeType.Kind) -> Bool { orders(kind, kind) }
  /// No words.
  public func tableEnding(hasRowNumbers: Bool) -> String { "" }
  /// Returns false.
  public func canAdd(_ column: StoredColumn) -> Bool { false }
  /// The value `rewriting`.
  public var columnRemoval: SQLColumnRemoval { .rewriting }
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
  /// Returns false.
  public var ranksRows: Bool { false }
  /// Returns nil.
  public func bitsDiffer(_ double: SQLText, _ other: SQLText) -> SQLText? { nil }
  /// Returns true.
  public var keepsArraysAsTexts: Bool { true }
  /// Returns nil.
  public var integrityCheck: String? { nil }
  /// Returns nil.
  public var checksumMark: SQLChecksumMark? { nil }
}

/// A trigger or constraint that empties a table of elements when their owners are deleted, by plain
/// names.
public struct SQLCleaner: Hashable, Sendable {
  /// The name of the trigger or constraint.
  public let name: String
  /// The table of elements.
  public let elements: String
  /// The columns of the owner's key in the table of elements.
  public let owners: [String]
  /// The table of the owners.
  public let table: String
  /// The columns of its primary key, one for each of ``owners``.
  public let key: [String]
  /// True if the owners' table has overflow keys, and so no primary key that a constraint could refer to.
  public let hasOverflowKeys: Bool
}

/// Triggers that list the keys of rows of a table as they change, by plain names.
public struct SQLKeyLister: Hashable, Sendable {
  /// The name, or the beginning of the names.
  public let name: String
  /// The table.
  public let table: String
  /// The columns of its primary key.
  public let key: [String]
  /// The table of the keys.
  public let list: String
  /// The columns of that table, one for each of ``key``.
  public let columns: [String]

  /// The sorts of changes.
  static var changes: [String] { ["INSERT", "UPDATE", "DELETE"] }
}

/// The treatment of columns of a table that are dropped.
public enum SQLColumnRemoval: Hashable, Sendable {
  /// The table is written anew without them.
  case rewriting
  /// `ALTER TABLE DROP COLUMN` reads no row.
  case dropping
  /// They stay in the table under names that no program can give, and may be nil, until the table is
  /// written anew. No row is read.
  ///
  /// ``TableAlteringConnection/setRequired(_:_:named:in:)`` is asked for.
  case hiding
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
  /// The greatest number of expressions by which the rows of a result are selected, grouped and ordered.
  public var resultColumns: Int
  /// The greatest number of columns of an index; one that is not unique has no more.
  public var indexColumns: Int

  /// Makes limits; without values, those that most databases support.
  public init(
    parameters: Int = 900, nesting: Int = 20, height: Int = 90, listItems: Int = 500,
    arguments: Int = 90, resultColumns: Int = .max, indexColumns: Int = .max
  ) {
    self.parameters = parameters
    self.nesting = nesting
    self.height = height
    self.listItems = listItems
    self.arguments = arguments
    self.resultColumns = resultColumns
    self.indexColumns = indexColumns
  }
}
