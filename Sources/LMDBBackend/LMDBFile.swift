internal import ORMPlatform
internal import ORMStorage
internal import Synchronization

/// A data file that this process has open, with the work that the library does not do for it.
///
/// It is created so that a kill at any time leaves no incomplete file.
///
/// It is opened once in a process, checked before it is trusted, and locked for writing with a
/// limit.
package final class LMDBFile: Sendable {
  /// The suffix added to the path for the file that records how the data file was closed.
  static let lockFileSuffix = "-guard"
  /// The suffix that the library adds to the path for its lock file.
  static let lockSuffix = "-lock"
  /// The suffix added to the path while a new file is made.
  static let creationSuffix = "-new"

  let location: LMDBPath
  let options: LMDBMap.Options
  /// Nil where nothing can be written beside a file that is only read.
  let lockFile: LMDBLockFile?
  private let isNotedAsWritten = Lock(false)
  private let checks = Atomic(0)
  /// The state of the file as this process last left it.
  let known = Lock(Known())

  /// True if the structure of the file was checked when it was opened.
  var wasChecked: Bool { checks.load(ordering: .relaxed) > 0 }

  package var path: String { location.text }

  /// Opens or makes the file, checks it, and keeps others from opening or closing it until
  /// ``finishOpening()``.
  init(path: String, options: LMDBMap.Options) throws {
    self.options = options
    location = try LMDBPath(path, makesFolders: !options.isReadOnly)
    let stamp = try location.stamp()
    try LMDBFileRegistry.enter(location.text, stamp?.identity)
    do {
      // Before anything is written beside a file that may not be ours.
      if stamp != nil { try Self.checkIdentity(location) }
      if stamp == nil && options.isReadOnly { throw Self.missing(location) }
      lockFile = try Self.makeLockFile(location, options)
    } catch {
      LMDBFileRegistry.leave(location.text)
      throw error
    }
    do {
      try LMDBLibrary.check()
      try open()
    } catch {
      lockFile?.close()
      LMDBFileRegistry.leave(location.text)
      throw error
    }
  }

  private static func missing(_ location: LMDBPath) -> StoreError {
    StoreError(lmdb: ENOENT, "open", at: location.text, during: .opening)
  }

  private static func makeLockFile(
    _ location: LMDBPath, _ options: LMDBMap.Options
  ) throws -> LMDBLockFile? {
    do {
      return try LMDBLockFile(path: location.text + lockFileSuffix)
    } catch let error as StoreError where options.isReadOnly {
      // If no file can be made here, no process can write, or the writers do not know our locks.
      if error.engineCode == Int(EROFS) || error.engineCode == Int(EACCES) { return nil }
      throw error
    }
  }

  private func open() throws {
    try lockFile?.lock(.opening, .exclusive, wait: options.wait)
    try location.refuseLink(with: Self.lockSuffix)
    let isAlone = try lockFile?.tryLock(.presence, .exclusive) ?? true
    if try location.stamp() == nil {
      if options.isReadOnly { throw Self.missing(location) }
      if !isAlone {
        throw StoreError(
          .cannotOpen, "\(path) was deleted, and another process still has it open.")
      }
      try create()
    } else if isAlone && !options.isReadOnly {
      try removeUnfinished()
    }
    guard let stamp = try location.stamp() else { throw Self.missing(location) }
    try LMDBFileRegistry.identify(path, stamp.identity)
    let note = lockFile?.readNote()
    let isTrusted = try check(note, stamp, isAlone: isAlone)
    try noteOpened(try repairMetas(isAlone: isAlone))
    let openings = isAlone ? 1 : (note?.openings ?? 0) + 1
    // A file that was found sound, such as a copy, is noted as clean when it is closed, written or not.
    let isFound = isAlone && isTrusted && note?.isClean(stamp) != true
    try? lockFile?.write(
      LMDBCloseNote(
        openings: openings, isTrusted: isTrusted, stamp: isFound ? nil : note?.stamp))
    guard try lockFile?.tryLock(.presence, .shared) ?? true else {
      throw StoreError(.busy, "Another process has \(path) locked.")
    }
  }

  /// Checks the file as far as the options ask for.
  ///
  /// Says whether it is known to be sound.
  private func check(
    _ note: LMDBCloseNote?, _ stamp: LMDBPath.Stamp, isAlone: Bool
  ) throws -> Bool {
    let isClean = note?.isClean(stamp) ?? false
    let needsCheck =
      switch options.verification {
      case .always: true
      // The first process that opened it has checked it for the others.
      case .afterUncleanClose: isAlone && !isClean
      case .never: false
      }
    if needsCheck {
      if !isAlone { try lockFile?.lockWriting(wait: options.wait) }
      defer { if !isAlone { lockFile?.unlock(.writing) } }
      try checkAllPages()
      return true
    }
    let isComplete = try Self.checkHeader(location)
    // Reading past the end through the map would be a signal. The pages there may all be free.
    if !isComplete && !isClean && isAlone { try checkAllPages() }
    return isAlone ? isClean : note?.isTrusted ?? false
  }

  private func checkAllPages() throws {
    try Self.checkPages(location)
    checks.add(1, ordering: .relaxed)
  }

  /// Writes a damaged meta page anew, unless others may use the file, and returns the number of the
  /// newest commit.
  private func repairMetas(isAlone: Bool) throws -> UInt64 {
    let metas = try LMDBMetas.read(LMDBPlainFile(location))
    if metas.needsRepair {
      if isAlone && !options.isReadOnly {
        try metas.repair(location)
      } else if !metas.isUsable {
        throw StoreError(
          .corrupt,
          "\(path) has a damaged meta page. Open it for writing while no other process has it "
            + "open: that repairs it.")
      }
    }
    return metas.newest.transaction
  }

  /// Lets others open the file.
  func finishOpening() { lockFile?.unlock(.opening) }

  // MARK: Writing

  /// Keeps writers of other processes out, and checks the file as far as the library may not be
  /// trusted with it; `busy` when a writer is in for longer than `wait` seconds.
  func beginWriting(wait: Double) throws {
    try noteWriting(wait: wait)
    try lockFile?.lockWriting(wait: wait)
    do {
      try checkBeforeWriting()
    } catch {
      endWriting()
      throw error
    }
  }

  func endWriting() { lockFile?.unlock(.writing) }

  /// Before the first batch the note on the disk becomes unclean.
  private func noteWriting(wait: Double) throws {
    try isNotedAsWritten.withLock { isNoted in
      if isNoted { return }
      guard let lockFile else { return }
      try lockFile.lock(.opening, .exclusive, wait: wait)
      defer { lockFile.unlock(.opening) }
      var note = lockFile.readNote() ?? LMDBCloseNote(openings: 1, isTrusted: false, stamp: nil)
      note.stamp = nil
      try lockFile.write(note, isDurable: true)
      isNoted = true
    }
  }

  // MARK: Closing

  /// Releases the file, after the library has closed it.
  ///
  /// The last process to do so notes the file as clean, unless another was killed meanwhile or
  /// `isClean` is false.
  func close(isClean: Bool) {
    if let lockFile {
      // A process that cannot get the lock leaves the note unclean, which is safe.
      if (try? lockFile.lock(.opening, .exclusive, wait: options.wait)) != nil {
        try? leave(lockFile, isClean: isClean)
      }
      lockFile.close()
    }
    LMDBFileRegistry.leave(path)
  }

  private func leave(_ lockFile: LMDBLockFile, isClean: Bool) throws {
    guard var note = lockFile.readNote() else { return }
    note.openings -= min(note.openings, 1)
    let isLast = try lockFile.tryLock(.presence, .exclusive)
    if isLast && isClean && note.openings == 0 && note.isTrusted && note.stamp == nil,
      let stamp = try location.settledStamp(), try isKnown(stamp)
    {
      note.stamp = stamp
    }
    try lockFile.write(note)
  }
}
