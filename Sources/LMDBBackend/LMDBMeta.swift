/// The data format of the file, whose pages are read by plain reads.
///
/// The layout is that of LMDB's data format 1 on 64-bit machines, in the machine's byte order; it is
/// described in the comments of the library's `mdb.c`.
enum LMDBFormat {
  static let magic: UInt32 = 0xBEEF_C0DE
  static let version: UInt32 = 1
  /// Bytes of the header that every page begins with, but the second and later of an overflow run.
  static let headerSize = 16
  /// Bytes that an entry of a page begins with.
  static let nodeHeaderSize = 8
  /// Bytes of the two pages' contents that opening reads.
  static let metaSize = 136
  /// The sizes that a page can have, in bytes.
  static let plausiblePageSizes = (9...15).map { 1 << $0 }
  /// The page number that stands for a missing root.
  static let noPage = UInt64.max
  /// The deepest tree a cursor of the library can go down.
  static let maximumDepth = 32
  /// The longest key that a store writes, also where the library takes longer ones.
  ///
  /// Every build of the library with the usual limit or a greater one therefore opens every file.
  static let maximumKeySize = 511
  /// Flags of a database whose keys are machine integers; only the list of free pages is one.
  static let integerKeyFlag: UInt16 = 8

  enum PageFlag {
    static let branch: UInt16 = 1
    static let leaf: UInt16 = 2
    static let overflow: UInt16 = 4
    static let meta: UInt16 = 8
  }

  enum NodeFlag {
    /// The value is in overflow pages; here is the number of the first.
    static let overflow: UInt16 = 1
    /// The value is the record of a named database.
    static let database: UInt16 = 2
  }
}

/// The record of one tree.
struct LMDBTree: Equatable {
  static let size = 48

  /// The size of a page; in the record of the free pages' tree only.
  var padding: UInt32
  var flags: UInt16
  var depth: UInt16
  var branchPages: UInt64
  var leafPages: UInt64
  var overflowPages: UInt64
  var entries: UInt64
  var root: UInt64

  /// Reads a record; the bytes are as many as it has.
  init(_ bytes: UnsafeRawBufferPointer) {
    padding = bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)
    flags = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
    depth = bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
    branchPages = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    leafPages = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    overflowPages = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    entries = bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    root = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
  }

  /// Returns whether the record can be that of a tree in a file of the given length.
  func isPlausible(flags: UInt16, lastPage: UInt64) -> Bool {
    if self.flags != flags || depth > LMDBFormat.maximumDepth { return false }
    if root == LMDBFormat.noPage { return depth == 0 && entries == 0 }
    return root >= 2 && root <= lastPage && depth > 0
  }
}

/// One of the two pages that a commit ends with, by turns.
struct LMDBMeta: Equatable {
  var number: UInt64
  var pageFlags: UInt16
  var magic: UInt32
  var version: UInt32
  /// The largest map that the file was ever written with.
  var mapSize: UInt64
  var free: LMDBTree
  var main: LMDBTree
  var lastPage: UInt64
  var transaction: UInt64

  /// Reads a page from its beginning: header and content.
  init(_ bytes: UnsafeRawBufferPointer) {
    func part(_ offset: Int, _ size: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size])
    }
    let content = LMDBFormat.headerSize
    number = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    pageFlags = bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
    magic = bytes.loadUnaligned(fromByteOffset: content, as: UInt32.self)
    version = bytes.loadUnaligned(fromByteOffset: content + 4, as: UInt32.self)
    mapSize = bytes.loadUnaligned(fromByteOffset: content + 16, as: UInt64.self)
    free = LMDBTree(part(content + 24, LMDBTree.size))
    main = LMDBTree(part(content + 72, LMDBTree.size))
    lastPage = bytes.loadUnaligned(fromByteOffset: content + 120, as: UInt64.self)
    transaction = bytes.loadUnaligned(fromByteOffset: content + 128, as: UInt64.self)
  }

  var pageSize: Int { Int(free.padding) }
  var isMeta: Bool { pageFlags == LMDBFormat.PageFlag.meta && magic == LMDBFormat.magic }

  /// Returns the fault of the page as that of this number, 0 or 1; nil if there is none.
  func fault(at expected: UInt64) -> String? {
    if !isMeta || version != LMDBFormat.version { return "is of an unexpected kind" }
    if number != expected { return "has another page's number" }
    if !LMDBFormat.plausiblePageSizes.contains(pageSize) {
      return "has an impossible page size"
    }
    // The library takes the page by the transaction's number; 0 is a file without a commit.
    if transaction != 0 && transaction & 1 != expected {
      return
        "has the transaction number of another page"
    }
    // The mapping covers at least the last page.
    let mapSize = min(mapSize, UInt64(Int.max))
    if lastPage < 1 || lastPage >= mapSize / UInt64(pageSize) {
      return "has an impossible last page"
    }
    // The library keeps a flag of the opening there that it does not use: no folder.
    let flags = free.flags & 0x4000 | LMDBFormat.integerKeyFlag
    if !free.isPlausible(flags: flags, lastPage: lastPage)
      || !main.isPlausible(flags: 0, lastPage: lastPage)
    {
      return "has an impossible tree"
    }
    return nil
  }
}
