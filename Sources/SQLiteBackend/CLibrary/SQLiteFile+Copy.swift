internal import CSQLite
internal import ORMPlatform
internal import ORMStorage

/// Copies of the file, by the library: it reads the log as well, and keeps the locks.
extension SQLiteFile: StoreFile {
  package func size() throws -> Int {
    try (Self.size(of: path) ?? 0) + (Self.size(of: path + "-wal") ?? 0)
  }

  /// Writes the newest commit to a new file, by a connection of its own.
  package func copy(to path: String) throws {
    let source = try reader()
    defer { source.close() }
    try Self.copy(source.handle, to: path)
  }

  private static func copy(_ source: SQLiteHandle, to path: String) throws {
    let target = try SQLiteHandle(
      name: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, wait: .zero)
    defer { target.close() }
    // A copy that is not finished is removed; the caller syncs one that is.
    try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    guard let backup = sqlite3_backup_init(target.database, "main", source.database, "main") else {
      throw target.error(sqlite3_errcode(target.database))
    }
    var result: Int32
    var attempt = 0
    var wait = source.wait
    repeat {
      result = sqlite3_backup_step(backup, -1)
      guard [SQLITE_BUSY, SQLITE_LOCKED].contains(result & 0xff) else { break }
      attempt += 1
    } while wait.again(attempt: attempt - 1)
    let finished = sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE else { throw target.error(result) }
    try target.check(finished)
  }
}

// MARK: - Restoring

extension SQLiteFile {
  /// Replaces the file at a path by a copy of another.
  ///
  /// - Parameter beforeReplacing: called once no other connection can open the file and the copy is complete.
  /// - Throws: `busy` if the file is open elsewhere; `notADatabase`, `corrupt`, `schemaTooNew` if the other
  ///   is no sound file; `full`, `inputOutput`, `cannotOpen`.
  static func restore(
    _ path: String, from backup: String, _ beforeReplacing: () throws -> Void
  ) throws {
    var options = StoreOptions()
    options.isReadOnly = true
    let settings = SQLiteSettings(options)
    let source = try SQLiteFile(path: backup, options: options, settings: settings)
    let path = try resolve(path)
    let folder = parent(of: path)
    try makeFolders(folder)
    let lock = try lockFolder(folder, wait: settings.wait)
    defer { close(lock) }
    try checkReplaceable(path)
    let draft = path + ".restore"
    try FileSystem.remove(draft)
    do {
      try source.copySettled(to: draft)
      try FileSystem.sync(draft)
      // The copy is checked: the other file may have been written meanwhile.
      options.verification = .always
      _ = try SQLiteFile(path: draft, options: options, settings: settings)
      try replace(path, by: draft, beforeReplacing)
    } catch {
      try? FileSystem.remove(draft)
      throw error
    }
    try sync(lock, folder)
  }

  /// Copies the file without making others beside it, unless there is a log.
  private func copySettled(to draft: String) throws {
    for suffix in ["-wal", "-journal"] where try Self.size(of: path + suffix) ?? 0 > 0 {
      return try copy(to: draft)
    }
    let source = try SQLiteHandle(
      name: Self.immutableName(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, wait: .zero)
    defer { source.close() }
    try Self.copy(source, to: draft)
    FileSystem.copyPermissions(of: path, to: draft)
  }

  /// Throws `notADatabase` for a file of another kind, which is not replaced.
  private static func checkReplaceable(_ path: String) throws {
    guard let size = try size(of: path), size > 0 else { return }
    do {
      let (header, size) = try readHeader(path)
      try SQLiteHeader(header).check(fileSize: size, isSettled: false)
    } catch let error as StoreError where error.code == .corrupt {
      // A damaged store is replaced.
    }
  }

  private static func replace(
    _ path: String, by draft: String, _ beforeReplacing: () throws -> Void
  ) throws {
    let lock = try size(of: path) == nil ? nil : lockedAlone(path)
    defer { lock?.close() }
    try beforeReplacing()
    // The log is in the file by now. Left beside the copy, it would count as the log of the copy.
    for suffix in ["-wal", "-shm", "-journal"] { try FileSystem.remove(path + suffix) }
    try FileSystem.rename(draft, to: path)
  }

  /// Locks a file that is not open elsewhere, moves its log into it, and returns the handle that holds the
  /// lock.
  private static func lockedAlone(_ path: String) throws -> SQLiteHandle {
    do {
      do {
        let handle = try SQLiteHandle(name: path, flags: SQLITE_OPEN_READWRITE, wait: .zero)
        // Closing it must neither move nor remove a log: by then, it is that of the copy.
        try handle.check(
          strata_sqlite3_switch(handle.database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1))
        try handle.execute(
          "PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        try handle.check(
          sqlite3_wal_checkpoint_v2(
            handle.database, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
        return handle
      } catch let error as StoreError where [.corrupt, .notADatabase].contains(error.code) {
        return try lockedDamaged(path)
      }
    } catch let error as StoreError where error.code == .busy {
      throw StoreError(
        .busy, "\(path) is open; close it in every program before it is replaced",
        engineCode: error.engineCode)
    }
  }

  /// Locks a damaged file, which the library does not read, by the locks that it takes for every file.
  private static func lockedDamaged(_ path: String) throws -> SQLiteHandle {
    let handle = try SQLiteHandle(name: path, flags: SQLITE_OPEN_READWRITE, wait: .zero)
    guard let file = try filePointer(of: handle), let lock = file.pointee.pMethods?.pointee.xLock
    else { throw StoreError(.cannotOpen, "\(path): the file cannot be locked") }
    try handle.check(lock(file, SQLITE_LOCK_SHARED))
    try handle.check(lock(file, SQLITE_LOCK_EXCLUSIVE))
    return handle
  }
}
