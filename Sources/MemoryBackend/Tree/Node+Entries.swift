/// Changes of a node that its transaction owns. Who holds the blobs is for the caller to see to.
extension Node {
  /// An entry as it lies here; its bytes are valid until the node changes.
  func entry(_ index: Int) -> Entry {
    let entry = entryPointer(index)
    let keyLength = entry.loadUnaligned(as: UInt16.self)
    let key = entry + Node.lengthsSize
    return Entry(
      key: Node.field(at: key, length: keyLength),
      value: Node.field(
        at: key + Node.storedSize(keyLength),
        length: entry.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
  }

  private static func field(at place: UnsafeRawPointer, length: UInt16) -> Field {
    length == outside
      ? .outside(Blob(at: place))
      : .bytes(UnsafeRawBufferPointer(start: place, count: Int(length)))
  }

  /// The bytes an entry takes, without its slot.
  @inline(__always)
  func entrySize(_ index: Int) -> Int {
    let entry = entryPointer(index)
    return Node.lengthsSize + Node.storedSize(entry.loadUnaligned(as: UInt16.self))
      + Node.storedSize(entry.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
  }

  /// Puts an entry at a place among the others.
  ///
  /// There is room for its cost.
  func insert(_ entry: Entry, at index: Int) {
    assert(entry.cost <= room && index <= count)
    let start = Int(header.pointee.floor) - entry.size
    let place = base + start
    place.storeBytes(of: entry.key.length, as: UInt16.self)
    place.storeBytes(of: entry.value.length, toByteOffset: 2, as: UInt16.self)
    entry.key.write(to: place + Node.lengthsSize)
    entry.value.write(to: place + Node.lengthsSize + entry.key.size)
    let slot = base + Node.headerSize + 2 * index
    let following = 2 * (count - index)
    if following > 0 { (slot + 2).copyMemory(from: slot, byteCount: following) }
    slot.storeBytes(of: UInt16(truncatingIfNeeded: start), as: UInt16.self)
    header.pointee.floor = UInt16(truncatingIfNeeded: start)
    header.pointee.count &+= 1
    header.pointee.outside &+= entry.outside
  }

  /// Puts an entry after all others.
  ///
  /// There is room for its cost.
  func append(_ entry: Entry) { insert(entry, at: count) }

  /// Takes an entry out.
  ///
  /// Its bytes stay readable until something is put in.
  func remove(at index: Int) {
    let entry = entryPointer(index)
    let size = entrySize(index)
    if header.pointee.outside > 0 {
      header.pointee.outside &-= self.entry(index).outside
    }
    if entry - base == Int(header.pointee.floor) {
      header.pointee.floor &+= UInt16(truncatingIfNeeded: size)
    } else {
      header.pointee.dead &+= UInt16(truncatingIfNeeded: size)
    }
    let slot = base + Node.headerSize + 2 * index
    let following = 2 * (count - index - 1)
    if following > 0 { slot.copyMemory(from: slot + 2, byteCount: following) }
    header.pointee.count &-= 1
  }

  /// Changes a value for one that takes no more bytes.
  func setValue(_ index: Int, _ value: Field) {
    let entry = entryPointer(index)
    let old = entry.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
    let spare = Node.storedSize(old) - value.size
    assert(spare >= 0)
    if old == Node.outside { header.pointee.outside &-= 1 }
    if value.length == Node.outside { header.pointee.outside &+= 1 }
    header.pointee.dead &+= UInt16(truncatingIfNeeded: spare)
    entry.storeBytes(of: value.length, toByteOffset: 2, as: UInt16.self)
    value.write(
      to: entry + Node.lengthsSize + Node.storedSize(entry.loadUnaligned(as: UInt16.self)))
  }

  /// Makes the key of a branch's entry empty.
  func clearKey(_ index: Int) {
    let entry = entryPointer(index)
    let child = self.child(index)
    let length = entry.loadUnaligned(as: UInt16.self)
    if length == Node.outside { header.pointee.outside &-= 1 }
    header.pointee.dead &+= UInt16(truncatingIfNeeded: Node.storedSize(length))
    entry.storeBytes(of: 0, as: UInt16.self)
    Field.child(child).write(to: entry + Node.lengthsSize)
  }

  /// Takes out the entries from a place to the end.
  func truncate(to newCount: Int) {
    while count > newCount { remove(at: count - 1) }
  }

  /// A copy, byte for byte but for its birth.
  func copied(birth: UInt64) -> Node {
    let copy = Node(level: level, capacity: capacity, birth: birth)
    let floor = Int(header.pointee.floor)
    copy.base.copyMemory(from: base, byteCount: Node.headerSize + 2 * count)
    (copy.base + floor).copyMemory(from: base + floor, byteCount: capacity - floor)
    copy.header.pointee.birth = birth
    return copy
  }

  /// A node of the same entries without dead bytes.
  func rebuilt(capacity: Int, birth: UInt64) -> Node {
    let copy = Node(level: level, capacity: capacity, birth: birth)
    for index in 0..<count { copy.append(entry(index)) }
    return copy
  }
}
