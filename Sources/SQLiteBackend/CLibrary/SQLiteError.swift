internal import CSQLite
internal import ORMPlatform
package import ORMStorage

extension StoreError {
  /// Makes the error of a result code of the library.
  ///
  /// - Parameters:
  ///   - result: the extended result code; stored as `engineCode`.
  ///   - message: the library's sentence. It names tables and columns, never a value.
  ///   - systemError: the `errno` beneath a failure of the disk; 0 where there is none.
  package init(sqlite result: Int32, _ message: String, systemError: Int32 = 0) {
    self.init(
      Self.isOverflow(result, message) ? .overflow : Code(sqlite: result, systemError: systemError),
      message, engineCode: Int(result))
  }

  /// Returns whether a function of the library, such as `sum`, gave up integers that do not fit.
  ///
  /// It has no code of its own for that; the sentence is the same since `sum` is exact (3.0).
  private static func isOverflow(_ result: Int32, _ message: String) -> Bool {
    result == SQLITE_ERROR && message == "integer overflow"
  }

  /// True if the library refused a statement: it cannot be parsed, or names a missing object.
  package var isSQLiteRefusal: Bool { code == .engine && engineCode == Int(SQLITE_ERROR) }

  /// True if the engine stopped because it was interrupted.
  package var isSQLiteInterruption: Bool {
    code == .engine && engineCode.map { Int32(truncatingIfNeeded: $0) } == SQLITE_INTERRUPT
  }

  /// True if the engine gave up a lock that was refused again and again.
  var isSQLiteProtocol: Bool {
    code == .busy && engineCode.map { Int32(truncatingIfNeeded: $0) } == SQLITE_PROTOCOL
  }
}

extension StoreError.Code {
  fileprivate init(sqlite result: Int32, systemError: Int32) {
    switch result & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .busy
    case SQLITE_FULL: self = .full
    case SQLITE_IOERR: self.init(inputOutput: result, systemError: systemError)
    case SQLITE_CORRUPT: self = .corrupt
    case SQLITE_NOTADB, SQLITE_FORMAT: self = .notADatabase
    case SQLITE_READONLY: self = result >> 8 == 4 ? .fileReplaced : .readOnly  // READONLY_DBMOVED
    case SQLITE_CANTOPEN, SQLITE_PERM:
      self = Self.isDiskFull(systemError) ? .full : .cannotOpen
    case SQLITE_TOOBIG: self = .tooLarge
    case SQLITE_MISMATCH: self = .invalidValue
    case SQLITE_CONSTRAINT: self.init(constraint: result)
    case SQLITE_ABORT: self = result >> 8 == 2 ? .transactionEnded : .engine  // ABORT_ROLLBACK
    default: self = .engine
    }
  }

  // The extended codes are macros Swift does not import; each is `primary | (number << 8)`, with
  // the numbers of https://sqlite.org/rescode.html.

  private init(inputOutput result: Int32, systemError: Int32) {
    switch result >> 8 {
    case 12: self = .engine  // IOERR_NOMEM
    case 33: self = .corrupt  // IOERR_CORRUPTFS: the file system says its checksum is wrong
    default: self = Self.isDiskFull(systemError) ? .full : .inputOutput
    }
  }

  private static func isDiskFull(_ systemError: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG].contains(systemError)
  }

  private init(constraint result: Int32) {
    switch result >> 8 {
    case 6, 8, 10: self = .duplicate  // PRIMARYKEY, UNIQUE, ROWID
    case 5: self = .missingValue  // NOTNULL
    case 1, 12: self = .invalidValue  // CHECK, DATATYPE
    default: self = .engine
    }
  }
}
