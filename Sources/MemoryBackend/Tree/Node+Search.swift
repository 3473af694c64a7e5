internal import OrderedEngine

extension Node {
  /// The index of the first key not less, and whether it is the key.
  @inline(__always)
  func search(_ key: UnsafeRawBufferPointer) -> (index: Int, found: Bool) {
    let first = firstKeyed
    let count = count
    guard first < count else { return (first, false) }
    let prefix = Int(header.pointee.prefix)
    if prefix > 0 {
      let order = compareStart(of: key, with: self.key(first), prefix)
      if order != 0 { return (order < 0 ? first : count, false) }
    }
    let head = Node.head(of: key, after: prefix)
    let index = firstHead(notLess: head, from: first, to: count)
    guard index < count, self.head(index) == head else { return (index, false) }
    let order = compare(self.key(index), key)
    return order < 0 ? search(key, from: index &+ 1, to: count) : (index, order == 0)
  }

  /// The index of a key in a leaf; nil when it is not there.
  ///
  /// The common prefix of the keys is not compared first, since that would fetch another line of memory:
  /// a key of the same head is compared as a whole, and one without an equal head is not there, with any
  /// prefix.
  @inline(__always)
  func index(of key: UnsafeRawBufferPointer) -> Int? {
    let count = count
    let head = Node.head(of: key, after: Int(header.pointee.prefix))
    let index = firstHead(notLess: head, from: 0, to: count)
    guard index < count, self.head(index) == head else { return nil }
    if compare(self.key(index), key) == 0 { return index }
    let (position, found) = search(key)
    return found ? position : nil
  }

  /// The head of an entry's key.
  @inline(__always)
  private func head(_ index: Int) -> UInt32 { slotPointer(index).load(as: UInt32.self) }

  /// The index of the first of some entries whose head is not less, perhaps behind the last.
  @inline(__always)
  private func firstHead(notLess head: UInt32, from first: Int, to end: Int) -> Int {
    var low = first
    var length = end &- first
    if length >= InterpolationSearch.fewest {
      let (least, greatest) = (self.head(first), self.head(end &- 1))
      if head <= least { return first }
      if head > greatest { return end }
      if let steps = InterpolationSearch.steps(
        to: UInt64(head), from: UInt64(least), to: UInt64(greatest), of: length &- 1)
      {
        let guess = first &+ steps
        // The least is less and the greatest is not, so there is one more on that side.
        if self.head(guess) < head {
          if self.head(guess &+ 1) >= head { return guess &+ 1 }
          let far = min(guess &+ InterpolationSearch.reach, end &- 1)
          let isBeyond = self.head(far) < head
          low = isBeyond ? far &+ 1 : guess &+ 2
          length = (isBeyond ? end : far) &- low
        } else {
          if self.head(guess &- 1) < head { return guess }
          let far = max(guess &- InterpolationSearch.reach, first)
          low = self.head(far) < head ? far &+ 1 : first
          length = guess &- 1 &- low
        }
      }
    }
    while length > 0 {
      let half = length &>> 1
      // Written so that the processor need not guess which half it will be.
      let isLess = self.head(low &+ half) < head
      low = isLess ? low &+ half &+ 1 : low
      length = isLess ? length &- half &- 1 : half
    }
    return low
  }

  /// The same as ``search(_:)`` among some entries by their whole keys, for those of equal heads.
  @inline(never)
  private func search(
    _ key: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> (index: Int, found: Bool) {
    var low = start
    var high = end
    while low < high {
      let middle = (low &+ high) &>> 1
      let order = compare(self.key(middle), key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
    return (low, false)
  }

  /// The entry of a branch under which a key belongs.
  @inline(__always)
  func childIndex(_ key: UnsafeRawBufferPointer) -> Int {
    let (index, found) = search(key)
    return found ? index : index &- 1
  }
}

/// Compares the first `count` bytes of two keys.
@inline(__always)
private func compareStart(
  of left: UnsafeRawBufferPointer, with right: UnsafeRawBufferPointer, _ count: Int
) -> Int {
  compare(
    UnsafeRawBufferPointer(start: left.baseAddress, count: min(left.count, count)),
    UnsafeRawBufferPointer(start: right.baseAddress, count: count))
}

/// Compares as unsigned bytes, a prefix before longer keys that it begins: negative, zero or positive.
///
/// Eight bytes at a time; the last load overlaps the one before instead of going byte by byte.
@inline(__always)
func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let common = min(left.count, right.count)
  guard common > 0, let one = left.baseAddress, let two = right.baseAddress else {
    return left.count &- right.count
  }
  if common >= 8 {
    var offset = 0
    while true {
      let a = one.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
      let b = two.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
      if a != b { return a < b ? -1 : 1 }
      if offset == common &- 8 { break }
      offset = min(offset &+ 8, common &- 8)
    }
  } else if common >= 4 {
    var offset = 0
    while true {
      let a = one.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
      let b = two.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
      if a != b { return a < b ? -1 : 1 }
      if offset == common &- 4 { break }
      offset = common &- 4
    }
  } else {
    for offset in 0..<common {
      let a = one.load(fromByteOffset: offset, as: UInt8.self)
      let b = two.load(fromByteOffset: offset, as: UInt8.self)
      if a != b { return a < b ? -1 : 1 }
    }
  }
  return left.count &- right.count
}

/// Returns the number of bytes the two have in common at the start.
func commonPrefix(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  var length = 0
  let limit = min(left.count, right.count)
  while length < limit && left[length] == right[length] { length += 1 }
  return length
}
