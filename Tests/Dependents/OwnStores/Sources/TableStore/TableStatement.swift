import COwnSQLite
import ORMCore
import SQLEngine

/// A prepared statement.
final class TableStatement: SQLStatement {
  /// The library's statement, which ends with this object.
  let pointer: OpaquePointer
  private let connection: TableConnection

  init(_ sql: String, on connection: TableConnection) throws {
    var prepared: OpaquePointer?
    try TableFailure.check(
      sqlite3_prepare_v2(connection.database, sql, -1, &prepared, nil), connection.database)
    guard let prepared else { throw StoreError(.engine, "there is no statement in: \(sql)") }
    pointer = prepared
    self.connection = connection
  }

  deinit { sqlite3_finalize(pointer) }

  // MARK: Parameters

  func bindNull(at parameter: Int) throws {
    try check(sqlite3_bind_null(pointer, Int32(parameter)))
  }

  func bind(_ value: Int64, at parameter: Int) throws {
    try check(sqlite3_bind_int64(pointer, Int32(parameter), value))
  }

  func bind(_ value: Double, at parameter: Int) throws {
    try check(sqlite3_bind_double(pointer, Int32(parameter), value))
  }

  func bind(text value: UnsafeRawBufferPointer, at parameter: Int) throws {
    try Self.withAddress(of: value) { bytes in
      try check(
        sqlite3_bind_text64(
          pointer, Int32(parameter), bytes.assumingMemoryBound(to: CChar.self),
          UInt64(value.count), Self.copied, UInt8(SQLITE_UTF8)))
    }
  }

  func bind(blob value: UnsafeRawBufferPointer, at parameter: Int) throws {
    try Self.withAddress(of: value) { bytes in
      try check(
        sqlite3_bind_blob64(pointer, Int32(parameter), bytes, UInt64(value.count), Self.copied))
    }
  }

  func bind(evaluator: SQLEvaluator, at parameter: Int) throws {
    // The library calls the destructor once, whether or not it takes the pointer.
    try check(
      sqlite3_bind_pointer(
        pointer, Int32(parameter), Unmanaged.passRetained(evaluator).toOpaque(),
        TableFunction.evaluatorType,
        { object in
          if let object { Unmanaged<SQLEvaluator>.fromOpaque(object).release() }
        }))
  }

  // MARK: Runs

  func step() throws -> Bool {
    connection.functionError = nil
    connection.running = pointer
    let result = sqlite3_step(pointer)
    connection.running = nil
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE { return false }
    let error = connection.functionError ?? TableFailure.error(result, connection.database)
    connection.functionError = nil
    sqlite3_reset(pointer)
    throw error
  }

  func rewind() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  func isNull(at column: Int) -> Bool {
    sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL
  }

  func int64(at column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(column)) }

  func text(at column: Int) -> String? {
    guard let start = sqlite3_column_text(pointer, Int32(column)) else { return nil }
    let count = Int(sqlite3_column_bytes(pointer, Int32(column)))
    return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func visitRows<V: RowVisitor>(_ layout: SQLRowLayout, _ visitor: inout V) throws -> Bool {
    try visit(rows: TableRow(self, layout), &visitor)
  }

  private func check(_ result: Int32) throws {
    try TableFailure.check(result, connection.database)
  }

  /// Calls the closure with the address of bytes, and for none with an address of nothing: an absent
  /// address would bind null.
  private static func withAddress(
    of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawPointer) throws -> Void
  ) throws {
    if let start = bytes.baseAddress { return try body(start) }
    try withUnsafeBytes(of: 0 as UInt8) { nothing in
      if let start = nothing.baseAddress { try body(start) }
    }
  }

  /// Tells the library to copy the bytes before its call returns (`SQLITE_TRANSIENT`).
  static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

/// The row on which a statement stands.
struct TableRow: SQLRow {
  private let statement: TableStatement
  let layout: SQLRowLayout

  init(_ statement: TableStatement, _ layout: SQLRowLayout) {
    self.statement = statement
    self.layout = layout
  }

  func rawKind(at column: Int) -> SQLValue.Kind {
    SQLValue.Kind(sqlite3_column_type(statement.pointer, Int32(column)))
  }

  func rawInt64(at column: Int) -> Int64 { statement.int64(at: column) }

  func rawDouble(at column: Int) -> Double {
    sqlite3_column_double(statement.pointer, Int32(column))
  }

  func rawText(at column: Int) -> UnsafeRawBufferPointer {
    bytes(UnsafeRawPointer(sqlite3_column_text(statement.pointer, Int32(column))), column)
  }

  func rawBlob(at column: Int) -> UnsafeRawBufferPointer {
    bytes(sqlite3_column_blob(statement.pointer, Int32(column)), column)
  }

  private func bytes(_ start: UnsafeRawPointer?, _ column: Int) -> UnsafeRawBufferPointer {
    let count = Int(sqlite3_column_bytes(statement.pointer, Int32(column)))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }
}

extension SQLValue.Kind {
  /// The kind of a type of the library.
  init(_ type: Int32) {
    switch type {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}
