internal import ORMPlatform
package import ORMValues

/// Calls of the operating system on whole files, for copies of stores.
///
/// A copy survives a power cut once it, and the folder that holds its name, were synced.
package enum FileSystem {
  /// Returns the size of a file in bytes; nil if there is none.
  package static func size(of path: String) throws -> Int? {
    var file = stat()
    if stat(path, &file) == 0 { return Int(file.st_size) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw StoreError(system: errno, "open", path)
  }

  /// Returns whether two paths lead to one file.
  package static func areSame(_ path: String, _ otherPath: String) -> Bool {
    var (file, other) = (stat(), stat())
    guard stat(path, &file) == 0, stat(otherPath, &other) == 0 else { return false }
    return file.st_dev == other.st_dev && file.st_ino == other.st_ino
  }

  /// Returns the path of a file without symbolic links; the path itself if there is no such file.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Copies the bytes of a file into a new one with the same permissions, and syncs it.
  package static func copy(_ path: String, to newPath: String) throws {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw StoreError(system: errno, "open", path) }
    defer { _ = close(source) }
    let target = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw StoreError(system: errno, "make", newPath) }
    defer { _ = close(target) }
    try copyBytes(source, path, target, newPath)
    var file = stat()
    if fstat(source, &file) == 0 { _ = fchmod(target, file.st_mode & 0o777) }
    try sync(target, newPath)
  }

  private static func copyBytes(
    _ source: Int32, _ path: String, _ target: Int32, _ newPath: String
  ) throws {
    let size = 1 << 20
    try withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
      var offset: off_t = 0
      while true {
        let count = pread(source, buffer.baseAddress, size, offset)
        if count < 0 && errno == EINTR { continue }
        if count < 0 { throw StoreError(system: errno, "read", path) }
        if count == 0 { return }
        var done = 0
        while done < count, let start = buffer.baseAddress {
          let part = pwrite(target, start + done, count - done, offset + off_t(done))
          if part < 0 && errno == EINTR { continue }
          if part <= 0 { throw StoreError(system: part < 0 ? errno : ENOSPC, "write", newPath) }
          done += part
        }
        offset += off_t(count)
      }
    }
  }

  /// Gives a file the permissions of another.
  package static func copyPermissions(of path: String, to newPath: String) {
    var file = stat()
    if stat(path, &file) == 0 { _ = chmod(newPath, file.st_mode & 0o777) }
  }

  /// Gives a file whose content never changes a second name, replacing the file that may have it;
  /// copies it if the volume has no links.
  package static func link(_ path: String, to newPath: String) throws {
    var code = linkCode(path, newPath)
    if code == 0 { return }
    let draft = newPath + ".link"
    try remove(draft)
    if code == EEXIST { code = linkCode(path, draft) }
    if [EPERM, EXDEV, ENOTSUP, EOPNOTSUPP, EMLINK].contains(code) {
      try copy(path, to: draft)
    } else if code != 0 {
      throw StoreError(system: code, "link", newPath)
    }
    try rename(draft, to: newPath)
    // Both may have been the same file: then the system renames nothing.
    try remove(draft)
  }

  /// Links a file, and returns the error number, or 0.
  private static func linkCode(_ path: String, _ newPath: String) -> Int32 {
    ORMPlatform.link(path, newPath) == 0 ? 0 : errno
  }

  /// Gives a file another name, replacing the file that may have it.
  package static func rename(_ path: String, to newPath: String) throws {
    let result = ORMPlatform.rename(path, newPath)
    if result != 0 { throw StoreError(system: errno, "replace", newPath) }
  }

  /// Removes a file; does nothing if there is none.
  package static func remove(_ path: String) throws {
    if unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR {
      throw StoreError(system: errno, "remove", path)
    }
  }

  /// Removes a folder if it is empty; does nothing if it is not, or if there is none.
  package static func removeEmptyFolder(_ path: String) throws {
    if rmdir(path) == 0 || [ENOENT, ENOTDIR, ENOTEMPTY, EEXIST].contains(errno) { return }
    throw StoreError(system: errno, "remove", path)
  }

  /// True if a path leads to a folder, and not to a link to one.
  package static func isFolder(_ path: String) -> Bool {
    var file = stat()
    return lstat(path, &file) == 0 && file.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes a folder, and returns true unless there is one already.
  @discardableResult
  package static func makeFolder(_ path: String) throws -> Bool {
    if mkdir(path, 0o777) == 0 { return true }
    if errno != EEXIST { throw StoreError(system: errno, "make", path) }
    return false
  }

  /// Makes an empty file unless there is one.
  package static func touch(_ path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw StoreError(system: errno, "make", path) }
    _ = close(file)
  }

  /// Returns the names in a folder; none if there is no such folder.
  package static func names(in folder: String) throws -> [String] {
    guard let stream = opendir(folder) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw StoreError(system: errno, "read", folder)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Returns the time of a file's last change, in nanoseconds; nil if there is none.
  package static func changeTime(of path: String) -> Int? {
    var file = stat()
    guard stat(path, &file) == 0 else { return nil }
    #if canImport(Darwin)
      let time = file.st_mtimespec
    #else
      let time = file.st_mtim
    #endif
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// Syncs a file or a folder.
  package static func sync(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StoreError(system: errno, "open", path) }
    defer { _ = close(file) }
    try sync(file, path)
  }

  private static func sync(_ file: Int32, _ path: String) throws {
    #if canImport(Darwin)
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    // Some file systems cannot sync a folder, and say so with EINVAL.
    if fsync(file) != 0 && errno != EINVAL { throw StoreError(system: errno, "sync", path) }
  }

  /// Returns the bytes that the volume of a file has left for this user; nil if it does not say.
  package static func freeSpace(at path: String) -> Int? {
    var volume = statvfs()
    guard statvfs(path, &volume) == 0 else { return nil }
    let (bytes, isTooLarge) = UInt64(volume.f_bavail)
      .multipliedReportingOverflow(by: UInt64(volume.f_frsize))
    return isTooLarge ? Int.max : Int(clamping: bytes)
  }

  /// The folder of a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last part of a path.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }
}

extension StoreError {
  /// Makes the error of a system call on a file or a folder.
  package init(system code: Int32, _ action: String, _ path: String) {
    let kind: Code =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .full
      case EACCES, EPERM, EROFS, ENOTDIR, EISDIR, ENOENT, EMFILE, ENFILE: .cannotOpen
      default: .inputOutput
      }
    self.init(
      kind, "cannot \(action) \(path): \(String(cString: strerror(code)))",
      engineCode: Int(code))
  }
}
