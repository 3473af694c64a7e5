internal import ORMValues

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Locks of ranges of bytes that belong to an open file, and not to a process.
extension FileSystem {
  #if canImport(Darwin)
    private static let setCommand: Int32 = 90
    private static let getCommand: Int32 = 92
  #else
    /// F_OFD_SETLK and F_OFD_GETLK.
    private static let setCommand: Int32 = 37
    private static let getCommand: Int32 = 36
  #endif

  private static func range(_ type: Int32, _ start: Int, _ count: Int) -> flock {
    var range = flock()
    range.l_type = Int16(type)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = off_t(start)
    range.l_len = off_t(count)
    return range
  }

  /// Sets a lock of a type such as `F_RDLCK` without waiting; false, with `errno`, if that failed.
  package static func setLock(
    _ type: Int32, from start: Int, count: Int, _ descriptor: Int32
  ) -> Bool {
    var range = Self.range(type, start, count)
    return fcntl(descriptor, setCommand, &range) == 0
  }

  /// Returns whether another open file has locked bytes of a range; nil, with `errno`, if that cannot
  /// be known.
  package static func isLocked(
    from start: Int, count: Int, _ descriptor: Int32
  ) -> Bool? {
    var range = Self.range(F_WRLCK, start, count)
    guard fcntl(descriptor, getCommand, &range) == 0 else { return nil }
    return range.l_type != Int16(F_UNLCK)
  }

  /// Runs a body unless another open file holds a lock of a byte of a file.
  ///
  /// No other can take one meanwhile. Without the file, the body runs.
  package static func withoutSharers(
    of path: String, at byte: Int, _ body: () throws -> Void
  ) throws {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 {
      guard errno == ENOENT || errno == ENOTDIR else {
        throw StoreError(system: errno, "open", path)
      }
      return try body()
    }
    defer { _ = close(descriptor) }
    guard setLock(F_WRLCK, from: byte, count: 1, descriptor) else {
      if errno == EAGAIN || errno == EACCES { return }
      throw StoreError(system: errno, "lock", path)
    }
    try body()
  }
}
