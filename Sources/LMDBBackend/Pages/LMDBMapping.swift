internal import ORMPlatform

/// The pages of the file where the library has mapped them.
///
/// The pages that a commit wrote stay as they are while a reader of that commit, or of an earlier
/// one, has its slot in the table of readers: the same promise that values rest on which the
/// library hands out.
// A value like any other; the map it points into outlives every reader that has a copy.
struct LMDBMapping: @unchecked Sendable {
  private let start: UnsafeRawPointer
  let pageSize: Int
  /// Pages that the file was seen to have and that are mapped; it does not become shorter while it
  /// is open.
  private(set) var pageCount: UInt64
  /// The number of pages that are mapped, whether or not the file has them: other processes may
  /// have mapped more, and written there.
  private let mappedCount: UInt64
  private let descriptor: Int32

  /// Finds the beginning of the map, which the library does not report, by a value in it; nil if the
  /// bytes around the value are no page of the file.
  init?(of environment: LMDBEnvironment, around value: UnsafeRawPointer) {
    let size = environment.pageSize
    guard let descriptor = environment.descriptor, LMDBFormat.plausiblePageSizes.contains(size)
    else { return nil }
    // The map begins where a page of the system does, which may be smaller than one of the file.
    let unit = min(size, sysconf(Int32(_SC_PAGESIZE)))
    guard unit > 0 else { return nil }
    var page = value - Int(bitPattern: value) % unit
    for _ in 0..<size / unit {
      let number = page.loadUnaligned(as: UInt64.self)
      if Self.isPage(page, number, size, of: descriptor) {
        start = page - Int(number) * size
        pageSize = size
        self.descriptor = descriptor
        mappedCount = UInt64(environment.information.mapSize / size)
        pageCount = Self.pageCount(descriptor, size, atMost: mappedCount)
        return
      }
      page -= unit
    }
    return nil
  }

  /// Returns whether bytes in the map are those of the page of the file whose number they begin
  /// with.
  ///
  /// The number is not trusted by itself, since a damaged one could be any.
  private static func isPage(
    _ page: UnsafeRawPointer, _ number: UInt64, _ size: Int, of descriptor: Int32
  ) -> Bool {
    guard number >= 2, number < UInt64(Int.max / size) else { return false }
    let offset = Int(number) * size
    guard Int(bitPattern: page) > offset else { return false }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { bytes in
      pread(descriptor, bytes.baseAddress, size, off_t(offset)) == size
        && bytes.elementsEqual(UnsafeRawBufferPointer(start: page, count: size))
    }
  }

  private static func pageCount(
    _ descriptor: Int32, _ pageSize: Int, atMost mapped: UInt64
  ) -> UInt64 {
    min(UInt64((LMDBPlainFile.size(of: descriptor) ?? 0) / pageSize), mapped)
  }

  /// Returns whether there are `more` pages after this one; reads the length of the file again
  /// where there were not.
  mutating func reaches(_ page: UInt64, and more: UInt64 = 0) -> Bool {
    let (end, overflows) = page.addingReportingOverflow(more)
    if overflows { return false }
    if end < pageCount { return true }
    pageCount = Self.pageCount(descriptor, pageSize, atMost: mappedCount)
    return end < pageCount
  }

  /// Returns the address of a page, which must lie within the file.
  @inline(__always)
  func address(of page: UInt64) -> UnsafeRawPointer {
    start + Int(truncatingIfNeeded: page) &* pageSize
  }

  /// One of the two meta pages; it may be written meanwhile.
  func meta(_ number: UInt64) -> LMDBMeta {
    LMDBMeta(
      UnsafeRawBufferPointer(
        start: address(of: number), count: LMDBFormat.headerSize + LMDBFormat.metaSize))
  }
}
