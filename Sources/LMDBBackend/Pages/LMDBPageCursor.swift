internal import ORMStorage
package import OrderedEngine

/// A position in one keyspace of a snapshot: a leaf, an index in it, and the branches above.
///
/// Moving within a leaf is an addition. A cursor at no entry does not move: `next` and
/// `previous` are false until the next seek. After its snapshot has ended, seeking throws
/// `transactionEnded`.
package final class LMDBPageCursor: OrderedCursor {
  /// A branch, and its entry that leads to the page below.
  private struct Level {
    var page: LMDBMappedPage
    var index: Int
  }

  private let reader: LMDBReader
  let keyspace: Keyspace
  /// The reader's session that this cursor belongs to.
  private var session: UInt64
  private var tree = LMDBReader.Tree()
  /// The path to the leaf, from the root on.
  private let levels: UnsafeMutablePointer<Level>
  /// The leaf that was reached last in this session.
  private var leaf: LMDBMappedPage?
  private var index = 0
  private var stands = false
  /// True if the last two keys looked for were in one leaf, so that the next may be as well.
  private var isNear = false
  /// The entry at the cursor's position.
  @exclusivity(unchecked) package private(set) var entry = LMDBPageCursor.nothing

  private static var nothing: OrderedEntry {
    OrderedEntry(key: .init(start: nil, count: 0), value: .init(start: nil, count: 0))
  }

  init(_ reader: LMDBReader, _ keyspace: Keyspace) {
    self.reader = reader
    self.keyspace = keyspace
    session = reader.session
    levels = .allocate(capacity: LMDBFormat.maximumDepth)
  }

  deinit { levels.deallocate() }

  /// Resets the cursor for its next user.
  func reuse() {
    if session != reader.session {
      session = reader.session
      leaf = nil
    }
    _ = standNowhere()
  }

  // MARK: Seeking

  package func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
    guard try begin() else { return false }
    let leaf = try leaf(of: LMDBProbe(key))
    return try index < leaf.count ? stand(leaf) : step(forwards: true)
  }

  package func seek(before key: UnsafeRawBufferPointer) throws -> Bool {
    guard !key.isEmpty, try begin() else { return false }
    let leaf = try leaf(of: LMDBProbe(key))
    if index == 0 { return try step(forwards: false) }
    index &-= 1
    return try stand(leaf)
  }

  package func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    guard try begin() else { return nil }
    let probe = LMDBProbe(key)
    let leaf = try leaf(of: probe)
    guard index < leaf.count else { return nil }
    let entry = try reader.entry(of: leaf, index)
    return probe.order(of: entry.key) == 0 ? entry.value : nil
  }

  package func seekLast() throws -> Bool {
    guard try begin() else { return false }
    leaf = nil
    return try stand(descend(to: tree.root, below: 0, forwards: false))
  }

  /// Leaves the old position; false when the keyspace has no entries.
  @inline(__always)
  private func begin() throws -> Bool {
    stands = false
    if session != reader.session {
      throw StoreError(.transactionEnded, "A cursor was used after its snapshot ended.")
    }
    if leaf == nil { tree = try reader.tree(of: keyspace) }
    return tree.depth > 0 || standNowhere()
  }

  /// The leaf that a key belongs into, with `index` at the first entry that is not less, perhaps
  /// behind the last.
  @inline(__always)
  private func leaf(of probe: LMDBProbe) throws -> LMDBMappedPage {
    let last = leaf
    if isNear, let last, let first = last.key(0), let end = last.key(last.count &- 1),
      probe.order(of: first) <= 0, probe.order(of: end) >= 0
    {
      guard let found = last.index(of: probe) else { throw reader.damaged() }
      index = found
      return last
    }
    leaf = nil
    var number = tree.root
    for level in 0..<tree.depth &- 1 {
      let page = try reader.page(number, isLeaf: false)
      guard let index = page.childIndex(of: probe), let child = page.child(index) else {
        throw reader.damaged()
      }
      levels[level] = Level(page: page, index: index)
      number = child
    }
    let found = try reader.page(number, isLeaf: true)
    guard let first = found.index(of: probe) else { throw reader.damaged() }
    isNear = last?.isSame(as: found) == true
    index = first
    leaf = found
    return found
  }

  // MARK: Moving

  package func next() throws -> Bool {
    guard let leaf = standing else { return standNowhere() }
    guard index &+ 1 < leaf.count else { return try step(forwards: true) }
    index &+= 1
    return try stand(leaf)
  }

  package func previous() throws -> Bool {
    guard let leaf = standing else { return standNowhere() }
    guard index > 0 else { return try step(forwards: false) }
    index &-= 1
    return try stand(leaf)
  }

  package func move(by count: Int) throws -> Int {
    guard standing != nil else {
      _ = standNowhere()
      return 0
    }
    let wanted = Int(clamping: count.magnitude)
    let forwards = count > 0
    var moved = 0
    while moved < wanted, let leaf {
      // As far as the leaf goes, then to the next.
      let left = forwards ? leaf.count &- 1 &- index : index
      if wanted - moved <= left {
        index += forwards ? wanted - moved : moved - wanted
        _ = try stand(leaf)
        return wanted
      }
      guard try step(forwards: forwards) else { return moved + left }
      moved += left + 1
    }
    return moved
  }

  package func read(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, forwards: Bool
  ) throws -> Int {
    guard try forwards ? next() : previous(), let leaf else { return 0 }
    entries[0] = entry
    // As far as the leaf goes: memory beyond it may not be readable.
    let more = min(forwards ? leaf.count &- 1 &- index : index, entries.count &- 1)
    var count = 1
    while count <= more {
      let next = forwards ? index &+ 1 : index &- 1
      guard let found = try? reader.entry(of: leaf, next) else { break }
      entries[count] = found
      index = next
      count &+= 1
    }
    entry = entries[count &- 1]
    return count
  }

  /// The leaf it is in; nil when it is at no entry.
  @inline(__always)
  private var standing: LMDBMappedPage? { stands && session == reader.session ? leaf : nil }

  /// Goes to the nearest entry of the leaf beside this one.
  @inline(never)
  private func step(forwards: Bool) throws -> Bool {
    var level = tree.depth - 2
    while level >= 0 {
      let next = levels[level].index + (forwards ? 1 : -1)
      if next >= 0 && next < levels[level].page.count {
        leaf = nil
        stands = false
        levels[level].index = next
        guard let child = levels[level].page.child(next) else { throw reader.damaged() }
        return try stand(descend(to: child, below: level + 1, forwards: forwards))
      }
      level -= 1
    }
    return standNowhere()
  }

  /// Goes down to the first leaf below a page, or to the last, and to its first or last entry.
  private func descend(
    to page: UInt64, below level: Int, forwards: Bool
  ) throws -> LMDBMappedPage {
    var number = page
    var level = level
    while level < tree.depth - 1 {
      let page = try reader.page(number, isLeaf: false)
      let index = forwards ? 0 : page.count - 1
      guard let child = page.child(index) else { throw reader.damaged() }
      levels[level] = Level(page: page, index: index)
      number = child
      level += 1
    }
    let found = try reader.page(number, isLeaf: true)
    index = forwards ? 0 : found.count - 1
    leaf = found
    return found
  }

  /// Takes the entry at `index`.
  @inline(__always)
  private func stand(_ leaf: LMDBMappedPage) throws -> Bool {
    stands = false
    entry = try reader.entry(of: leaf, index)
    stands = true
    return true
  }

  private func standNowhere() -> Bool {
    stands = false
    entry = Self.nothing
    return false
  }
}

