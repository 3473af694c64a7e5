internal import FoundationEssentials
internal import ORMStorage
internal import ORMPlatform

/// The folder beside a store's file in which contents lie that its rows refer to.
///
/// - `ab/cdef…`: a content, by the 64 hex digits of its SHA-256. A file is whole as soon as it has
///   this name, and never changed.
/// - `new/…`: the files of write transactions that run: a mark for each, and contents that do not have
///   their names yet. A writer that finds files of others here knows that another process was killed.
/// - `lock`: see ``ExternalLock``.
struct ExternalFolder: Sendable {
  /// The path of the folder.
  let path: String
  /// True if files are synced before the engine's commit.
  let syncs: Bool
  /// The folders whose names this process knows to survive a power cut.
  private let durable = DurableNames()

  /// The folder of a store that lies in this file.
  init(besides file: String, syncs: Bool) {
    path = file + ExternalContents.folderSuffix
    self.syncs = syncs
  }

  private var newFolder: String { path + "/new" }

  private func folder(of digest: SHA256) -> String { "\(path)/\(digest.text.prefix(2))" }

  private func file(of digest: SHA256) -> String {
    let name = digest.text
    return "\(path)/\(name.prefix(2))/\(name.dropFirst(2))"
  }

  // MARK: Reading

  /// A content.
  ///
  /// - Throws: `corrupt` when it is missing, cut off or changed.
  func content(of reference: ExternalReference) throws -> Data {
    guard let content = try Self.read(file(of: reference.digest), reference.length) else {
      throw StoreError(
        .corrupt,
        "the file of its external content is missing", engineCode: Int(ENOENT))
    }
    guard content.withUnsafeBytes({ reference.fits($0) }) else {
      throw StoreError(.corrupt, "the file of its external content is damaged")
    }
    return content
  }

  /// A content that has no name yet.
  func newContent(_ name: String, _ reference: ExternalReference) throws -> Data {
    try Self.read("\(newFolder)/\(name)", reference.length)
      ?? {
        throw StoreError(
          .inputOutput,
          "an external content that this transaction wrote has disappeared from its folder")
      }()
  }

  /// Returns whether a content lies here whole.
  func holds(_ reference: ExternalReference) -> Bool {
    guard let content = try? Self.read(file(of: reference.digest), reference.length) else {
      return false
    }
    return content.withUnsafeBytes { reference.fits($0) }
  }

