/// The statements that begin and end transactions, each prepared at its first use.
struct SQLiteTransactionStatements {
  private let handle: SQLiteHandle
  private var prepared: [SQLiteStatement?]

  enum Text: Int, CaseIterable {
    case begin, beginImmediate, commit, rollback, savepoint, release, rollbackTo, snapshot,
      schemaVersion

    var sql: String {
      switch self {
      case .begin: "BEGIN"
      case .beginImmediate: "BEGIN IMMEDIATE"
      case .commit: "COMMIT"
      case .rollback: "ROLLBACK"
      // Names of savepoints need not differ: the newest of the name is meant.
      case .savepoint: "SAVEPOINT strata"
      case .release: "RELEASE strata"
      case .rollbackTo: "ROLLBACK TO strata"
      // Gives one row, and stays on it with the snapshot open until it is reset.
      case .snapshot: "PRAGMA data_version"
      case .schemaVersion: "PRAGMA schema_version"
      }
    }
  }

  init(_ handle: SQLiteHandle) {
    self.handle = handle
    prepared = Array(repeating: nil, count: Text.allCases.count)
  }

  /// The statement, not running.
  mutating func statement(_ text: Text) throws -> SQLiteStatement {
    if let statement = prepared[text.rawValue] { return statement }
    let statement = try SQLiteStatement(text.sql, on: handle)
    prepared[text.rawValue] = statement
    return statement
  }

  /// Runs a statement to its end.
  mutating func run(_ text: Text) throws { try statement(text).run() }

  /// Releases the statements.
  mutating func finish() {
    for index in prepared.indices { prepared[index] = nil }
  }
}
