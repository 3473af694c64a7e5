internal import ORMPlatform
internal import ORMStorage

/// Changes of an open file without the library: it is removed, replaced, or written to by a
/// program that knows nothing of it.
///
/// Before each batch the file is looked at by its path. If it is not the one that is open, the
/// commit would be lost. If it was written since this process last wrote, and not by a commit, the
/// library must not be trusted with it: a damaged page would end the process. Then every page is
/// checked first, which takes some 0.3 ms a megabyte and happens only in this case.
extension LMDBFile {
  /// The state of the file that this process knows since it opened it or wrote to it.
  struct Known {
    /// The data file.
    var stamp: LMDBPath.Stamp?
    /// The newest commit.
    var commit: UInt64 = 0
    /// True if every page was checked before a write.
    var isChecked = false
    /// The files beside it, whose locks keep other processes out.
    var locks: [(path: String, identity: LMDBPath.Identity)] = []
  }

  /// Notes the identity of the file, after it was checked and before the library opens it.
  func noteOpened(_ commit: UInt64) throws {
    let stamp = try location.stamp()
    known.withLock { ($0.stamp, $0.commit) = (stamp, commit) }
  }

  /// Notes the identities of the lock files, after the library has opened its own.
  func noteLocks() throws {
    // A file that cannot be written may be open without locks.
    guard let lockFile, !options.isReadOnly else { return }
    var locks: [(path: String, identity: LMDBPath.Identity)] = []
    for path in [lockFile.path, self.path + Self.lockSuffix] {
      guard let identity = LMDBPath.identity(of: path) else { throw replaced(path) }
      locks.append((path, identity))
    }
    known.withLock { $0.locks = locks }
  }

  /// Checks that the file is the one that is open, and its pages where they may be damaged.
  ///
  /// Under the lock for writing.
  func checkBeforeWriting() throws {
    let last = known.withLock { $0 }
    for lock in last.locks where LMDBPath.identity(of: lock.path) != lock.identity {
      throw replaced(lock.path)
    }
    guard let now = LMDBPath.stampIfPresent(path), now.identity == last.stamp?.identity else {
      throw replaced(path)
    }
    if options.verification == .never { return }
    var isSuspect = !wasChecked && !last.isChecked && now.size <= UInt64(options.checkedSize)
    if now.content != last.stamp?.content {
      let newest = try LMDBMetas.read(LMDBPlainFile(location)).newest.transaction
      guard newest >= last.commit else {
        throw StoreError(.corrupt, "\(path) is damaged: its newest meta page was changed.")
      }
      // Unless another process has committed, a program has written that is not one of ours.
      if newest == last.commit { isSuspect = true }
      known.withLock { $0.commit = newest }
    }
    if isSuspect { try Self.checkPages(location) }
    known.withLock { known in
      known.stamp = now
      if isSuspect { known.isChecked = true }
    }
  }

  /// Notes the state of the file after a batch that committed or ended without a commit.
  ///
  /// Throws `fileReplaced` when the file was removed or replaced meanwhile. Otherwise it gets a time of its
  /// own: the system's are those of a tick some milliseconds long, in which others could write unseen.
  func noteWritten(_ environment: LMDBEnvironment) throws {
    let last = known.withLock { $0.stamp }
    guard let now = LMDBPath.stampIfPresent(path), now.identity == last?.identity else {
      throw replaced(path)
    }
    if now.content == last?.content { return }
    let stamp = environment.renewTime() ?? now
    let commit = environment.information.lastTransaction
    known.withLock { ($0.stamp, $0.commit) = (stamp, commit) }
  }

  /// Returns whether a stamp is that of the file that is open, as this process last left or checked it or
  /// as commits of other processes have left it since.
  ///
  /// Of a process that only reads, nothing else notices that a program that knows nothing of the file has
  /// changed it.
  func isKnown(_ stamp: LMDBPath.Stamp) throws -> Bool {
    let last = known.withLock { $0 }
    guard stamp.identity == last.stamp?.identity else { return false }
    if stamp.content == last.stamp?.content { return true }
    return try LMDBMetas.read(LMDBPlainFile(location)).newest.transaction > last.commit
  }

  private func replaced(_ path: String) -> StoreError {
    StoreError(
      .fileReplaced,
      "\(path) was removed, moved or replaced while the store \(self.path) was open. Close the "
        + "store in every process and open it again.")
  }
}

extension LMDBEnvironment {
  /// Sets the time of the file's last change to now, to the nanosecond, and returns its stamp.
  ///
  /// Nil where the process may not, since the file belongs to another user.
  fileprivate func renewTime() -> LMDBPath.Stamp? {
    var (now, file) = (timespec(), stat())
    guard let descriptor, fstat(descriptor, &file) == 0 else { return nil }
    clock_gettime(CLOCK_REALTIME, &now)
    #if canImport(Darwin)
      let accessed = file.st_atimespec
    #else
      let accessed = file.st_atim
    #endif
    guard futimens(descriptor, [accessed, now]) == 0, fstat(descriptor, &file) == 0 else {
      return nil
    }
    return LMDBPath.Stamp(file)
  }
}

extension LMDBPath {
  /// Returns the stamp of the file at a path; nil when there is none.
  fileprivate static func stampIfPresent(_ path: String) -> Stamp? {
    var file = stat()
    return stat(path, &file) == 0 ? Stamp(file) : nil
  }

  fileprivate static func identity(of path: String) -> Identity? {
    stampIfPresent(path)?.identity
  }
}

extension LMDBPath.Stamp {
  /// The part of a stamp that changes with the content.
  fileprivate var content: [Int64] { [Int64(size)] + modified }
}
