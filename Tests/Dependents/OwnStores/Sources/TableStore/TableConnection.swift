import COwnSQLite
import ORMCore
import SQLEngine

/// One connection, with a database of its own in memory.
final class TableConnection: SQLConnection {
  /// The library's connection.
  ///
  /// Statements hold this object, and the library keeps a closed
  /// connection until its last statement goes, so the pointer is valid for each of them.
  let database: OpaquePointer
  /// An error that a function threw; the step that called the function throws it again.
  var functionError: (any Error)?
  /// The statement that takes a step; the commit and the rollback have none, and are never stopped.
  var running: OpaquePointer?
  /// The operation that began the write transaction.
  private var beginner: RunningOperation?
  private let image: TableImage
  /// The number of the commit that the database holds.
  private var loaded: UInt64 = 0
  private var isClosed = false

  init(_ image: TableImage) throws {
    self.image = image
    database = try Self.openDatabase()
    try TableFunction.registerAll(on: self)
    // The library asks after some instructions whether the step is to end. The connection outlives it.
    sqlite3_progress_handler(
      database, 1_000,
      { context in
        guard let context else { return 0 }
        let connection = Unmanaged<TableConnection>.fromOpaque(context).takeUnretainedValue()
        return connection.continues() ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Returns false if the step that runs is to end, and keeps the error for it.
  ///
  /// The library undoes the whole transaction with a statement that writes. Such a statement ends early only
  /// if the transaction does.
  private func continues() -> Bool {
    guard let running else { return true }
    do {
      if sqlite3_stmt_readonly(running) != 0 {
        try RunningOperation.check()
      } else if let beginner, beginner.ownsTransaction {
        try beginner.check()
      }
      return true
    } catch {
      functionError = error
      return false
    }
  }

  deinit { close() }

  // MARK: Statements

  func statement(_ sql: String) throws -> any SQLStatement { try TableStatement(sql, on: self) }

  func hasTable(_ name: String) throws -> Bool {
    let statement = try TableStatement(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", on: self)
    defer { statement.rewind() }
    try statement.bind(name, at: 1)
    return try statement.step()
  }

  func isEmpty() throws -> Bool {
    let statement = try TableStatement("SELECT 1 FROM sqlite_schema", on: self)
    defer { statement.rewind() }
    return try !statement.step()
  }

  var changes: Int { Int(sqlite3_changes64(database)) }
  var totalChanges: Int { Int(sqlite3_total_changes64(database)) }

  // MARK: Transactions

  func beginSnapshot() throws { try load() }

  func endRead() {}

  func beginWrite() throws {
    try load()
    try run("BEGIN")
    beginner = RunningOperation.current
  }

  func commit() throws {
    do {
      try run("COMMIT")
    } catch {
      rollback()
      throw error
    }
    do {
      loaded = image.publish(try serialized())
    } catch {
      // The image is the truth: the database becomes what the image holds.
      loaded = 0
      try load()
      throw error
    }
  }

  func rollback() {
    // A rollback that fails leaves nothing to undo: the library has undone it by itself.
    if isInTransaction { try? run("ROLLBACK") }
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  func close() {
    if isClosed { return }
    isClosed = true
    sqlite3_close_v2(database)
  }

  private func run(_ sql: String) throws {
    try TableFailure.check(sqlite3_exec(database, sql, nil, nil, nil), database)
  }

  // MARK: Content

  private static func openDatabase() throws -> OpaquePointer {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(":memory:", &opened, flags, nil)
    guard result == SQLITE_OK, let opened else {
      defer { sqlite3_close_v2(opened) }
      throw TableFailure.error(result, opened)
    }
    sqlite3_extended_result_codes(opened, 1)
    return opened
  }

  /// Makes the database that of the newest commit, unless it is.
  ///
  /// The library's backup overwrites it page by page, and has statements prepared anew.
  private func load() throws {
    let commit = image.commit
    if commit.number == loaded { return }
    try commit.bytes.withUnsafeBufferPointer { bytes in
      let source = try Self.openDatabase()
      defer { sqlite3_close_v2(source) }
      // The library does not write to a database that is opened READONLY, and `source` is closed
      // before the bytes end.
      try TableFailure.check(
        sqlite3_deserialize(
          source, "main", UnsafeMutablePointer(mutating: bytes.baseAddress),
          Int64(bytes.count), Int64(bytes.count), UInt32(SQLITE_DESERIALIZE_READONLY)), source)
      guard let backup = sqlite3_backup_init(database, "main", source, "main") else {
        throw TableFailure.error(sqlite3_extended_errcode(database), database)
      }
      let copied = sqlite3_backup_step(backup, -1)
      try TableFailure.check(sqlite3_backup_finish(backup), database)
      if copied != SQLITE_DONE { throw TableFailure.error(copied, database) }
    }
    loaded = commit.number
  }

  /// The database as bytes.
  private func serialized() throws -> [UInt8] {
    var count: Int64 = 0
    guard let bytes = sqlite3_serialize(database, "main", &count, 0) else {
      throw StoreError(.engine, "the database cannot be copied")
    }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
