import CBenchSQLite

/// A connection of hand-written code over libsqlite3: without mutexes, since one thread uses it, and
/// with every statement prepared once.
package final class RawConnection {
  package let database: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  package struct Failure: Error { let code: Int32 }

  /// Opens a file, which may be new; the pragmas are those of a tuned contestant.
  package init(path: String, pragmas: [String]) throws {
    _ = bench_sqlite3_leave_memory_uncounted()
    var database: OpaquePointer?
    let code = sqlite3_open_v2(
      path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let database else { throw Failure(code: code) }
    self.database = database
    for pragma in pragmas { try execute("PRAGMA \(pragma)") }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(database)
  }

  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Failure(code: code) }
  }

  package func statement(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw Failure(code: code) }
    statements[sql] = statement
    return statement
  }

  /// Runs a statement that gives no rows.
  package func run(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE else { throw Failure(code: code) }
    sqlite3_reset(statement)
  }

  /// Runs a statement to its end, a row at a time.
  @inline(__always)
  package func rows(_ statement: OpaquePointer, _ body: (OpaquePointer) -> Void) throws {
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { break }
      guard code == SQLITE_ROW else { throw Failure(code: code) }
      body(statement)
    }
    sqlite3_reset(statement)
  }

  package func transaction<R>(_ body: () throws -> R) throws -> R {
    try run(statement("BEGIN"))
    let result = try body()
    try run(statement("COMMIT"))
    return result
  }

  /// Binds a text without a copy: it is valid until `body` returns, which runs the statement.
  @inline(__always)
  package func with<R>(
    _ text: String, at index: Int32, _ statement: OpaquePointer, _ body: () throws -> R
  ) rethrows -> R {
    var text = text
    return try text.withUTF8 { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { characters in
        sqlite3_bind_text(statement, index, characters.baseAddress, Int32(characters.count), nil)
        return try body()
      }
    }
  }

  /// The text of a column; each column is looked up once.
  @inline(__always)
  package func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    Self.text(sqlite3_column_value(statement, column)) ?? ""
  }

  /// The text of a value; nil for null.
  @inline(__always)
  package static func text(_ value: OpaquePointer?) -> String? {
    guard let bytes = sqlite3_value_text(value) else { return nil }
    let count = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
