internal import ORMPlatform
internal import ORMStorage

/// Queries to the operating system about names of files.
extension SQLiteFile {
  /// The absolute name without symbolic links; the file and its folders need not exist.
  static func resolve(_ path: String) throws -> String {
    if path.isEmpty || path.utf8.contains(0) || path.utf8.last == UInt8(ascii: "/") {
      throw StoreError(
        .cannotOpen,
        "the path of a file must not be empty, contain a NUL or end in /")
    }
    var path = path
    // As many links as the system itself follows.
    for _ in 0..<40 {
      if let whole = realName(path) { return whole }
      guard let target = linkTarget(path) else {
        return try resolveFolder(parent(of: path)) + "/" + lastName(of: path)
      }
      path = target.hasPrefix("/") ? target : parent(of: path) + "/" + target
    }
    throw StoreError(.cannotOpen, "\(path): too many symbolic links")
  }

  /// The size of a regular file; nil when there is none of the name.
  static func size(of path: String) throws -> Int? {
    var status = stat()
    if stat(path, &status) != 0 {
      if errno == ENOENT { return nil }
      throw systemError(path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.cannotOpen, "\(path): not a regular file")
    }
    return Int(status.st_size)
  }

  /// Returns whether the volume is mounted for reading alone.
  static func isOnReadOnlyVolume(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Makes a folder and the missing ones above it, durably.
  static func makeFolders(_ path: String) throws {
    if mkdir(path, 0o777) == 0 { return try syncFolder(parent(of: path)) }
    switch errno {
    case EEXIST: return
    case ENOENT where path != "/":
      try makeFolders(parent(of: path))
      if mkdir(path, 0o777) != 0 && errno != EEXIST { throw systemError(path) }
      try syncFolder(parent(of: path))
    default: throw systemError(path)
    }
  }

  /// Returns the library's name for a file that does not change, which is read without locks, log or side
  /// effects.
  static func immutableName(_ path: String) -> String {
    var name = "file://"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16)
        name += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return name + "?immutable=1"
  }

  /// The error of a system call that failed just now.
  static func systemError(_ path: String) -> StoreError {
    let number = errno
    let code: StoreError.Code =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EIO: .inputOutput
      default: .cannotOpen
      }
    let sentence = String(cString: strerror(number))
    return StoreError(code, "\(path): \(sentence)", engineCode: Int(number))
  }

  /// Makes sure that an open file or folder survives a power cut.
  static func sync(_ file: Int32, _ path: String) throws {
    if fsync(file) != 0 { throw systemError(path) }
  }

  static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func lastName(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  private static func syncFolder(_ path: String) throws {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder < 0 { throw systemError(path) }
    defer { close(folder) }
    try sync(folder, path)
  }

  /// The real name of a folder as far as it exists, and the rest as it was said.
  private static func resolveFolder(_ path: String) throws -> String {
    if let whole = realName(path) { return whole == "/" ? "" : whole }
    if errno != ENOENT { throw systemError(path) }
    return try resolveFolder(parent(of: path)) + "/" + lastName(of: path)
  }

  private static func realName(_ path: String) -> String? {
    guard let name = realpath(path, nil) else { return nil }
    defer { free(name) }
    return String(cString: name)
  }

  private static func linkTarget(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink(path, base, Int(PATH_MAX))
      guard count > 0 else { return nil }
      buffer[count] = 0
      return String(cString: base)
    }
  }
}
