internal import CLMDB
internal import ORMPlatform
package import ORMStorage

extension StoreError {
  /// The operation under way when LMDB or the system refused: one code means different faults.
  package enum LMDBPhase {
    /// Finding, making or opening the file.
    case opening
    /// Reading or writing an open file.
    case using
  }

  /// Makes the error of a return code of LMDB or of an `errno`.
  ///
  /// - Parameters:
  ///   - code: the library's result, stored as `engineCode`.
  ///   - doing: the action that failed, to follow "could not".
  ///   - path: the data file; asked whether its disk is full, as LMDB reports a short write as EIO.
  package init(
    lmdb code: Int32, _ doing: String, at path: String, during phase: LMDBPhase = .using
  ) {
    let kind: Code =
      switch phase {
      case .opening: Code(opening: code, path: path)
      case .using: Code(using: code, path: path)
      }
    let reason = mdb_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    self.init(kind, "Could not \(doing) \(path): \(reason).", engineCode: Int(code))
  }

  /// True if another process has grown the file past this process's map.
  package var isLMDBMapResized: Bool { engineCode == Int(MDB_MAP_RESIZED) }
  /// True if every slot of the reader table is taken.
  package var isLMDBReadersFull: Bool { engineCode == Int(MDB_READERS_FULL) }
  /// True if the file has as many keyspaces as it was opened for.
  package var isLMDBKeyspacesFull: Bool { engineCode == Int(MDB_DBS_FULL) }
  /// The error of a file that needs more keyspaces than it was opened for.
  static var keyspacesRunOut: StoreError {
    StoreError(
      .full, "the file needs more keyspaces than it was opened for", engineCode: Int(MDB_DBS_FULL))
  }
  /// True if the system had no memory, or no address space, left; under emulators, which reserve
  /// less, a map that is too large is an invalid argument.
  package var isOutOfMemory: Bool { engineCode == Int(ENOMEM) || engineCode == Int(EINVAL) }
}

extension StoreError.Code {
  fileprivate init(opening code: Int32, path: String) {
    switch code {
    case ENOENT, EACCES, EPERM, EROFS, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EMFILE, ENFILE,
      EINVAL, ENODEV, ENXIO, EBUSY, ETXTBSY, ENOMEM, EEXIST:
      self = .cannotOpen
    default: self.init(using: code, path: path)
    }
  }

  fileprivate init(using code: Int32, path: String) {
    switch code {
    case MDB_KEYEXIST: self = .duplicate
    case MDB_NOTFOUND: self = .notFound
    // A page that is missing, of the wrong kind, or a tree deeper than a cursor can go.
    case MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_CURSOR_FULL: self = .corrupt
    case MDB_VERSION_MISMATCH: self = .unsupportedVersion
    case MDB_INVALID, MDB_INCOMPATIBLE: self = .notADatabase
    case MDB_MAP_FULL, MDB_DBS_FULL, MDB_TXN_FULL: self = .full
    case MDB_READERS_FULL, MDB_MAP_RESIZED: self = .busy
    case MDB_BAD_VALSIZE: self = .tooLarge
    // The library gave up on the file after a failed write of a meta page; reopening helps.
    case MDB_PANIC: self = .inputOutput
    case ENOSPC, EDQUOT, EFBIG: self = .full
    case EIO: self = LMDBDisk.isFull(at: path) ? .full : .inputOutput
    case EACCES, EPERM, EROFS: self = .readOnly
    default: self = .engine
    }
  }
}

/// The check for a full disk beneath a file.
enum LMDBDisk {
  /// Less than this is taken for full: LMDB's writes are of 64 pages, so that the rest of a short one is
  /// below 256 KiB with pages of 4 KiB.
  private static let slack: UInt64 = 1 << 20
  #if canImport(Glibc)
    private static let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let fileSizeLimit = RLIMIT_FSIZE
  #endif

  /// Returns whether the disk, or the size this process may give a file, is used up.
  static func isFull(at path: String) -> Bool {
    var disk = statvfs()
    if statvfs(path, &disk) == 0, UInt64(disk.f_bavail) * UInt64(disk.f_frsize) < slack {
      return true
    }
    var limit = rlimit()
    var file = stat()
    guard getrlimit(fileSizeLimit, &limit) == 0, stat(path, &file) == 0, file.st_size >= 0 else {
      return false
    }
    return UInt64(file.st_size) + slack > UInt64(limit.rlim_cur)
  }
}