  /// Returns the bytes of a file if its length is `length`; no bytes for another length, nil if
  /// there is no file.
  private static func read(_ path: String, _ length: Int) throws -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw StoreError(system: errno, "open", path)
    }
    defer { _ = close(descriptor) }
    var file = stat()
    guard fstat(descriptor, &file) == 0 else { throw StoreError(system: errno, "read", path) }
    guard Int(file.st_size) == length, length > 0 else { return Data() }
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 16)
    var count = 0
    while count < length {
      let part = Self.posixRead(descriptor, bytes + count, length - count)
      if part < 0 && errno == EINTR { continue }
      if part <= 0 {
        let code = errno
        bytes.deallocate()
        if part == 0 { return Data() }
        throw StoreError(system: code, "read", path)
      }
      count += part
    }
    return Data(
      bytesNoCopy: bytes, count: length, deallocator: .custom { bytes, _ in bytes.deallocate() })
  }

  private static func posixRead(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int
  ) -> Int {
    // The system reads no more than 2 GiB at once.
    ORMPlatform.read(descriptor, bytes, min(count, 1 << 30))
  }

  // MARK: Writing

  /// Makes the folders where they are missing; when this returns, no power cut takes them away.
  func make() throws {
    try makeFolders([path])
    try makeFolders([newFolder])
  }

  /// Makes folders where they are missing, whose parents are there.
  ///
  /// A folder that is there may have been made by a process that was killed before it synced the
  /// parent, so every process syncs the parent once for each folder.
  private func makeFolders(_ folders: some Sequence<String>) throws {
    var new: [String] = []
    for folder in folders {
      if mkdir(folder, 0o777) == 0 {
        new.append(folder)
      } else if errno != EEXIST {
        throw StoreError(system: errno, "make", folder)
      } else if !durable.contains(folder) {
        new.append(folder)
      }
    }
    guard syncs, !new.isEmpty else { return }
    for parent in Set(new.map(Self.parent(of:))) { try Self.syncFile(parent) }
    durable.insert(new)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes the folders, and marks that a transaction has begun to write.
  func begin(_ mark: String) throws {
    try make()
    try Self.write(UnsafeRawBufferPointer(start: nil, count: 0), to: "\(newFolder)/\(mark)")
    if syncs { try Self.syncFile(newFolder) }
  }

  /// Writes a content under a name of its own, until it is renamed at the commit.
  func write(_ content: UnsafeRawBufferPointer, as name: String) throws {
    try Self.write(content, to: "\(newFolder)/\(name)")
  }

  private static func write(_ content: UnsafeRawBufferPointer, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw StoreError(system: errno, "make", path) }
    defer { _ = close(descriptor) }
    guard let start = content.baseAddress else { return }
    var count = 0
    while count < content.count {
      let part = posixWrite(descriptor, start + count, content.count - count)
      if part < 0 && errno == EINTR { continue }
      guard part > 0 else {
        let code = errno
        unlink(path)
        throw StoreError(system: code, "write", path)
      }
      count += part
    }
  }

  private static func posixWrite(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int
  ) -> Int {
    ORMPlatform.write(descriptor, bytes, min(count, 1 << 30))
  }

  /// Gives contents that are written their names; when this returns, no power cut undoes it.
  func publish(_ contents: [(name: String, digest: SHA256)]) throws {
    let folders = Set(contents.map { folder(of: $0.digest) })
    try makeFolders(folders)
    for (name, digest) in contents {
      if syncs { try Self.syncFile("\(newFolder)/\(name)") }
      guard rename("\(newFolder)/\(name)", file(of: digest)) == 0 else {
        throw StoreError(system: errno, "rename", "\(newFolder)/\(name)")
      }
    }
    if syncs { for folder in folders { try Self.syncFile(folder) } }
  }

  /// Makes contents durable that are there already, and that may not have been synced.
  func makeDurable(_ digests: [SHA256]) throws {
    guard syncs, !digests.isEmpty else { return }
    let folders = Set(digests.map(folder(of:)))
    try makeFolders(folders)
    for digest in digests { try Self.syncFile(file(of: digest)) }
    for folder in folders { try Self.syncFile(folder) }
  }

  /// Syncs a file or folder.
  private static func syncFile(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(system: errno, "open", path) }
    defer { _ = close(descriptor) }
    // Some file systems know no sync of folders.
    if fsync(descriptor) != 0 && errno != EINVAL {
      throw StoreError(system: errno, "sync", path)
    }
  }

  /// Makes everything durable that any process has written so far.
  func syncAll() { sync() }

  // MARK: Removing

  /// Removes a content, if it is there; gives whether it was.
  @discardableResult
  func remove(_ digest: SHA256) throws -> Bool { try Self.remove(file(of: digest)) }

  /// Removes something that a transaction has begun, if it is there.
  func removeNew(_ name: String) throws { try Self.remove("\(newFolder)/\(name)") }

  @discardableResult
  private static func remove(_ path: String) throws -> Bool {
    if unlink(path) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw StoreError(system: errno, "remove", path)
  }

  // MARK: Listing

  /// Returns the names of the files that transactions have begun and not finished.
  func newNames() throws -> [String] { try FileSystem.names(in: newFolder) }

  /// Every content that lies here, one part after another.
  func digests(_ body: ([SHA256]) throws -> Void) throws {
    for folder in try FileSystem.names(in: path) where folder.utf8.count == 2 {
      let digests = try FileSystem.names(in: "\(path)/\(folder)").compactMap {
        SHA256(text: folder + $0)
      }
      if !digests.isEmpty { try body(digests) }
    }
  }
}

/// Names of folders that were synced with their parents.
private final class DurableNames: Sendable {
  private let names = Lock<Set<String>>([])

  func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
  func insert(_ new: [String]) { names.withLock { $0.formUnion(new) } }
}
