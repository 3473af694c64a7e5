/// Changes of a node that its transaction owns. The caller is responsible for the references to
/// blobs.
extension Node {
  /// An entry as it lies here; its bytes are valid until the node changes.
  func entry(_ index: Int) -> Entry {
    let slot = slot(index)
    let entry = base + Int(slot.offset)
    return Entry(
      key: Node.field(at: entry + Node.lengthSize, length: slot.keyLength),
      value: Node.field(at: valuePointer(index), length: entry.loadUnaligned(as: UInt16.self)))
  }

  private static func field(at address: UnsafeRawPointer, length: UInt16) -> EntryField {
    length == outside
      ? .outside(Blob(at: address))
      : .bytes(UnsafeRawBufferPointer(start: address, count: Int(length)))
  }

  /// The bytes an entry takes, without its slot.
  @inline(__always)
  func entrySize(_ index: Int) -> Int {
    let slot = slot(index)
    let valueLength = base.loadUnaligned(fromByteOffset: Int(slot.offset), as: UInt16.self)
    return Node.lengthSize + Node.storedSize(slot.keyLength) + Node.storedSize(valueLength)
  }

  /// Puts an entry at an index among the others.
  ///
  /// Its cost must fit into the free capacity.
  func insert(_ entry: Entry, at index: Int) {
    let head = index < firstKeyed ? 0 : head(admitting: entry.key.contents, at: index)
    write(entry, at: index, head: head)
  }

  /// Puts an entry after all others, without its head: ``refreshHeads()`` is to follow.
  func append(_ entry: Entry) { write(entry, at: count, head: 0) }

  private func write(_ entry: Entry, at index: Int, head: UInt32) {
    assert(entry.cost <= freeBytes && index <= count)
    let start = Int(header.pointee.floor) - entry.size
    let address = base + start
    address.storeBytes(of: entry.value.length, as: UInt16.self)
    entry.key.write(to: address + Node.lengthSize)
    entry.value.write(to: address + Node.lengthSize + entry.key.size)
    let slot = slotPointer(index)
    let following = Node.slotSize * (count - index)
    if following > 0 { (slot + Node.slotSize).copyMemory(from: slot, byteCount: following) }
    let offset = UInt16(truncatingIfNeeded: start)
    slot.storeBytes(
      of: Slot(head: head, offset: offset, keyLength: entry.key.length), as: Slot.self)
    header.pointee.floor = offset
    header.pointee.count &+= 1
    header.pointee.outside &+= entry.outside
  }

  /// Takes an entry out.
  ///
  /// Its bytes stay readable until something is put in.
  func remove(at index: Int) {
    let offset = slot(index).offset
    let size = UInt16(truncatingIfNeeded: entrySize(index))
    if header.pointee.outside > 0 { header.pointee.outside &-= entry(index).outside }
    if offset == header.pointee.floor {
      header.pointee.floor &+= size
    } else {
      header.pointee.dead &+= size
    }
    let slot = slotPointer(index)
    let following = Node.slotSize * (count - index - 1)
    if following > 0 { slot.copyMemory(from: slot + Node.slotSize, byteCount: following) }
    header.pointee.count &-= 1
  }

  /// Changes a value for one that takes no more bytes.
  func setValue(_ index: Int, _ value: EntryField) {
    let entry = base + Int(slot(index).offset)
    let old = entry.loadUnaligned(as: UInt16.self)
    let spare = Node.storedSize(old) - value.size
    assert(spare >= 0)
    if old == Node.outside { header.pointee.outside &-= 1 }
    if value.length == Node.outside { header.pointee.outside &+= 1 }
    header.pointee.dead &+= UInt16(truncatingIfNeeded: spare)
    entry.storeBytes(of: value.length, as: UInt16.self)
    value.write(to: valuePointer(index))
  }

  /// Makes the key of a branch's first entry empty.
  func clearFirstKey() {
    let child = self.child(0)
    var slot = slot(0)
    if slot.keyLength == Node.outside { header.pointee.outside &-= 1 }
    header.pointee.dead &+= UInt16(truncatingIfNeeded: Node.storedSize(slot.keyLength))
    slot.keyLength = 0
    slotPointer(0).storeBytes(of: slot, as: Slot.self)
    setChild(0, child)
  }

  /// Takes out the entries from an index to the end.
  func truncate(to newCount: Int) {
    while count > newCount { remove(at: count - 1) }
  }

  /// A copy, byte for byte but for its birth.
  func copied(birth: UInt64) -> Node {
    let copy = Node(level: level, capacity: capacity, birth: birth)
    let floor = Int(header.pointee.floor)
    copy.base.copyMemory(from: base, byteCount: Node.headerSize + Node.slotSize * count)
    (copy.base + floor).copyMemory(from: base + floor, byteCount: capacity - floor)
    copy.header.pointee.birth = birth
    return copy
  }

  /// A node of the same entries without dead bytes.
  func rebuilt(capacity: Int, birth: UInt64) -> Node {
    let copy = Node(level: level, capacity: capacity, birth: birth)
    for index in 0..<count { copy.append(entry(index)) }
    copy.refreshHeads()
    return copy
  }
}
