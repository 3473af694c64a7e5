internal import CSQLite
internal import ORMStorage

/// Statements that programs write themselves.
extension SQLiteConnection {
  /// Prepares a query that changes nothing: no row and no table, setting or transaction.
  func prepare(query sql: String) throws -> SQLiteStatement {
    let statement = try prepare(sql)
    guard statement.isReadOnly, statement.columnCount > 0, Self.beginsQuery(sql) else {
      throw StoreError(
        .invalidStatement,
        "the statement is no query; change models by the operations of the store, and tables of the "
          + "program's own by execute(sql:)")
    }
    return statement
  }

  /// Prepares a statement that leaves the tables named, in lower case, as they are, and every setting
  /// and transaction.
  func prepare(_ sql: String, keeping tables: Set<String>) throws -> SQLiteStatement {
    let authorizer = SQLiteAuthorizer(tables)
    let context = Unmanaged.passUnretained(authorizer).toOpaque()
    sqlite3_set_authorizer(handle.database, SQLiteAuthorizer.callback, context)
    // The library calls it while a statement is prepared, and never between calls of its own.
    defer {
      withExtendedLifetime(authorizer) { _ = sqlite3_set_authorizer(handle.database, nil, nil) }
    }
    do {
      return try prepare(sql)
    } catch {
      guard let refusal = authorizer.refusal else { throw error }
      throw StoreError(.invalidStatement, refusal)
    }
  }

  /// Returns whether a text begins with a word that begins a query, after blanks and comments.
  ///
  /// The library calls some settings read-only which are none.
  private static func beginsQuery(_ sql: String) -> Bool {
    var rest = sql.utf8[...]
    while let first = rest.first {
      if [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(first) {
        rest.removeFirst()
      } else if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != 0x0A }
      } else if rest.starts(with: "/*".utf8) {
        rest.removeFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else {
        break
      }
    }
    let word = rest.prefix { $0 >= 0x41 && $0 <= 0x5A || $0 >= 0x61 && $0 <= 0x7A }
    let words = ["SELECT", "WITH", "VALUES", "EXPLAIN"]
    return words.contains(String(decoding: word, as: UTF8.self).uppercased())
  }
}

/// The part of the database that a statement of a program may change.
private final class SQLiteAuthorizer {
  private let own: Set<String>
  /// The reason why a statement was refused.
  private(set) var refusal: String?

  init(_ own: Set<String>) { self.own = own }

  static let callback:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafePointer<CChar>?
    ) -> Int32 = { context, action, first, second, database, _ in
      guard let context else { return SQLITE_DENY }
      let authorizer = Unmanaged<SQLiteAuthorizer>.fromOpaque(context).takeUnretainedValue()
      let names = (first.map { String(cString: $0) }, second.map { String(cString: $0) })
      authorizer.refusal =
        authorizer.refusal
        ?? authorizer.refusal(of: action, names.0 ?? "", names.1 ?? "")
      return authorizer.refusal == nil ? SQLITE_OK : SQLITE_DENY
    }

  /// Returns the reason to refuse an action on these names; nil if it may be done.
  private func refusal(of action: Int32, _ first: String, _ second: String) -> String? {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE,
      SQLITE_CREATE_TABLE, SQLITE_CREATE_VIEW, SQLITE_DROP_VIEW, SQLITE_CREATE_VTABLE:
      refusal(ofTable: first)
    case SQLITE_ALTER_TABLE, SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX, SQLITE_CREATE_TRIGGER,
      SQLITE_DROP_TRIGGER:
      refusal(ofTable: second)
    case SQLITE_READ, SQLITE_SELECT, SQLITE_RECURSIVE, SQLITE_REINDEX, SQLITE_ANALYZE: nil
    case SQLITE_FUNCTION:
      second.lowercased() == "load_extension" ? "a statement may not load an extension" : nil
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
      "the store begins and ends transactions; use write(_:) and savepoint(_:)"
    case SQLITE_PRAGMA: "a setting is changed by the options that the store is opened with"
    case SQLITE_ATTACH, SQLITE_DETACH: "a statement may not attach another database"
    default: "a statement may not make anything that hides a table of the store"
    }
  }

  private func refusal(ofTable name: String) -> String? {
    let isOwn =
      name.utf8.contains(UInt8(ascii: "$")) || sqlite3_strnicmp(name, "strata_", 7) == 0
      || own.contains { sqlite3_stricmp($0, name) == 0 }
    if !isOwn { return nil }
    return "\(name) is a table of the store, which stores its models; change them by the "
      + "operations of the store"
  }
}
