internal import CLMDB
internal import ORMPlatform
internal import ORMStorage
internal import Synchronization

/// Owns an `MDB_env`: open from `init` to ``close()``, which is called once, after every
/// transaction of it has ended.
///
/// Never opened with `MDB_WRITEMAP`, which ends in a signal when the disk is full, and always with
/// `MDB_NOTLS`, so that a read transaction may move between threads.
// The library locks for itself; mapping and closing are under the lock of `LMDBMap`.
final class LMDBEnvironment: @unchecked Sendable {
  /// The settings with which an environment is opened.
  struct Settings: Sendable {
    var isReadOnly = false
    var durability: StoreOptions.Durability = .full
    /// False only for a file that no other process can know of yet.
    var usesLocks = true
    var readsAhead = true
    /// The address space to reserve, in bytes, which limits the size of the file.
    ///
    /// Where the system refuses, half of it is tried, and so on.
    var mapSize = 1 << 40
    var maximumReaders = 1024
    var maximumKeyspaces = 4096
  }

  /// The least worth reserving: below it the system has too little for anything.
  private static let leastMapSize = 1 << 20

  let pointer: OpaquePointer
  let path: String
  let settings: Settings
  private let ranOut = Atomic(false)
  private let mapCount = Atomic(1)
  /// The address of the map and its number; nil until a reader has found it.
  private let knownMapping = Lock<(map: Int, mapping: LMDBMapping)?>(nil)

  /// Opens the file.
  ///
  /// The folder exists; the file too, unless the environment may be written.
  init(path: String, settings: Settings) throws {
    var mapSize = max(settings.mapSize, Self.leastMapSize)
    while true {
      do {
        pointer = try Self.opened(path: path, settings: settings, mapSize: mapSize)
        break
      } catch let error as StoreError where error.isOutOfMemory && mapSize > Self.leastMapSize {
        mapSize /= 2
      }
    }
    self.path = path
    self.settings = settings
    closeOnExecute()
  }

  private static func opened(
    path: String, settings: Settings, mapSize: Int
  ) throws -> OpaquePointer {
    var created: OpaquePointer?
    var code = mdb_env_create(&created)
    guard code == MDB_SUCCESS, let environment = created else {
      throw StoreError(lmdb: code, "open", at: path, during: .opening)
    }
    code = mdb_env_set_mapsize(environment, mapSize)
    if code == 0 { code = mdb_env_set_maxreaders(environment, UInt32(settings.maximumReaders)) }
    if code == 0 { code = mdb_env_set_maxdbs(environment, UInt32(settings.maximumKeyspaces)) }
    if code == 0 { code = mdb_env_open(environment, path, settings.flags, 0o644) }
    guard code == 0 else {
      mdb_env_close(environment)
      throw StoreError(lmdb: code, "open", at: path, during: .opening)
    }
    return environment
  }

  /// The library's descriptor of the data file.
  var descriptor: Int32? {
    var descriptor: Int32 = -1
    return mdb_env_get_fd(pointer, &descriptor) == 0 ? descriptor : nil
  }

  /// The library leaves the data file open across an execution of another program.
  private func closeOnExecute() {
    guard let descriptor else { return }
    let flags = fcntl(descriptor, F_GETFD)
    if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
  }

  /// Throws the error of a return code, unless it is success.
  @inline(__always)
  func check(_ code: Int32, _ doing: StaticString) throws {
    if code != MDB_SUCCESS { throw error(code, doing) }
  }

  /// The error of a return code.
  @inline(never)
  func error(_ code: Int32, _ doing: StaticString) -> StoreError {
    if code == MDB_MAP_FULL { ranOut.store(true, ordering: .relaxed) }
    return StoreError(lmdb: code, "\(doing)", at: path)
  }

  /// The longest key, in bytes.
  var maximumKeyLength: Int { Int(mdb_env_get_maxkeysize(pointer)) }

  /// Writes the file's data in the system's cache to the disk.
  func synchronize() throws { try check(mdb_env_sync(pointer, 1), "sync") }

