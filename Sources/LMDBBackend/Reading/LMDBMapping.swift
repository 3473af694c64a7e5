internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The pages of the file where the library has mapped them.
///
/// What a commit wrote stays as it is while a reader of that commit, or of an earlier one, has its
/// place in the table of readers: the same promise that values rest on which the library hands out.
struct LMDBMapping {
  private let start: UnsafeRawPointer
  let pageSize: Int
  /// Pages that the file was seen to have; it does not become shorter while it is open.
  private(set) var pageCount: UInt64
  private let descriptor: Int32

  /// Finds where the map begins, which the library does not tell, by a value in it; nil when what
  /// is around the value cannot be a page.
  init?(of environment: LMDBEnvironment, around value: UnsafeRawPointer) {
    var descriptor: Int32 = -1
    guard mdb_env_get_fd(environment.pointer, &descriptor) == 0 else { return nil }
    let size = environment.pageSize
    let count = Self.pageCount(descriptor, size)
    // The map begins where a page of the system does, which may be smaller than one of the file.
    let unit = min(size, sysconf(Int32(_SC_PAGESIZE)))
    guard LMDBFormat.plausiblePageSizes.contains(size), unit > 0 else { return nil }
    var page = value - Int(bitPattern: value) % unit
    for _ in 0..<size / unit {
      let number = page.loadUnaligned(as: UInt64.self)
      if number >= 2, number < count, Int(bitPattern: page) > Int(number) * size {
        let start = page - Int(number) * size
        if Self.isStart(start, systemPage: sysconf(Int32(_SC_PAGESIZE))) {
          self.start = start
          pageSize = size
          pageCount = count
          self.descriptor = descriptor
          return
        }
      }
      page -= unit
    }
    return nil
  }

  /// Whether the first page of a file of the library is at an address, whatever is there.
  private static func isStart(_ address: UnsafeRawPointer, systemPage: Int) -> Bool {
    guard Int(bitPattern: address) % systemPage == 0 else { return false }
    // Asks whether anything is mapped there: the answer is an error where it is not.
    let pointer = UnsafeMutableRawPointer(mutating: address)
    guard msync(pointer, systemPage, Int32(MS_ASYNC)) == 0 else { return false }
    // The rest of the page may be changing.
    let first = LMDBMeta(UnsafeRawBufferPointer(start: address, count: systemPage))
    return first.isMeta && first.version == LMDBFormat.version && first.number == 0
  }

  private static func pageCount(_ descriptor: Int32, _ pageSize: Int) -> UInt64 {
    UInt64((LMDBPlainFile.size(of: descriptor) ?? 0) / pageSize)
  }

  /// Looks again how long the file is; false when it has not so many pages after this one.
  mutating func reaches(_ page: UInt64, and more: UInt64 = 0) -> Bool {
    let (end, overflows) = page.addingReportingOverflow(more)
    if overflows { return false }
    if end < pageCount { return true }
    pageCount = Self.pageCount(descriptor, pageSize)
    return end < pageCount
  }

  /// Where a page begins that the file reaches.
  @inline(__always)
  func address(of page: UInt64) -> UnsafeRawPointer {
    start + Int(truncatingIfNeeded: page) &* pageSize
  }
}
