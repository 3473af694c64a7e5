internal import CLMDB
internal import ORMStorage
internal import OrderedEngine

/// A reader of the map, used by one snapshot after another.
///
/// The library's read transaction keeps the pages of a commit from being written again; the pages
/// of the keyspaces are read where they lie in the map. That takes a fraction of the time of asking the
/// library for each entry, and nothing in such a page is trusted: where the library would follow a damaged
/// one out of the map, this throws `corrupt`. The record of a keyspace's tree is read once a commit, by way
/// of the meta page; only until the address of the map is known, and when the meta page is a later commit's,
/// it comes from the library.
///
/// With ``LMDBLibraryMap`` the transaction alone is used, and no page is read here.
// One snapshot has it at a time; `LMDBMap` passes it on under its lock.
final class LMDBReader: @unchecked Sendable {
  /// The root, depth and number of entries of a tree in one commit.
  struct Tree {
    /// The commit; 0 when nothing is known.
    var commit: UInt64 = 0
    var root: UInt64 = LMDBFormat.noPage
    /// The number of pages that lie on the way to an entry, 0 when there is none.
    var depth = 0
    var entries = 0
  }

  /// A reader with more cursors releases them all at its end: it searches them one by one.
  private static let cachedCursors = 16

  let transaction: LMDBTransaction
  private let readsPages: Bool
  /// The commit that is read.
  private(set) var commit: UInt64
  /// Changes when a snapshot begins and when it ends: a cursor of another session is not used.
  private(set) var session: UInt64 = 1
  @exclusivity(unchecked) private var mapping: LMDBMapping?
  /// The map of the environment that `mapping` is.
  private var mapNumber: Int
  /// The trees that were looked up, by handle.
  @exclusivity(unchecked) private var trees: [Tree] = []
  /// The root of the tree of keyspaces; of another commit when that is not known.
  private var main = Tree()
  /// The commit whose keyspaces are known to have handles in `counted`.
  private var countedCommit: UInt64 = 0
  private var counted: LMDBKeyspaceTable?
  /// Cursors that were made here, cached for reuse.
  @exclusivity(unchecked) private var cursors: [LMDBPageCursor] = []

  /// A reader of the newest commit, of its pages or by the library's cursors.
  init(_ environment: LMDBEnvironment, _ table: LMDBKeyspaceTable, readsPages: Bool) throws {
    self.readsPages = readsPages
    transaction = try LMDBTransaction(reading: environment, hasCursors: !readsPages)
    transaction.table = table
    commit = transaction.number
    mapNumber = environment.mapNumber
  }

  /// Releases the snapshot, but keeps the slot in the table of readers.
  func reset() {
    session &+= 1
    if cursors.count > Self.cachedCursors { cursors = [] }
    transaction.reset()
  }

  /// Takes a snapshot of the newest commit, after ``reset()``.
  func renew() throws {
    try transaction.renew()
    session &+= 1
    commit = transaction.number
    let mapNumber = transaction.environment.mapNumber
    if self.mapNumber != mapNumber {
      self.mapNumber = mapNumber
      // The path to the map is found again with the first tree.
      mapping = nil
      main = Tree()
      trees = []
    }
  }

  /// Frees the reader with its slot.
  ///
  /// Cursors of it must not be used any more.
  func close() {
    session &+= 1
    cursors = []
    transaction.close()
  }

  /// Returns whether the commit has no keyspace without a handle.
  func knowsAllKeyspaces() throws -> Bool {
    let table = transaction.table
    if countedCommit == commit, counted === table { return true }
    if readsPages { try findMain() }
    guard try transaction.keyspaceCount() == table.count else { return false }
    (countedCommit, counted) = (commit, table)
    return true
  }

  /// A cursor on a keyspace, perhaps one that its maker has released.
  func cursor(in keyspace: Keyspace) throws -> LMDBPageCursor {
    for index in cursors.indices where cursors[index].keyspace == keyspace {
      if isKnownUniquelyReferenced(&cursors[index]) {
        cursors[index].reuse()
        return cursors[index]
      }
    }
    let cursor = LMDBPageCursor(self, keyspace)
    cursors.append(cursor)
    return cursor
  }

  // MARK: Trees

  /// Returns the tree of a keyspace, of depth 0 if it has no entries.
  @inline(__always)
  func tree(of keyspace: Keyspace) throws -> Tree {
    let handle = Int(transaction.handle(of: keyspace))
    if handle < trees.count, trees[handle].commit == commit { return trees[handle] }
    return try lookUp(keyspace, handle)
  }

  /// Reads the meta page of the commit, which is there until the second commit after it ends.
  private func findMain() throws {
    if main.commit == commit { return }
    guard let known = mapping ?? transaction.environment.mapping(of: mapNumber) else { return }
    mapping = known
    let number = commit & 1
    var pause = LMDBPause(seconds: 0.01)
    repeat {
      let meta = known.meta(number)
      // A page that is read while it is written differs the second time, or has a fault.
      guard meta.fault(at: number) == nil, meta == known.meta(number) else { continue }
      if meta.transaction > commit { return }
      guard meta.transaction == commit else { continue }
      main = try checked(meta.main)
      return
    } while pause.next()
    throw damaged()
  }

