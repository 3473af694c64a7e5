public import CSQLite

/// The storage class of a value.
package enum SQLiteKind: Int32, Sendable {
  /// A 64-bit integer.
  case integer = 1
  /// A double.
  case real = 2
  /// A text in UTF-8.
  case text = 3
  /// A sequence of bytes.
  case blob = 4
  /// No value.
  case null = 5
}

/// The columns of the statement's current row; they count from 0.
///
/// The typed readers convert silently, as the library does; ask for the kind first where the
/// table's declaration does not settle it. A column that does not exist is null.
extension SQLiteStatement {
  /// The storage class of a column; ask before reading the column, as reading may convert it.
  package func kind(at column: Int) -> SQLiteKind {
    SQLiteKind(rawValue: sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column))) ?? .null
  }

  /// Returns whether a column is null.
  @inlinable
  package func isNull(at column: Int) -> Bool {
    sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// An integer.
  @inlinable
  package func int64(at column: Int) -> Int64 {
    sqlite3_column_int64(pointer, Int32(truncatingIfNeeded: column))
  }

  /// A double.
  @inlinable
  package func double(at column: Int) -> Double {
    sqlite3_column_double(pointer, Int32(truncatingIfNeeded: column))
  }

  /// A text; nil when it is null or its bytes are not valid UTF-8.
  @inlinable
  package func text(at column: Int) -> String? {
    let column = Int32(truncatingIfNeeded: column)
    guard let start = sqlite3_column_text(pointer, column) else { return nil }
    let count = Int(sqlite3_column_bytes(pointer, column))
    return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The bytes of a text or blob without a copy, valid during the call; none for null.
  @inlinable
  package func withBytes<Result, Failure: Error>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let column = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_blob(pointer, column)
    let count = Int(sqlite3_column_bytes(pointer, column))
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }
}
