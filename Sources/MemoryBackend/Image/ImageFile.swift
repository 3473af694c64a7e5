import ORMPlatform
import ORMStorage

/// An open file of the operating system, closed when it is released.
///
/// Nothing else in this module calls the system.
final class ImageFile {
  private let descriptor: Int32
  private let path: String

  private init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { _ = close(descriptor) }

  /// Opens a file for reading.
  ///
  /// Throws `cannotOpen`, also if the path leads to something other than a regular file.
  convenience init(reading path: String) throws {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("opened", path, .cannotOpen) }
    self.init(descriptor: descriptor, path: path)
    guard try status().st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.cannotOpen, "\(path) is not an ordinary file.")
    }
  }

  /// Makes a file that was not there, for writing.
  ///
  /// Throws `cannotOpen`.
  convenience init(making path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure("made", path, .cannotOpen) }
    self.init(descriptor: descriptor, path: path)
  }

  /// The size in bytes.
  func size() throws -> Int { Int(try status().st_size) }

  private func status() throws -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw Self.failure("examined", path, .inputOutput)
    }
    return status
  }

  /// Reads into the buffer; less than it holds only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var done = 0
    while done < buffer.count, let start = buffer.baseAddress {
      let count = ORMPlatform.read(descriptor, start + done, buffer.count - done)
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw Self.failure("read", path, .inputOutput)
      }
    }
    return done
  }

  /// Writes all of the bytes.
  ///
  /// Throws `full` or `inputOutput`.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count, let start = bytes.baseAddress {
      let count = ORMPlatform.write(descriptor, start + done, bytes.count - done)
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw Self.failure("written", path, .inputOutput)
      }
    }
  }

  /// Takes over the permissions of another file, if it is there.
  func adoptMode(of other: String) {
    var status = stat()
    if stat(other, &status) == 0 { _ = fchmod(descriptor, status.st_mode & 0o777) }
  }

  /// Waits until the disk has everything.
  func sync() throws {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw Self.failure("synced", path, .inputOutput) }
  }
}

extension ImageFile {
  /// The file that a path leads to, past symbolic links; the path itself when there is none.
  static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Makes a folder and the missing ones above it, durably.
  ///
  /// Throws `cannotOpen` or `inputOutput`.
  static func makeFolders(_ path: String) throws {
    var status = stat()
    if stat(path, &status) == 0 { return }
    let above = folder(of: path)
    if above != path { try makeFolders(above) }
    // Another process may have been faster; a file of the name is found when it is used.
    if mkdir(path, 0o777) == 0 {
      try syncFolder(above)
    } else if errno != EEXIST {
      throw failure("made", path, .cannotOpen)
    }
  }

  /// The folder that a path lies in, however many slashes stand between.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    var folder = path[..<slash]
    while folder.hasSuffix("/") { folder.removeLast() }
    return folder.isEmpty ? "/" : String(folder)
  }

  /// Gives a file another name, replacing the file that had it, and makes that durable.
  static func rename(_ path: String, to newPath: String, in folder: String) throws {
    let result = ORMPlatform.rename(path, newPath)
    guard result == 0 else { throw failure("replaced", newPath, .cannotOpen) }
    try syncFolder(folder)
  }

  private static func syncFolder(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard descriptor >= 0 else { throw failure("opened", folder, .inputOutput) }
    try ImageFile(descriptor: descriptor, path: folder).sync()
  }

  static func remove(_ path: String) { _ = unlink(path) }

  /// The number of this process, for names that no other takes.
  static var process: Int32 { getpid() }

  private static func failure(
    _ deed: String, _ path: String, _ code: StoreError.Code
  ) -> StoreError {
    let number = errno
    let isFull = number == ENOSPC || number == EDQUOT
    let reason = String(cString: strerror(number))
    return StoreError(
      isFull ? .full : code, "\(path) cannot be \(deed): \(reason).", engineCode: Int(number))
  }
}