  /// The root of a tree by its record.
  private func checked(_ record: LMDBTree) throws -> Tree {
    if record.root != LMDBFormat.noPage, mapping?.reaches(record.root) != true { throw damaged() }
    guard let mapping else { throw damaged() }
    // No entry takes less than its header.
    let most = mapping.pageCount * UInt64(mapping.pageSize / LMDBFormat.nodeHeaderSize)
    guard record.isPlausible(flags: 0, lastPage: mapping.pageCount), record.entries <= most else {
      throw damaged()
    }
    return Tree(
      commit: commit, root: record.root, depth: Int(record.depth), entries: Int(record.entries))
  }

  /// Finds a tree for the first time in a commit.
  @inline(never)
  private func lookUp(_ keyspace: Keyspace, _ handle: Int) throws -> Tree {
    if handle == 0 { return Tree(commit: commit) }
    let record = main.commit == commit ? try record(of: keyspace) : try libraryRecord(of: keyspace)
    while trees.count <= handle { trees.append(Tree()) }
    trees[handle] = try checked(record)
    return trees[handle]
  }

  /// Reads the record of a keyspace's tree in the tree of keyspaces.
  private func record(of keyspace: Keyspace) throws -> LMDBTree {
    guard main.depth > 0 else { throw damaged() }
    return try LMDBKeyspaceTable.withName(of: keyspace) { name in
      let probe = LMDBProbe(name)
      var number = main.root
      for _ in 1..<main.depth {
        let page = try page(number, isLeaf: false)
        guard let index = page.childIndex(of: probe), let child = page.child(index) else {
          throw damaged()
        }
        number = child
      }
      let leaf = try page(number, isLeaf: true)
      guard let index = leaf.index(of: probe), let tree = leaf.tree(index, of: probe) else {
        throw damaged()
      }
      return tree
    }
  }

  /// Asks the library for the record, and finds by it where the file is mapped.
  private func libraryRecord(of keyspace: Keyspace) throws -> LMDBTree {
    guard let record = try transaction.treeRecord(of: keyspace), let address = record.baseAddress,
      record.count == LMDBTree.size
    else { throw damaged() }
    if mapping == nil, let found = LMDBMapping(of: transaction.environment, around: address) {
      mapping = found
      transaction.environment.keep(found, of: mapNumber)
    }
    return LMDBTree(record)
  }

  /// A page of a tree.
  @inline(__always)
  func page(_ number: UInt64, isLeaf: Bool) throws -> LMDBMappedPage {
    if let mapping, number < mapping.pageCount,
      let page = LMDBMappedPage(
        mapping.address(of: number), size: mapping.pageSize, number: number, isLeaf: isLeaf)
    {
      return page
    }
    return try pageOfGrownFile(number, isLeaf: isLeaf)
  }

  @inline(never)
  private func pageOfGrownFile(_ number: UInt64, isLeaf: Bool) throws -> LMDBMappedPage {
    guard mapping?.reaches(number) == true, let mapping,
      let page = LMDBMappedPage(
        mapping.address(of: number), size: mapping.pageSize, number: number, isLeaf: isLeaf)
    else { throw damaged() }
    return page
  }

  /// An entry of a leaf.
  @inline(__always)
  func entry(of page: LMDBMappedPage, _ index: Int) throws -> OrderedEntry {
    guard let entry = page.entry(index) else { throw damaged() }
    switch entry.value {
    case .here(let value): return OrderedEntry(key: entry.key, value: value)
    case .overflow(let page, let size):
      return OrderedEntry(key: entry.key, value: try overflow(page, size))
    }
  }

  /// A value that has pages of its own.
  @inline(never)
  private func overflow(_ number: UInt64, _ size: Int) throws -> UnsafeRawBufferPointer {
    guard number >= 2, mapping?.reaches(number) == true, let first = mapping?.address(of: number),
      let pageSize = mapping?.pageSize,
      first.loadUnaligned(as: UInt64.self) == number,
      first.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == LMDBFormat.PageFlag.overflow
    else { throw damaged() }
    let pages = Int(first.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
    guard pages > 0, size <= pages * pageSize - LMDBFormat.headerSize,
      mapping?.reaches(number, and: UInt64(pages - 1)) == true
    else { throw damaged() }
    return UnsafeRawBufferPointer(start: first + LMDBFormat.headerSize, count: size)
  }

  /// The value of a key, valid until the snapshot ends.
  func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    let tree = try tree(of: keyspace)
    if tree.depth == 0 { return nil }
    let probe = LMDBProbe(key)
    var number = tree.root
    for _ in 1..<tree.depth {
      let page = try page(number, isLeaf: false)
      guard let index = page.childIndex(of: probe), let child = page.child(index) else {
        throw damaged()
      }
      number = child
    }
    let leaf = try page(number, isLeaf: true)
    guard let index = leaf.index(of: probe) else { throw damaged() }
    guard index < leaf.count else { return nil }
    let entry = try entry(of: leaf, index)
    return probe.order(of: entry.key) == 0 ? entry.value : nil
  }

  @inline(never)
  func damaged() -> StoreError {
    StoreError(.corrupt, "\(transaction.environment.path) is damaged: a page cannot be read.")
  }
}
