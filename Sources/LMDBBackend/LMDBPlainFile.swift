internal import ORMPlatform
internal import ORMStorage

/// Owns a descriptor of the data file for reading it, and repairing its first pages, without a map: a missing
/// or damaged page is then an error, and not a signal.
final class LMDBPlainFile {
  let path: String
  private let descriptor: Int32

  init(_ location: LMDBPath, isWritable: Bool = false) throws {
    path = location.text
    let access = isWritable ? O_RDWR : O_RDONLY
    descriptor = open(location.text, access | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 {
      throw StoreError(lmdb: errno, "open", at: location.text, during: .opening)
    }
  }

  deinit { _ = close(descriptor) }

  /// The length of the file now.
  func size() throws -> Int {
    guard let size = Self.size(of: descriptor) else {
      throw StoreError(lmdb: errno, "read", at: path)
    }
    return size
  }

  /// The length of a file by its descriptor; nil with an error number.
  static func size(of descriptor: Int32) -> Int? {
    var file = stat()
    return fstat(descriptor, &file) == 0 ? Int(file.st_size) : nil
  }

  /// Fills the buffer from an offset in the file; returns the number of bytes, fewer only at the
  /// end.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let part = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + count))
      if part < 0 && errno == EINTR { continue }
      if part < 0 { throw StoreError(lmdb: errno, "read", at: path) }
      if part == 0 { break }
      count += part
    }
    return count
  }

  /// Writes bytes at an offset in the file, and syncs it.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    guard count == bytes.count else {
      throw StoreError(lmdb: count < 0 ? errno : ENOSPC, "write", at: path)
    }
    guard fsync(descriptor) == 0 else { throw StoreError(lmdb: errno, "sync", at: path) }
  }
}