extension LMDBPageCursor {
  /// Throws `corrupt`, naming the invariant, if one is broken; for tests, in debug builds alone.
  ///
  /// They hold between two calls, unless the snapshot has ended or the last call threw:
  ///
  /// 1. A cursor at an entry has a leaf, and an index in it.
  /// 2. Its entry is the one at that index.
  /// 3. The branches lead from the root of the tree to the leaf.
  /// 4. The keys of the leaf are not less than those that its path follows, and less than the next.
  func checkInvariants() throws {
    #if DEBUG
      func require(_ number: Int, _ holds: Bool) throws {
        if !holds { throw StoreError(.corrupt, "Invariant \(number) of the cursor is broken.") }
      }
      guard session == reader.session else { return }
      try require(1, !stands || leaf != nil)
      guard let leaf else { return }
      try require(1, stands ? leaf.count > index && index >= 0 : index <= leaf.count)
      if stands {
        let expected = try reader.entry(of: leaf, index)
        try require(2, expected.key.elementsEqual(entry.key))
        try require(2, expected.value.baseAddress == entry.value.baseAddress)
      }
      guard let first = leaf.key(0), let last = leaf.key(leaf.count - 1) else {
        throw reader.damaged()
      }
      var number = tree.root
      for level in 0..<tree.depth - 1 {
        let (page, index) = (levels[level].page, levels[level].index)
        try require(3, page.isSame(as: try reader.page(number, isLeaf: false)))
        try require(3, (0..<page.count).contains(index))
        if index > 0, let lower = page.key(index) {
          try require(4, LMDBProbe(lower).order(of: first) >= 0)
        }
        if index + 1 < page.count, let upper = page.key(index + 1) {
          try require(4, LMDBProbe(upper).order(of: last) < 0)
        }
        guard let child = page.child(index) else { throw reader.damaged() }
        number = child
      }
      try require(3, leaf.isSame(as: try reader.page(number, isLeaf: true)))
    #endif
  }
}
