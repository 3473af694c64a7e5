import ORMCore
import SQLEngine
import SQLiteBackend

/// SQL of SQLite in which every word that a dialect may change is another than by default.
///
/// What the database does exactly is as in the library's own dialect.
struct OtherWordsDialect: SQLDialect {
  /// The statements that the dialect and its connections wrote.
  let statements: WrittenStatements
  /// False if each change of a table commits what was written before it.
  let changesTablesInTransactions: Bool
  private let base: SQLiteDialect

  init(
    _ statements: WrittenStatements, evaluatesInEngine: Bool = true,
    changesTablesInTransactions: Bool = true
  ) {
    self.statements = statements
    self.changesTablesInTransactions = changesTablesInTransactions
    base = SQLiteDialect(evaluatesInEngine: evaluatesInEngine)
  }

  /// The words that the dialect writes, or that what it claims has the engine write.
  static let ownWords: Set<String> = [
    "AFTER", "ANY", "ASC", "BEGIN", "BETWEEN", "BLOB", "CAST", "CHECK", "CROSS", "DISTINCT", "EACH",
    "FALSE", "FOR", "IF", "IGNORE", "INDEX", "INDEXED", "INTEGER", "OVER", "PARTITION", "REAL",
    "ROW",
    "ROWID", "STRICT", "TEXT", "TRIGGER", "TRUE", "UNIQUE", "VARCHAR", "WITHOUT",
  ]
  /// The functions that it calls so, but those of the engine's own.
  static let ownFunctions: Set<String> = ["instr", "length", "row_number", "substr", "typeof"]

  // MARK: Words

  func quoted(_ name: String) -> String {
    var text = "`"
    for scalar in name.unicodeScalars {
      if scalar == "`" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text + "`"
  }

  func quoted(table name: String) -> String { "`main`." + quoted(name) }

  func placeholder(_ number: Int) -> String { "?0\(number)" }

  func limit(_ placeholder: String) -> String { "(\(placeholder))" }

  func literal(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  func isSame(_ value: SQLText, _ other: SQLText) -> SQLText {
    "\(value) IS NOT DISTINCT FROM \(other)"
  }

  func isDifferent(_ value: SQLText, _ other: SQLText) -> SQLText {
    "\(value) IS DISTINCT FROM \(other)"
  }

  var zero: String { "0e0" }

  func cast(_ value: SQLText, to kind: AttributeType.Kind) -> SQLText {
    kind == .string ? "CAST(\(value) AS VARCHAR)" : "CAST(\(value) AS REAL)"
  }

  var placesNulls: Bool { false }
  var supportsOnConflict: Bool { false }
  var correlatesTableExpressions: Bool { false }
  var wrapsQueriesOfKeys: Bool { true }
  var orderedJoin: String { "CROSS JOIN" }

  func deletion(from table: String, as alias: String?) -> String {
    "DELETE FROM \(table)\(alias.map { " AS " + $0 } ?? "") NOT INDEXED"
  }

  func creation(of index: SQLIndex) -> String {
    // Every index of a store that needs no overflow keys has a name.
    let name = quoted(table: index.name ?? "")
    let terms = index.terms.map { $0.text + ($0.isDescending ? " DESC" : " ASC") }
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(name) "
      + "ON \(quoted(index.table)) (\(terms.joined(separator: ", ")))"
  }

  func removal(ofIndex name: String, on table: String) -> String {
    let text = "DROP INDEX IF EXISTS \(quoted(table: name)) /* of \(quoted(table)) */"
    statements.noteRemoval(text, of: name, on: table)
    return text
  }

  func creation(of cleaner: SQLCleaner) -> String {
    let matches = zip(cleaner.owners, cleaner.key).map { "\(quoted($0)) = old.\(quoted($1))" }
    // SQLite refuses NOT INDEXED in triggers.
    return "CREATE TRIGGER IF NOT EXISTS \(quoted(cleaner.name)) "
      + "AFTER DELETE ON \(quoted(cleaner.table)) FOR EACH ROW BEGIN "
      + "DELETE FROM \(quoted(cleaner.elements)) "
      + "WHERE \(matches.joined(separator: " AND ")); END"
  }

  func removal(of cleaner: SQLCleaner) -> String {
    "DROP TRIGGER IF EXISTS \(quoted(cleaner.name))"
  }

  func creations(of lister: SQLKeyLister) -> [String] {
    let columns = lister.columns.map { quoted($0) }.joined(separator: ", ")
    func listing(_ row: String) -> String {
      let values = lister.key.map { "\(row).\(quoted($0))" }.joined(separator: ", ")
      return "INSERT OR IGNORE INTO \(quoted(lister.list)) (\(columns)) VALUES (\(values)); "
    }
    let changes = [("INSERT", ["new"]), ("UPDATE", ["old", "new"]), ("DELETE", ["old"])]
    return changes.map { change, rows in
      "CREATE TRIGGER IF NOT EXISTS \(quoted(lister.name + change)) AFTER \(change) "
        + "ON \(quoted(lister.table)) FOR EACH ROW BEGIN \(rows.map(listing).joined())END"
    }
  }

  func removals(of lister: SQLKeyLister) -> [String] {
    ["INSERT", "UPDATE", "DELETE"].map { "DROP TRIGGER IF EXISTS \(quoted(lister.name + $0))" }
  }

  // MARK: As SQLite

  func declaration(of column: StoredColumn, named name: String, isRowNumber: Bool) -> String {
    base.declaration(of: column, named: name, isRowNumber: isRowNumber)
  }

  func literal(_ value: SQLValue) -> (text: String, isExact: Bool) { base.literal(value) }
  func tableEnding(hasRowNumbers: Bool) -> String {
    base.tableEnding(hasRowNumbers: hasRowNumbers)
  }
  func canAdd(_ column: StoredColumn) -> Bool { base.canAdd(column) }
  func isRefusedStatement(_ error: StoreError) -> Bool { base.isRefusedStatement(error) }
  func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    base.comparesEqual(kind, other)
  }
  func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    base.orders(kind, other)
  }
  func test(
    _ column: SQLText, _ textOperator: TextOperator, isFolded: Bool, _ value: (SQLForm) -> SQLText
  ) -> SQLText? {
    base.test(column, textOperator, isFolded: isFolded, value)
  }
  func mostCounted(for number: SQLText) -> SQLText? { base.mostCounted(for: number) }
  var integersOverflowToDoubles: Bool { base.integersOverflowToDoubles }
  var countsCalls: Bool { base.countsCalls }
  var evaluatesInEngine: Bool { base.evaluatesInEngine }
  var ranksRows: Bool { base.ranksRows }
  var limits: SQLLimits { base.limits }
}
