public import CSQLite
internal import ORMStorage

/// Owns a prepared statement, and finalizes it when the last reference is released.
///
/// It keeps its connection's file open.
///
/// The life of a run is `rewind`, `bind` each parameter, `step` until it gives false or enough was
/// seen, `rewind` at the end so that nothing stays locked. Parameters count from 1 and columns from
/// 0, as in the library. Not Sendable: it belongs to its connection's one user at a time.
@usableFromInline
package final class SQLiteStatement {
  @usableFromInline let pointer: OpaquePointer
  let handle: SQLiteHandle
  /// Belongs to the statement's one user, as the statement does; it makes no callbacks.
  @exclusivity(unchecked) var arena = ByteArena()

  /// Prepares one statement, cached for many runs.
  init(_ sql: String, on handle: SQLiteHandle) throws {
    try handle.check()
    self.handle = handle
    var sql = sql
    var prepared: OpaquePointer?
    let (result, isWhole) = sql.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) { text in
        var tail: UnsafePointer<CChar>?
        // The text carries no terminator, so it is passed with its length.
        let result = sqlite3_prepare_v3(
          handle.database, text.baseAddress, Int32(clamping: text.count),
          UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
        return (result, tail == text.baseAddress.map { $0 + text.count })
      }
    }
    try handle.check(result)
    guard let prepared, isWhole else {
      sqlite3_finalize(prepared)
      throw StoreError(.engine, "a statement's text must be one SQL statement: \(sql)")
    }
    pointer = prepared
  }

  deinit {
    if handle.isForked { return }
    sqlite3_finalize(pointer)
    handle.functionFailure = nil
    arena.free()
  }

  /// The number of columns a row has; 0 for a statement without rows.
  package var columnCount: Int { Int(sqlite3_column_count(pointer)) }
  /// The names of the columns of a row.
  @usableFromInline package var columnNames: [String] {
    (0..<columnCount).map { column in
      sqlite3_column_name(pointer, Int32(truncatingIfNeeded: column)).map { String(cString: $0) }
        ?? ""
    }
  }
  /// The number of the last parameter.
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }
  /// True if running it leaves the file as it is.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }
  /// True if it is at a row, so that it holds its transaction's lock.
  package var isActive: Bool { sqlite3_stmt_busy(pointer) != 0 }

  /// Moves to the next row; false when there are no more.
  ///
  /// After an error the statement is rewound.
  @inlinable
  package func step() throws -> Bool {
    let result = sqlite3_step(pointer)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE { return false }
    throw failure(result)
  }

  /// Runs a statement that gives no rows, or whose rows are of no interest.
  @inlinable
  package func run() throws {
    while try step() {}
    reset()
  }

  /// Ends the run and makes ready for the next.
  ///
  /// Values must be bound anew: afterwards the old texts and bytes may be anything.
  @usableFromInline
  package func rewind() {
    reset()
    freeBindings()
  }

  /// Discards the bindings; the statement does not run.
  func freeBindings() {
    if arena.reset() { sqlite3_clear_bindings(pointer) }
  }

  /// Ends the run and keeps the bindings.
  @usableFromInline
  package func reset() {
    sqlite3_reset(pointer)
    // An aggregate that was abandoned may have failed at its end; the failure is ignored.
    if handle.functionFailure != nil { handle.functionFailure = nil }
  }

  @usableFromInline
  @inline(never)
  func failure(_ result: Int32) -> any Error {
    let error = handle.error(result)
    sqlite3_reset(pointer)
    return error
  }
}
