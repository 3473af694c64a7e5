internal import ORMStorage

/// Walks over every page that one commit reaches, and throws `corrupt` at the first that is not as
/// it should be.
///
/// It checks everything that the library relies on without looking: kinds, numbers and bounds of
/// pages, offsets and sizes of entries, order of keys, depth of trees, lengths of overflow runs,
/// lists of free pages, counts of entries; and that no page is reached twice. A page that is not
/// reached is no fault. Values are not looked at: their checksums are in the records.
struct LMDBPageWalk {
  private let file: LMDBPlainFile
  private let meta: LMDBMeta
  private let pageSize: Int
  /// Pages the file is long enough for.
  private let pageCount: UInt64
  /// One bit a page: whether it has been reached.
  private var reached: [UInt64]
  /// Free pages past the end of the file, which were never written.
  private var unwritten: Set<UInt64> = []
  /// The number of pages in the lists of free pages.
  private var freePages = 0
  /// Capacity for pages that is not in use.
  private var buffers: [[UInt8]] = []

  /// True if the trees of the keyspaces are walked too.
  private let entersKeyspaces: Bool

  /// The kind of tree that is walked.
  private enum Kind { case free, main, keyspace }

  /// Checks the commit that `meta` ends.
  static func run(_ file: LMDBPlainFile, _ meta: LMDBMeta) throws {
    var walk = try LMDBPageWalk(file, meta, entersKeyspaces: true)
    try walk.tree(meta.free, .free)
    try walk.tree(meta.main, .main)
  }

  /// Checks the list of keyspaces alone: a page or few, which identify the writer of the file.
  ///
  /// Throws `notADatabase` too.
  static func runThroughList(_ file: LMDBPlainFile, _ meta: LMDBMeta) throws {
    var walk = try LMDBPageWalk(file, meta, entersKeyspaces: false)
    try walk.tree(meta.main, .main)
  }

  /// Counts the pages in the lists of free ones.
  static func freePageCount(_ file: LMDBPlainFile, _ meta: LMDBMeta) throws -> Int {
    var walk = try LMDBPageWalk(file, meta, entersKeyspaces: false)
    try walk.tree(meta.free, .free)
    return walk.freePages
  }

  private init(_ file: LMDBPlainFile, _ meta: LMDBMeta, entersKeyspaces: Bool) throws {
    self.file = file
    self.entersKeyspaces = entersKeyspaces
    self.meta = meta
    pageSize = meta.pageSize
    // A page cut off in its middle does not count.
    pageCount = UInt64(try file.size() / pageSize)
    reached = Array(repeating: 0, count: Int(pageCount / 64) + 1)
  }

  private func fault(_ page: UInt64, _ what: String) -> StoreError {
    StoreError(.corrupt, "\(file.path) is damaged: page \(page) \(what).")
  }

  // MARK: Trees

  private mutating func tree(_ tree: LMDBTree, _ kind: Kind) throws {
    if tree.root == LMDBFormat.noPage { return }
    let entries = try page(tree.root, level: 1, of: tree, kind, from: nil, below: nil)
    if kind != .free && entries != tree.entries {
      throw fault(
        tree.root,
        "heads a tree of \(entries) entries where \(tree.entries) are recorded")
    }
  }

  /// Walks a page and all beneath it.
  ///
  /// Keys are not less than `lowest` and less than `limit`. Gives the number of entries.
  private mutating func page(
    _ number: UInt64, level: Int, of tree: LMDBTree, _ kind: Kind, from lowest: [UInt8]?,
    below limit: [UInt8]?
  ) throws -> UInt64 {
    try reach(number)
    var bytes = buffers.popLast() ?? [UInt8](repeating: 0, count: pageSize)
    defer { buffers.append(bytes) }
    try bytes.withUnsafeMutableBytes { buffer in
      guard try file.read(buffer, at: Int(number) * pageSize) == pageSize else {
        throw fault(number, "is past the end of the file")
      }
    }
    let isLeaf = level == Int(tree.depth)
    return try bytes.withUnsafeBytes { buffer in
      let page = LMDBPage(buffer)
      if let what = page.fault(number: number, isLeaf: isLeaf, isFree: kind == .free) {
        throw fault(number, what)
      }
      try order(page, number, kind, isLeaf, from: lowest, below: limit)
      return isLeaf
        ? try leaf(page, number, kind)
        : try branch(page, number, level, tree, kind, from: lowest, below: limit)
    }
  }

  private mutating func branch(
    _ page: LMDBPage, _ number: UInt64, _ level: Int, _ tree: LMDBTree, _ kind: Kind,
    from lowest: [UInt8]?, below limit: [UInt8]?
  ) throws -> UInt64 {
    var entries: UInt64 = 0
    for index in 0..<page.count {
      let node = page.node(index)
      let next = index + 1 < page.count ? [UInt8](page.node(index + 1).key) : limit
      entries += try self.page(
        node.child, level: level + 1, of: tree, kind, from: index == 0 ? lowest : [UInt8](node.key),
        below: next)
    }
    return entries
  }

  private mutating func leaf(_ page: LMDBPage, _ number: UInt64, _ kind: Kind) throws -> UInt64 {
    for index in 0..<page.count {
      let node = page.node(index)
      if kind == .main {
        try keyspace(node, number)
      } else if node.flags == LMDBFormat.NodeFlag.overflow {
        let run = try overflow(node, number)
        if kind == .free { try freeList(fromRun: run, node, number) }
      } else if node.flags != 0 {
        throw fault(number, "has an entry of an impossible kind")
      } else if kind == .free {
        try freeList(node.value, number, key: node.key)
      }
    }
    return UInt64(page.count)
  }

