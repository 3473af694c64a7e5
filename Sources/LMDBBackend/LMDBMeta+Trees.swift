internal import ORMStorage

/// True if a meta page belongs to the trees that it leads to.
///
/// The page has no checksum. If only a part of it was written, its fields may be plausible one by
/// one, but are of different commits.
extension LMDBMeta {
  /// Returns whether both trees begin where the page says, and the last list of free pages is that
  /// of its own commit.
  ///
  /// Every commit but a file's first frees pages, and notes them under its number. Throws `corrupt`
  /// when the file ends before a root, or the tree of these lists begins as it should and is damaged
  /// further on: then the page may be sound.
  func endsItsCommit(in file: LMDBPlainFile) throws -> Bool {
    guard let count = try rootCount(of: main, in: file), try rootCount(of: free, in: file) != nil
    else { return false }
    if main.depth <= 1 && UInt64(count) != main.entries { return false }
    if transaction == 1 { return true }
    return try newestFreeList(in: file) == transaction
  }

  /// The number of entries of a tree's root; nil when there is no such root, 0 without a root.
  private func rootCount(of tree: LMDBTree, in file: LMDBPlainFile) throws -> Int? {
    if tree.root == LMDBFormat.noPage { return 0 }
    var bytes = [UInt8](repeating: 0, count: LMDBFormat.headerSize)
    return try bytes.withUnsafeMutableBytes { buffer in
      let count = try file.read(buffer, at: Int(tree.root) * pageSize)
      guard count == buffer.count else {
        throw StoreError(.corrupt, "\(file.path) is damaged: it ends before page \(tree.root).")
      }
      let page = LMDBPage(UnsafeRawBufferPointer(buffer))
      return page.isRoot(tree) ? page.count : nil
    }
  }

  /// The commit of the last list of free pages; nil without lists.
  private func newestFreeList(in file: LMDBPlainFile) throws -> UInt64? {
    if free.root == LMDBFormat.noPage { return nil }
    var number = free.root
    var bytes = [UInt8](repeating: 0, count: pageSize)
    for level in 1...free.depth {
      let isLeaf = level == free.depth
      let count = try bytes.withUnsafeMutableBytes { buffer in
        number > lastPage ? 0 : try file.read(buffer, at: Int(number) * pageSize)
      }
      let next = bytes.withUnsafeBytes { buffer -> UInt64? in
        let page = LMDBPage(buffer)
        let fault = page.fault(number: number, isLeaf: isLeaf, isFree: true)
        guard count == pageSize, fault == nil else { return nil }
        let last = page.node(page.count - 1)
        if !isLeaf { return last.child }
        // A page of another tree has keys of any length; no commit has the number 0.
        return last.key.count == 8 ? last.key.loadUnaligned(as: UInt64.self) : 0
      }
      guard let next else {
        throw StoreError(.corrupt, "\(file.path) is damaged: page \(number) cannot be read.")
      }
      number = next
    }
    return number
  }
}
