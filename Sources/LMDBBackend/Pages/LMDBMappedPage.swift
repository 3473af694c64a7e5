internal import OrderedEngine

/// A page of a tree in the map, whose bytes may be anything: each accessor returns nil if the result would
/// not lie inside of the page.
///
/// ``LMDBPage`` is for pages that are checked as a whole; this one looks at no more than is asked.
struct LMDBMappedPage {
  /// The value of an entry of a leaf.
  enum Value {
    case here(UnsafeRawBufferPointer)
    /// A value of `size` bytes in pages of its own, the first of which is `page`.
    case overflow(page: UInt64, size: Int)
  }

  private let start: UnsafeRawPointer
  private let size: Int
  /// The number of entries it has, at least one.
  let count: Int

  /// The page at an address, if it says that it is the page asked for.
  @inline(__always)
  init?(_ start: UnsafeRawPointer, size: Int, number: UInt64, isLeaf: Bool) {
    self.start = start
    self.size = size
    let lower = Int(start.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    count = (lower &- LMDBFormat.headerSize) >> 1
    let kind = isLeaf ? LMDBFormat.PageFlag.leaf : LMDBFormat.PageFlag.branch
    guard start.loadUnaligned(as: UInt64.self) == number,
      start.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == kind,
      lower <= size, count > 0
    else { return nil }
  }

  /// Returns whether both are the same address in the map.
  @inline(__always)
  func isSame(as other: LMDBMappedPage) -> Bool { start == other.start }

  @inline(__always)
  private func word(_ offset: Int) -> Int {
    Int(start.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Returns the offsets at which an entry begins and its key ends; nil if either is outside the
  /// page.
  @inline(__always)
  private func node(_ index: Int) -> (offset: Int, keyEnd: Int)? {
    let offset = word(LMDBFormat.headerSize &+ index &* 2)
    let header = LMDBFormat.nodeHeaderSize
    guard offset &+ header <= size else { return nil }
    let end = offset &+ header &+ word(offset &+ 6)
    return end <= size ? (offset, end) : nil
  }

  /// The key of an entry; of the first one of a branch it means nothing.
  @inline(__always)
  func key(_ index: Int) -> UnsafeRawBufferPointer? {
    guard let node = node(index) else { return nil }
    let begin = node.offset &+ LMDBFormat.nodeHeaderSize
    return UnsafeRawBufferPointer(start: start + begin, count: node.keyEnd &- begin)
  }

  /// The key and the value of an entry of a leaf.
  @inline(__always)
  func entry(_ index: Int) -> (key: UnsafeRawBufferPointer, value: Value)? {
    guard let node = node(index) else { return nil }
    let begin = node.offset &+ LMDBFormat.nodeHeaderSize
    let key = UnsafeRawBufferPointer(start: start + begin, count: node.keyEnd &- begin)
    let (low, high, flags) = halves(node.offset)
    let length = low | high << 16
    if flags == 0 {
      guard length <= size &- node.keyEnd else { return nil }
      return (key, .here(UnsafeRawBufferPointer(start: start + node.keyEnd, count: length)))
    }
    guard flags == LMDBFormat.NodeFlag.overflow, node.keyEnd &+ 8 <= size else { return nil }
    let page = start.loadUnaligned(fromByteOffset: node.keyEnd, as: UInt64.self)
    return (key, .overflow(page: page, size: length))
  }

  /// Returns the record of a tree that an entry of a leaf holds under the key; nil if it holds none.
  func tree(_ index: Int, of probe: LMDBProbe) -> LMDBTree? {
    guard index < count, let node = node(index), let key = key(index), probe.order(of: key) == 0,
      word(node.offset &+ 4) == Int(LMDBFormat.NodeFlag.database),
      node.keyEnd &+ LMDBTree.size <= size
    else { return nil }
    return LMDBTree(UnsafeRawBufferPointer(start: start + node.keyEnd, count: LMDBTree.size))
  }

  /// The page that an entry of a branch leads to.
  @inline(__always)
  func child(_ index: Int) -> UInt64? {
    guard let node = node(index) else { return nil }
    let (low, middle, high) = halves(node.offset)
    return UInt64(truncatingIfNeeded: low | middle << 16 | high << 32)
  }

  /// The first three words of an entry, the lowest first.
  @inline(__always)
  private func halves(_ offset: Int) -> (Int, Int, Int) {
    let (first, second) = (word(offset), word(offset &+ 2))
    #if _endian(little)
      return (first, second, word(offset &+ 4))
    #else
      return (second, first, word(offset &+ 4))
    #endif
  }

  // MARK: Searching

  /// The index, from `low` on, of the first key that is not less than the one looked for, perhaps
  /// behind the last.
  @inline(__always)
  func index(of probe: LMDBProbe, from low: Int = 0) -> Int? {
    var low = low
    var length = count &- low
    if length >= InterpolationSearch.fewest, probe.hasHead, let least = head(low),
      let greatest = head(count &- 1)
    {
      if greatest < least { return nil }
      if greatest < probe.head { return count }
      if probe.head < least { return low }
      if let steps = InterpolationSearch.steps(
        to: probe.head, from: least, to: greatest, of: length &- 1),
        let found = head(low &+ steps)
      {
        let guess = low &+ steps
        if found < probe.head {
          // The greatest is not less, so there is one more.
          if let next = head(guess &+ 1), probe.head < next { return guess &+ 1 }
          (low, length) = (guess &+ 1, count &- guess &- 1)
        } else if probe.head < found {
          length = steps
        } else if key(guess).map({ probe.order(of: $0) }) == 0 {
          return guess
        }
      }
    }
    while length > 0 {
      let half = length >> 1
      // Written so that the processor need not guess which half it will be.
      guard let isLess = isLess(low &+ half, than: probe) else { return nil }
      low = isLess ? low &+ half &+ 1 : low
      length = isLess ? length &- half &- 1 : half
    }
    return low
  }

  /// The first eight bytes of an entry's key, as a probe has them; nil where there are fewer.
  @inline(__always)
  private func head(_ index: Int) -> UInt64? {
    let offset = word(LMDBFormat.headerSize &+ index &* 2)
    let begin = offset &+ LMDBFormat.nodeHeaderSize
    guard begin &+ 8 <= size, word(offset &+ 6) >= 8 else { return nil }
    return UInt64(bigEndian: start.loadUnaligned(fromByteOffset: begin, as: UInt64.self))
  }

  /// Returns whether the key of an entry is less than the one looked for.
  @inline(__always)
  private func isLess(_ index: Int, than probe: LMDBProbe) -> Bool? {
    // Mostly the first eight bytes decide, wherever the key ends.
    if probe.hasHead, let head = head(index), head != probe.head { return head < probe.head }
    return key(index).map { probe.order(of: $0) < 0 }
  }

  /// The index of the entry of a branch below which a key is.
  @inline(__always)
  func childIndex(of probe: LMDBProbe) -> Int? {
    // Keys below the first entry are less than the second's key, however small they are.
    guard let index = index(of: probe, from: 1) else { return nil }
    guard index < count else { return index &- 1 }
    guard let key = key(index) else { return nil }
    return probe.order(of: key) == 0 ? index : index &- 1
  }
}
