import COwnSQLite
import ORMCore

/// Errors of the library as errors of a store.
enum TableFailure {
  /// The code of a statement that the library cannot parse, and of much else.
  static var refused: Int { Int(SQLITE_ERROR) }

  /// Returns the error of a call on a connection that gave `result`.
  static func error(_ result: Int32, _ database: OpaquePointer?) -> StoreError {
    let text = database.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(result)
    let message = text.map { String(cString: $0) } ?? "the library failed"
    return StoreError(code(result, message), message, engineCode: Int(result))
  }

  /// Throws unless a call succeeded.
  static func check(_ result: Int32, _ database: OpaquePointer?) throws {
    if result != SQLITE_OK { throw error(result, database) }
  }

  private static func code(_ result: Int32, _ message: String) -> StoreError.Code {
    // The extended code of a constraint says which: https://sqlite.org/rescode.html
    let detail = result >> 8
    switch result & 0xff {
    case SQLITE_CONSTRAINT:
      switch detail {
      case 5: return .missingValue  // NOT NULL
      case 6, 8, 10: return .duplicate  // PRIMARY KEY, UNIQUE, ROWID
      case 1, 12: return .invalidValue  // CHECK, DATATYPE
      default: return .engine
      }
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    case SQLITE_FULL: return .full
    case SQLITE_IOERR: return .inputOutput
    case SQLITE_CORRUPT: return .corrupt
    case SQLITE_NOTADB: return .notADatabase
    case SQLITE_READONLY: return .readOnly
    case SQLITE_TOOBIG: return .tooLarge
    // A sum of integers that the library refuses has no code of its own.
    case SQLITE_ERROR where message == "integer overflow": return .overflow
    default: return .engine
    }
  }
}
