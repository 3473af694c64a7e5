internal import CSQLite
package import ORMStorage

/// A database file that was found to be one of ours and whole, or was made.
///
/// Opening never changes a file it refuses. Plain reads go through the library: closing a file
/// descriptor of our own would drop the locks of every other connection this process has to it.
package struct SQLiteFile: Sendable {
  /// The absolute path of the file, without symbolic links.
  ///
  /// A later change of the working folder does not matter, and the name is never taken for a URI.
  package let path: String
  /// True if it is opened for reading alone.
  package let isReadOnly: Bool
  /// True if the file was left with a log, and no running process has it open.
  package private(set) var wasClosedUncleanly = false
  /// The settings of its connections.
  package let settings: SQLiteSettings
  /// True if the file cannot change, so that it can be read without locks and log.
  private var isImmutable = false

  /// Opens the file, making it and missing folders unless `isReadOnly`.
  ///
  /// Throws `cannotOpen` (no such file, no right to it, a folder), `notADatabase`, `corrupt`,
  /// `schemaTooNew`, `readOnly` (it or its folder cannot be written), `full`, `inputOutput`, `busy`.
  package init(path: String, options: StoreOptions, settings: SQLiteSettings) throws {
    self.path = try Self.resolve(path)
    self.settings = settings
    isReadOnly = options.isReadOnly
    // Between a look and a step another process may make the file: then look again.
    for _ in 0..<3 {
      if let size = try Self.size(of: self.path) {
        // Ours are never empty; the library would take one for a new database.
        if size > 0 { break }
        try Self.checkNoLog(of: self.path)
        throw StoreError(.notADatabase, "\(self.path): the file is empty")
      }
      if isReadOnly { throw StoreError(.cannotOpen, "\(self.path): there is no such file") }
      try Self.create(at: self.path, wait: settings.wait)
    }
    try SQLiteWait.retrying(limit: settings.wait) { try verify(options.verification) }
  }

  /// Opens the connection that writes.
  package func writer() throws -> SQLiteConnection {
    if isReadOnly { throw StoreError(.readOnly, "the store was opened read-only") }
    do {
      return try SQLiteWait.retrying(limit: settings.wait) {
        let connection = try SQLiteConnection(
          name: path, flags: SQLITE_OPEN_READWRITE, settings: settings)
        try checkIdentity(connection)
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
          throw StoreError(
            .cannotOpen,
            "\(path): a write-ahead log cannot be created here; use a local file system")
        }
        try identify(connection)
        return connection
      }
    } catch let error as StoreError where error.code == .readOnly {
      throw StoreError(
        .cannotOpen, "\(path): the file cannot be written", engineCode: error.engineCode)
    }
  }

  /// Opens a connection that only reads.
  ///
  /// Its readers' marks lie beside the file, so the folder must be writable, unless the volume is
  /// read-only as a whole.
  package func reader() throws -> SQLiteConnection {
    var settings = settings
    settings.wait = settings.readerWait
    do {
      return try SQLiteWait.retrying(limit: settings.wait) {
        let connection = try SQLiteConnection(
          name: isImmutable ? Self.immutableName(path) : path,
          flags: SQLITE_OPEN_READONLY | (isImmutable ? SQLITE_OPEN_URI : 0), settings: settings)
        try checkIdentity(connection)
        if !isImmutable { try identify(connection) }
        return connection
      }
    } catch let error as StoreError where error.code == .readOnly {
      throw StoreError(
        .cannotOpen, "\(path): the file's folder must be writable, even to read it",
        engineCode: error.engineCode)
    }
  }

  /// Notes which files a connection has open.
  private func identify(_ connection: SQLiteConnection) throws {
    // A read opens the log, and makes it where it is missing.
    _ = try connection.beginRead()
    defer { connection.endRead() }
    let identity = try SQLiteFileIdentity(path: path)
    // The file may have been replaced by a backup while this connection waited for its lock.
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(
      connection.handle.database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    if code == SQLITE_OK, hasMoved != 0 { throw identity.replaced() }
    connection.identity = identity
  }

  /// Checks the format version that the connection reads.
  ///
  /// The log may hold a newer one than the header of the file.
  private func checkIdentity(_ connection: SQLiteConnection) throws {
    try SQLiteHeader.check(formatVersion: connection.integer("PRAGMA user_version") ?? 0)
  }
}

// MARK: - Verifying

