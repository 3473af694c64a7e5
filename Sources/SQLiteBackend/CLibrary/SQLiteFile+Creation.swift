internal import CSQLite
internal import ORMPlatform
internal import ORMStorage

/// Atomic creation: an incomplete file never has the name, even if processes are killed or several create it
/// at the same time.
extension SQLiteFile {
  /// Makes the file and missing folders; returns also when another process made it meanwhile.
  static func create(at path: String, wait: Duration) throws {
    let folder = parent(of: path)
    try makeFolders(folder)
    let lock = try lockFolder(folder, wait: wait)
    defer { close(lock) }
    if try size(of: path) != nil { return }
    try checkNoLog(of: path)
    let draft = "\(path).new-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    do {
      try write(firstPage(), to: draft)
      try name(draft, path)
    } catch {
      unlink(draft)
      throw error
    }
    try sync(lock, folder)
  }

  /// Throws `corrupt` when there is a log to a file that is missing or empty: a new file would be
  /// filled from it.
  static func checkNoLog(of path: String) throws {
    for suffix in ["-wal", "-journal"] where try Self.size(of: path + suffix) ?? 0 > 0 {
      throw StoreError(
        .corrupt,
        "\(path)\(suffix) exists, but the database file beside it is missing or empty; restore "
          + "both, or remove it")
    }
  }

  /// The one page of an empty store, as the library makes it.
  private static func firstPage() throws -> [UInt8] {
    let handle = try SQLiteHandle(
      name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, wait: .zero)
    try handle.check(
      sqlite3_exec(
        handle.database,
        """
        PRAGMA page_size = 4096;
        PRAGMA encoding = 'UTF-8';
        PRAGMA auto_vacuum = NONE;
        PRAGMA application_id = \(SQLiteHeader.applicationID);
        PRAGMA user_version = \(SQLiteHeader.formatVersion);
        """, nil, nil, nil))
    var size: sqlite3_int64 = 0
    guard let copy = sqlite3_serialize(handle.database, "main", &size, 0) else {
      throw StoreError(.engine, "SQLite created no file")
    }
    defer { sqlite3_free(copy) }
    var bytes = Array(UnsafeBufferPointer(start: copy, count: Int(size)))
    // In memory there is no log to ask for; 2 in both fields says that the file has one.
    if bytes.count > 19 {
      bytes[18] = 2
      bytes[19] = 2
    }
    return bytes
  }

  /// Locks a folder against others that make a file in it.
  ///
  /// The owner of the lock has little to do.
  static func lockFolder(_ folder: String, wait: Duration) throws -> Int32 {
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if lock < 0 { throw systemError(folder) }
    var wait = SQLiteWait(limit: wait)
    var attempt = 0
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      let error = systemError(folder)
      let isHeld = number == EWOULDBLOCK
      if number == EINTR || (isHeld && wait.again(attempt: attempt)) {
        attempt += 1
        continue
      }
      close(lock)
      throw isHeld ? StoreError(.busy, "\(folder): another process has locked the folder") : error
    }
    return lock
  }

  private static func write(_ bytes: [UInt8], to draft: String) throws {
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    if file < 0 { throw systemError(draft) }
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        ORMPlatform.write(file, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { throw systemError(draft) }
      done += count
    }
    try sync(file, draft)
  }

  /// Gives the draft its name, only if the name is free.
  private static func name(_ draft: String, _ path: String) throws {
    if link(draft, path) == 0 || errno == EEXIST {
      unlink(draft)
      return
    }
    // A volume without links; the folder's lock keeps other stores away.
    if ![EPERM, ENOTSUP, EOPNOTSUPP, EMLINK].contains(errno) { throw systemError(path) }
    if rename(draft, path) != 0 { throw systemError(path) }
  }
}
