extension Node {
  /// The place of the first key not less, and whether it is the key.
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
    var low = first
    var high = count
    while low < high {
      let middle = (low &+ high) &>> 1
      let other = slotPointer(middle).load(as: UInt32.self)
      if other < head {
        low = middle &+ 1
      } else if other > head {
        high = middle
      } else {
        let order = compare(self.key(middle), key)
        if order == 0 { return (middle, true) }
        if order < 0 { low = middle &+ 1 } else { high = middle }
      }
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

/// Compares the first bytes of two keys, the second of which has so many.
@inline(__always)
private func compareStart(
  of left: UnsafeRawBufferPointer, with right: UnsafeRawBufferPointer, _ count: Int
) -> Int {
  compare(
    UnsafeRawBufferPointer(start: left.baseAddress, count: min(left.count, count)),
    UnsafeRawBufferPointer(start: right.baseAddress, count: count))
}

/// Compares as unsigned bytes, a prefix before what it begins: negative, zero or positive.
///
/// Eight bytes at a time; the last load overlaps the one before instead of going byte by byte.
@inline(__always)
func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let common = min(left.count, right.count)
  guard common > 0, let one = left.baseAddress, let two = right.baseAddress else {
    return left.count &- right.count
  }
  if common >= 8 {
    var place = 0
    while true {
      let a = one.loadUnaligned(fromByteOffset: place, as: UInt64.self).bigEndian
      let b = two.loadUnaligned(fromByteOffset: place, as: UInt64.self).bigEndian
      if a != b { return a < b ? -1 : 1 }
      if place == common &- 8 { break }
      place = min(place &+ 8, common &- 8)
    }
  } else if common >= 4 {
    var place = 0
    while true {
      let a = one.loadUnaligned(fromByteOffset: place, as: UInt32.self).bigEndian
      let b = two.loadUnaligned(fromByteOffset: place, as: UInt32.self).bigEndian
      if a != b { return a < b ? -1 : 1 }
      if place == common &- 4 { break }
      place = common &- 4
    }
  } else {
    for place in 0..<common {
      let a = one.load(fromByteOffset: place, as: UInt8.self)
      let b = two.load(fromByteOffset: place, as: UInt8.self)
      if a != b { return a < b ? -1 : 1 }
    }
  }
  return left.count &- right.count
}

/// How many bytes the two have in common at the start.
func commonPrefix(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  var length = 0
  let limit = min(left.count, right.count)
  while length < limit && left[length] == right[length] { length += 1 }
  return length
}