  /// Frees the reader slots of processes that were killed, and with them the pages they pinned.
  @discardableResult func freeDeadReaders() throws -> Int {
    var dead: Int32 = 0
    try check(mdb_reader_check(pointer, &dead), "check the reader table of")
    return Int(dead)
  }

  /// Maps `size` bytes, or with 0 the size to which another process has grown the file.
  ///
  /// No transaction may be open: the library does not check, and readers would be left without their map.
  func setMapSize(_ size: Int) throws {
    mapCount.add(1, ordering: .relaxed)
    try check(mdb_env_set_mapsize(pointer, size), "grow")
    ranOut.store(false, ordering: .relaxed)
  }

  /// Another number for each map: the file may be mapped elsewhere than before.
  var mapNumber: Int { mapCount.load(ordering: .relaxed) }

  /// The address of the map of this number, if a reader has found it.
  func mapping(of map: Int) -> LMDBMapping? {
    knownMapping.withLock { $0?.map == map ? $0?.mapping : nil }
  }

  /// Records the address of a map for other readers.
  func keep(_ found: LMDBMapping, of map: Int) {
    knownMapping.withLock { $0 = (map, found) }
  }

  /// True if a write found the map full since it was last enlarged.
  var hasRunOut: Bool { ranOut.load(ordering: .relaxed) }

  /// Returns whether the system has so much address space for us.
  ///
  /// Asked before the map is replaced by a larger one: the library cannot go back.
  static func canReserve(_ size: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let map = mmap(nil, size, PROT_NONE, flags, -1, 0)
    guard map != MAP_FAILED, let map else { return false }
    munmap(map, size)
    return true
  }

  /// The number of the newest commit whose record is written, perhaps before it is announced to readers.
  @inline(__always)
  var newestCommit: UInt64 {
    var info = MDB_envinfo()
    _ = mdb_env_info(pointer, &info)
    // In a damaged file, any number.
    return UInt64(UInt(bitPattern: info.me_last_txnid))
  }

  /// Numbers of the environment; cheap.
  var information: (mapSize: Int, lastPage: Int, lastTransaction: UInt64, readerSlots: Int) {
    var info = MDB_envinfo()
    _ = mdb_env_info(pointer, &info)
    return (
      info.me_mapsize, info.me_last_pgno, UInt64(UInt(bitPattern: info.me_last_txnid)),
      Int(info.me_numreaders)
    )
  }

  /// Returns the number of keyspaces the file has.
  func keyspaceCount() throws -> Int {
    let reader = try LMDBTransaction(reading: self)
    defer { reader.close() }
    return try reader.keyspaceCount()
  }

  /// Bytes in a page of the file.
  var pageSize: Int {
    var stat = MDB_stat()
    _ = mdb_env_stat(pointer, &stat)
    return Int(stat.ms_psize)
  }

  /// True if a commit returns before the file is synced, or before its last page is.
  var isCommitSynced: Bool {
    var flags: UInt32 = 0
    guard mdb_env_get_flags(pointer, &flags) == 0 else { return false }
    return flags & UInt32(MDB_NOSYNC | MDB_NOMETASYNC | MDB_WRITEMAP | MDB_MAPASYNC) == 0
  }

  /// Closes the file.
  func close() { mdb_env_close(pointer) }
}

extension LMDBEnvironment.Settings {
  fileprivate var flags: UInt32 {
    var flags = MDB_NOSUBDIR | MDB_NOTLS
    if isReadOnly { flags |= MDB_RDONLY }
    if !usesLocks { flags |= MDB_NOLOCK }
    if !readsAhead { flags |= MDB_NORDAHEAD }
    switch durability {
    case .full: break
    // Without any sync (MDB_NOSYNC) a power cut may damage the file, and no setting may lose
    // consistency: off is as normal here.
    case .normal, .off: flags |= MDB_NOMETASYNC
    }
    return UInt32(flags)
  }
}