  /// Checks that keys ascend, and stay within the bounds that the page above gives this one.
  private func order(
    _ page: LMDBPage, _ number: UInt64, _ kind: Kind, _ isLeaf: Bool, from lowest: [UInt8]?,
    below limit: [UInt8]?
  ) throws {
    // The first key of a branch page stands for everything below the second.
    let first = isLeaf ? 0 : 1
    let isInteger = kind == .free
    if page.node(0).key.count > LMDBFormat.maximumKeySize {
      throw fault(number, "has a key of an impossible length")
    }
    for index in first..<page.count {
      let key = page.node(index).key
      if isInteger ? key.count != 8 : !(1...LMDBFormat.maximumKeySize).contains(key.count) {
        throw fault(number, "has a key of an impossible length")
      }
      if index > first, !Self.precedes(page.node(index - 1).key, key, isInteger) {
        throw fault(number, "has keys out of order")
      }
    }
    guard first < page.count else { return }
    let (least, greatest) = (page.node(first).key, page.node(page.count - 1).key)
    let isInside =
      lowest?.withUnsafeBytes { !Self.precedes(least, $0, isInteger) } ?? true
      && limit?.withUnsafeBytes { Self.precedes(greatest, $0, isInteger) } ?? true
    if !isInside { throw fault(number, "has keys that belong to another page") }
  }

  private static func precedes(
    _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, _ isInteger: Bool
  ) -> Bool {
    if isInteger {
      guard one.count == 8, other.count == 8 else { return false }
      return one.loadUnaligned(as: UInt64.self) < other.loadUnaligned(as: UInt64.self)
    }
    return one.lexicographicallyPrecedes(other)
  }

  // MARK: Targets of entries

  private mutating func keyspace(_ node: LMDBPage.Node, _ number: UInt64) throws {
    guard node.flags == LMDBFormat.NodeFlag.database, node.value.count == LMDBTree.size,
      LMDBKeyspaceTable.keyspace(named: node.key) != nil
    else {
      // A sound LMDB file, but of another program.
      throw StoreError(
        .notADatabase,
        "\(file.path) is an LMDB file, but another program wrote it: it has entries that are "
          + "not Strata's.")
    }
    let record = LMDBTree(node.value)
    guard record.isPlausible(flags: 0, lastPage: meta.lastPage) else {
      throw fault(number, "has an impossible tree")
    }
    if entersKeyspaces { try tree(record, .keyspace) }
  }

  /// Checks the run of pages that holds a large value; gives the number of the first.
  private mutating func overflow(_ node: LMDBPage.Node, _ number: UInt64) throws -> UInt64 {
    let first = node.value.loadUnaligned(as: UInt64.self)
    guard first >= 2, first < pageCount else {
      throw fault(number, "has a value past the end of the file")
    }
    var header = [UInt8](repeating: 0, count: LMDBFormat.headerSize)
    let count = try header.withUnsafeMutableBytes { buffer in
      let size = try file.read(buffer, at: Int(first) * pageSize)
      let header = UnsafeRawBufferPointer(buffer)
      guard size == header.count, header.loadUnaligned(as: UInt64.self) == first,
        header.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == LMDBFormat.PageFlag.overflow
      else { throw fault(first, "is of an unexpected kind") }
      return UInt64(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    }
    let needed = UInt64((LMDBFormat.headerSize + node.size + pageSize - 1) / pageSize)
    guard count >= needed, count <= pageCount - first else {
      throw fault(first, "has a value longer than its pages")
    }
    for page in first..<first + count { try reach(page) }
    return first
  }

  private mutating func freeList(
    fromRun first: UInt64, _ node: LMDBPage.Node, _ number: UInt64
  ) throws {
    var list = [UInt8](repeating: 0, count: node.size)
    let offset = Int(first) * pageSize + LMDBFormat.headerSize
    guard try list.withUnsafeMutableBytes({ try file.read($0, at: offset) }) == node.size else {
      throw fault(first, "is past the end of the file")
    }
    try list.withUnsafeBytes { try freeList($0, number, key: node.key) }
  }

  /// A list of pages that a transaction freed: their count, and their numbers, falling.
  private mutating func freeList(
    _ list: UnsafeRawBufferPointer, _ number: UInt64, key: UnsafeRawBufferPointer
  ) throws {
    guard list.count >= 8, list.count % 8 == 0 else { throw fault(number, "has no list") }
    let count = list.loadUnaligned(as: UInt64.self)
    let transaction = key.loadUnaligned(as: UInt64.self)
    guard count < UInt64(list.count / 8), transaction <= meta.transaction else {
      throw fault(number, "has an impossible list of free pages")
    }
    var before = meta.lastPage + 1
    for index in 0..<Int(count) {
      let page = list.loadUnaligned(fromByteOffset: 8 + index * 8, as: UInt64.self)
      guard page < before, page >= 2 else {
        throw fault(number, "has an impossible list of free pages")
      }
      before = page
      // Free pages at the end may never have been written.
      if page < pageCount {
        try reach(page)
      } else if !unwritten.insert(page).inserted {
        throw fault(page, "is free twice")
      }
    }
    freePages += Int(count)
  }

  /// Notes that a page is reached, for the first time and the last.
  private mutating func reach(_ page: UInt64) throws {
    guard page >= 2, page < pageCount, page <= meta.lastPage else {
      throw fault(page, "is past the end of the file")
    }
    let (word, bit) = (Int(page / 64), UInt64(1) << (page % 64))
    if reached[word] & bit != 0 { throw fault(page, "is used twice") }
    reached[word] |= bit
  }
}
