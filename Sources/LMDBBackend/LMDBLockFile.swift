internal import ORMPlatform
internal import ORMStorage

/// Owns the descriptor of the file `-guard` beside the data file: locks between processes, and the
/// note that says whether the data file was closed cleanly.
///
/// The locks are record locks of POSIX. The system releases them when the process dies, and a
/// fork does not inherit them; but all of a process are gone when it closes any descriptor of the
/// file, which is why ``LMDBFileRegistry`` is asked before one is opened.
// Used by one thread at a time: opening and closing, and the one batch between them.
final class LMDBLockFile: @unchecked Sendable {
  /// The locks, each on the byte of the file at its raw value.
  enum Region: Int {
    /// The lock of the writer.
    ///
    /// The library has a lock of its own, which cannot be waited for with a limit.
    case writing = 0
    /// The lock for opening or closing the file.
    case opening = 1
    /// The lock of an open file, shared by all processes that have it open.
    case presence = 2
    /// The lock of the next writer.
    ///
    /// Without it, a writer that returns at once would always come before one that checks from time
    /// to time.
    case turn = 3
  }

  enum Strength {
    case shared, exclusive

    fileprivate var kind: Int16 { Int16(self == .shared ? F_RDLCK : F_WRLCK) }
  }

  private let descriptor: Int32
  let path: String

  /// Opens the file, and makes it where it is missing.
  init(path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    if descriptor < 0 { throw StoreError(lmdb: errno, "open", at: path, during: .opening) }
  }

  /// Locks unless another process has the region locked: then false.
  func tryLock(_ region: Region, _ strength: Strength) throws -> Bool {
    if set(region, strength.kind) { return true }
    if errno == EAGAIN || errno == EACCES { return false }
    throw StoreError(lmdb: errno, "lock", at: path)
  }

  /// Locks; `busy` when another process has the region locked for `wait` seconds.
  func lock(_ region: Region, _ strength: Strength, wait: Double) throws {
    if try tryLock(region, strength) { return }
    var pause = LMDBPause(seconds: wait)
    try lock(region, strength, &pause)
  }

  private func lock(_ region: Region, _ strength: Strength, _ pause: inout LMDBPause) throws {
    while try !tryLock(region, strength) {
      if !pause.next() { throw StoreError(.busy, "Another process has \(path) locked.") }
    }
  }

  /// Locks for writing, in turn; `busy` when others write for `wait` seconds.
  func lockWriting(wait: Double) throws {
    var pause = LMDBPause(seconds: wait)
    try lock(.turn, .exclusive, &pause)
    defer { unlock(.turn) }
    try lock(.writing, .exclusive, &pause)
  }

  func unlock(_ region: Region) { _ = set(region, Int16(F_UNLCK)) }

  private func set(_ region: Region, _ kind: Int16) -> Bool {
    var lock = flock()
    lock.l_type = kind
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(region.rawValue)
    lock.l_len = 1
    while fcntl(descriptor, F_SETLK, &lock) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  // MARK: The note

  /// Reads the note; nil when there is none, or one that was not written to its end.
  func readNote() -> LMDBCloseNote? {
    var words = [UInt64](repeating: 0, count: LMDBCloseNote.wordCount)
    let size = words.count * 8
    let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, size, 0) }
    return count == size ? LMDBCloseNote(words: words) : nil
  }

  /// Writes the note.
  ///
  /// Only to become unclean must it be durable: a note that stays unclean for want of a sync costs
  /// a check, one that stays clean would save a check that is needed.
  func write(_ note: LMDBCloseNote, isDurable: Bool = false) throws {
    let words = note.words
    let size = words.count * 8
    let count = words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, size, 0) }
    guard count == size else {
      throw StoreError(lmdb: count < 0 ? errno : ENOSPC, "write", at: path)
    }
    guard !isDurable || fsync(descriptor) == 0 else {
      throw StoreError(lmdb: errno, "sync", at: path)
    }
  }

  /// Releases every lock.
  func close() {
    _ = ORMPlatform.close(descriptor)
  }
}
