internal import ORMPlatform
internal import ORMStorage

/// The resolved path of a file, with the attributes that the system reports.
struct LMDBPath: Sendable {
  /// The device and inode of a file, which are the same for every name of it.
  struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  /// The attributes that change when a file is changed or replaced.
  struct Stamp: Equatable, Sendable {
    var identity: Identity
    var size: UInt64
    /// Seconds and nanoseconds of the last change of the content.
    var modified: [Int64]
    /// The time of the last change of the content or of the file's attributes.
    var changed: [Int64]
  }

  /// The path without symbolic links, so that the files beside it are the same for every process.
  let text: String
  let folder: String
  let name: String

  /// Finds the file, or its future path; makes the folders on the way where `makesFolders`.
  init(_ path: String, makesFolders: Bool) throws {
    guard !path.isEmpty, !path.utf8.contains(0), path.utf8.last != UInt8(ascii: "/") else {
      throw StoreError(
        .cannotOpen,
        "'\(path)' is not the path of a file: it is empty, ends in / or contains a NUL.")
    }
    if let real = Self.resolved(path) {
      (folder, name) = Self.split(real)
      text = real
      return
    }
    // A link that leads nowhere would be replaced by a file here, or a file made elsewhere.
    var link = stat()
    if lstat(path, &link) == 0 {
      // Another process may have made the file just now.
      guard let real = Self.resolved(path) else {
        throw StoreError(lmdb: errno, "follow", at: path, during: .opening)
      }
      (folder, name) = Self.split(real)
      text = real
      return
    }
    let (parent, name) = Self.split(path)
    if makesFolders { try Self.makeFolder(parent) }
    guard let folder = Self.resolved(parent) else {
      throw StoreError(lmdb: errno, "open", at: path, during: .opening)
    }
    self.folder = folder
    self.name = name
    text = folder == "/" ? "/" + name : folder + "/" + name
  }

  /// Throws `cannotOpen` if a symbolic link lies beside the file, where the library would make and lock
  /// its target.
  func refuseLink(with suffix: String) throws {
    var file = stat()
    guard lstat(text + suffix, &file) == 0, file.st_mode & S_IFMT == S_IFLNK else { return }
    throw StoreError(lmdb: ELOOP, "open", at: text + suffix, during: .opening)
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[path.utf8.index(after: slash)...])
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// Makes a folder with those above it that are missing, each synced with its parent.
  private static func makeFolder(_ folder: String) throws {
    var above = split(folder).folder
    while above.count > 1 && above.hasSuffix("/") { above.removeLast() }
    if mkdir(folder, 0o755) != 0 {
      if errno == EEXIST { return }
      guard errno == ENOENT else {
        throw StoreError(lmdb: errno, "make the folder", at: folder, during: .opening)
      }
      if above != folder { try makeFolder(above) }
      if mkdir(folder, 0o755) != 0 {
        if errno == EEXIST { return }
        throw StoreError(lmdb: errno, "make the folder", at: folder, during: .opening)
      }
    }
    try synchronize(above)
  }

  /// The stamp of the file; nil when there is none.
  ///
  /// Throws if the path leads to something other than a regular file.
  func stamp() throws -> Stamp? {
    var file = stat()
    guard stat(text, &file) == 0 else {
      if errno == ENOENT { return nil }
      throw StoreError(lmdb: errno, "open", at: text, during: .opening)
    }
    guard file.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.cannotOpen, "\(text) is not a regular file.")
    }
    return Stamp(file)
  }

  /// Makes the names in the folder durable.
  func synchronizeFolder() throws { try Self.synchronize(folder) }

  private static func synchronize(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(lmdb: errno, "sync the folder", at: folder, during: .opening)
    }
    defer { _ = close(descriptor) }
    // Some file systems cannot, and say so with EINVAL.
    if fsync(descriptor) != 0 && errno != EINVAL {
      throw StoreError(lmdb: errno, "sync the folder", at: folder, during: .opening)
    }
  }
}

extension LMDBPath.Stamp {
  init(_ file: stat) {
    identity = .init(device: UInt64(file.st_dev), inode: UInt64(file.st_ino))
    size = UInt64(max(file.st_size, 0))
    #if canImport(Darwin)
      modified = [Int64(file.st_mtimespec.tv_sec), Int64(file.st_mtimespec.tv_nsec)]
      changed = [Int64(file.st_ctimespec.tv_sec), Int64(file.st_ctimespec.tv_nsec)]
    #else
      modified = [Int64(file.st_mtim.tv_sec), Int64(file.st_mtim.tv_nsec)]
      changed = [Int64(file.st_ctim.tv_sec), Int64(file.st_ctim.tv_nsec)]
    #endif
  }
}