extension SQLiteFile {
  private mutating func verify(_ verification: StoreOptions.Verification) throws {
    let hasLog = try Self.size(of: path + "-wal") ?? 0 > 0
    let hasJournal = try Self.size(of: path + "-journal") ?? 0 > 0
    let isSettled = !hasLog && !hasJournal
    let (header, size) = try Self.readHeader(path)
    try SQLiteHeader(header).check(fileSize: size, isSettled: isSettled)
    // A journal is left where another program turned our log off and was killed. The library takes
    // it back when the writer opens; until then the file cannot be read.
    if hasJournal { return }
    isImmutable = isReadOnly && isSettled && Self.isOnReadOnlyVolume(path)
    if hasLog, !isReadOnly, verification == .afterUncleanClose {
      wasClosedUncleanly = try checkUncleanly()
      if wasClosedUncleanly { return }
    }
    do {
      try checkPages(named: isSettled ? Self.immutableName(path) : path, verification == .always)
    } catch let error as StoreError where error.code == .corrupt && isSettled {
      // Read without locks while another process wrote, it may look damaged; so look properly.
      guard try Self.size(of: path + "-wal") ?? 0 > 0 || Self.readHeader(path) != (header, size)
      else {
        throw error
      }
      try checkPages(named: path, verification == .always)
    }
  }

  /// The beginning of the file and its size, read without a lock.
  ///
  /// The size is the system's: the library takes a file of one byte for an empty one.
  static func readHeader(_ path: String) throws -> (bytes: [UInt8], size: Int) {
    let size = try size(of: path) ?? 0
    let handle = try SQLiteHandle(name: path, flags: SQLITE_OPEN_READONLY, wait: .zero)
    guard let pointer = try filePointer(of: handle),
      let read = pointer.pointee.pMethods?.pointee.xRead
    else {
      throw StoreError(.cannotOpen, "\(path): the file cannot be read")
    }
    var bytes = [UInt8](repeating: 0, count: min(size, SQLiteHeader.length))
    try handle.check(read(pointer, &bytes, Int32(bytes.count), 0))
    return (bytes, size)
  }

  /// Returns the library's own form of an open file.
  static func filePointer(of handle: SQLiteHandle) throws -> UnsafeMutablePointer<sqlite3_file>? {
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    try handle.check(
      sqlite3_file_control(handle.database, "main", SQLITE_FCNTL_FILE_POINTER, &pointer))
    return pointer
  }

  /// Reads the schema and, if asked to, every page, without writing anything.
  private func checkPages(named name: String, _ wholly: Bool) throws {
    let handle = try SQLiteHandle(
      name: name, flags: SQLITE_OPEN_READONLY | (name == path ? 0 : SQLITE_OPEN_URI),
      wait: settings.wait)
    try Self.checkPages(handle, wholly)
  }

  /// Checks every page of a file with a log.
  ///
  /// Returns false if the file is open elsewhere.
  ///
  /// The log itself is safe from a kill, as each of its pages carries a checksum; the check looks for damage
  /// in the file. The exclusive lock is granted only to a process that is alone.
  private func checkUncleanly() throws -> Bool {
    let handle = try SQLiteHandle(name: path, flags: SQLITE_OPEN_READWRITE, wait: .zero)
    try handle.check(
      sqlite3_exec(handle.database, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil))
    do {
      try Self.checkPages(handle, true)
      return true
    } catch let error as StoreError where error.code != .corrupt {
      return false
    }
  }

  private static func checkPages(_ handle: SQLiteHandle, _ wholly: Bool) throws {
    // Closing must not move the log into a file that may be refused.
    try handle.check(
      strata_sqlite3_switch(handle.database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1))
    try handle.check(strata_sqlite3_switch(handle.database, SQLITE_DBCONFIG_DEFENSIVE, 1))
    try handle.check(strata_sqlite3_switch(handle.database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0))
    do {
      let schema = try SQLiteStatement("SELECT count(*) FROM sqlite_schema", on: handle)
      try schema.run()
      if wholly {
        let check = try SQLiteStatement("PRAGMA quick_check(1)", on: handle)
        let verdict = try check.step() ? check.text(at: 0) : nil
        if verdict != "ok" {
          throw StoreError(
            .corrupt,
            "the file is damaged: \(verdict ?? "SQLite's check gave no result")")
        }
      }
    } catch var error as StoreError where error.code == .notADatabase {
      error.code = .corrupt  // The header was right.
      throw error
    }
  }
}
