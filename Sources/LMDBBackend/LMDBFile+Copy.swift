internal import ORMStorage

/// Copies of the data file.
///
/// While the write transaction is held, no other changes the file, and it changes no page itself that the two
/// meta pages lead to. So the bytes of the file are those of the newest commit.
extension LMDBFile: StoreFile {
  package func size() throws -> Int { try FileSystem.size(of: path) ?? 0 }

  package func copy(to path: String) throws { try FileSystem.copy(self.path, to: path) }

  /// Replaces the file at a path by a copy of another.
  ///
  /// - Parameter beforeReplacing: called once no other connection can open the file and the copy is complete.
  /// - Throws: `busy` if a process has the file open; `notADatabase`, `corrupt`, `unsupportedVersion` if
  ///   the other is no sound file; `full`, `inputOutput`, `cannotOpen`.
  static func restore(
    _ path: String, from backup: String, _ beforeReplacing: () throws -> Void
  ) throws {
    let source = try LMDBPath(backup, makesFolders: false)
    guard try source.stamp() != nil else {
      throw StoreError(.cannotOpen, "\(backup): there is no such file")
    }
    try checkIdentity(source)
    let location = try LMDBPath(path, makesFolders: true)
    if try location.stamp()?.size ?? 0 > 0 {
      // A damaged store is replaced, and a file of another kind is not.
      do { try checkIdentity(location) } catch let error as StoreError where error.code == .corrupt
      {}
    }
    do {
      try LMDBFileRegistry.enter(location.text, try location.stamp()?.identity)
    } catch let error as StoreError where error.code == .alreadyOpen { throw inUse(location) }
    defer { LMDBFileRegistry.leave(location.text) }
    let lock = try LMDBLockFile(path: location.text + lockFileSuffix)
    defer { lock.close() }
    guard try lock.tryLock(.opening, .exclusive), try lock.tryLock(.presence, .exclusive) else {
      throw inUse(location)
    }
    try replace(location, by: source, lock, beforeReplacing)
  }

  /// Replaces a file that this process alone can open.
  private static func replace(
    _ location: LMDBPath, by source: LMDBPath, _ lock: LMDBLockFile,
    _ beforeReplacing: () throws -> Void
  ) throws {
    let draft = location.text + ".restore"
    try FileSystem.remove(draft)
    do {
      try FileSystem.copy(source.text, to: draft)
      // The copy is checked: the other file may have been written meanwhile.
      try checkPages(try LMDBPath(draft, makesFolders: false))
      try beforeReplacing()
      try lock.write(LMDBCloseNote(openings: 0, isTrusted: false, stamp: nil), isDurable: true)
      // The library makes its lock file anew.
      try FileSystem.remove(location.text + lockSuffix)
      try FileSystem.rename(draft, to: location.text)
    } catch {
      try? FileSystem.remove(draft)
      throw error
    }
    try location.synchronizeFolder()
  }

  private static func inUse(_ location: LMDBPath) -> StoreError {
    StoreError(
      .busy, "\(location.text) is open; close it in every program before it is replaced")
  }
}
