internal import CSQLite
package import SQLEngine

/// The current row of a statement, read straight from the library.
///
/// The tables are STRICT, with checks of the values that STRICT leaves open, so storage classes are asked
/// for only where a value looks like a converted null: 0, 0.0, or no bytes.
package struct SQLiteRow: SQLRow {
  private let pointer: OpaquePointer
  package let layout: SQLRowLayout

  init(_ statement: SQLiteStatement, _ layout: SQLRowLayout) {
    pointer = statement.pointer
    self.layout = layout
  }

  package func rawKind(at column: Int) -> SQLValue.Kind {
    SQLValue.Kind(sqlite: sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column)))
  }
  package func rawInt64(at column: Int) -> Int64 {
    sqlite3_column_int64(pointer, Int32(truncatingIfNeeded: column))
  }
  package func rawDouble(at column: Int) -> Double {
    sqlite3_column_double(pointer, Int32(truncatingIfNeeded: column))
  }
  package func rawText(at column: Int) -> UnsafeRawBufferPointer {
    // The column is looked up once. Values of columns are under no mutex, nor is the connection.
    let value = sqlite3_column_value(pointer, Int32(truncatingIfNeeded: column))
    guard let start = sqlite3_value_text(value) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
  package func rawBlob(at column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(pointer, Int32(truncatingIfNeeded: column))
    let count = sqlite3_column_bytes(pointer, Int32(truncatingIfNeeded: column))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
  }
}

extension SQLValue.Kind {
  /// The kind of a storage class of the library.
  @inline(__always)
  init(sqlite type: Int32) {
    switch type {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}
