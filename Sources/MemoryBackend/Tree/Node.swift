/// One node of a tree: a single allocation in which its entries lie densely.
///
/// A node is freed by hand, once, with ``deallocate()``; ``Edit`` and ``Reclaimer`` decide when. Layout, in
/// bytes from the start:
///
///     0   birth      8   stamp of the transaction that made it; first, as in a Blob
///     8   capacity   2   bytes of the whole allocation
///     10  count      2   entries
///     12  floor      2   where the lowest entry begins; entries lie from here to the end
///     14  dead       2   bytes above `floor` that no entry uses any more
///     16  outside    2   keys and values that lie in a Blob of their own
///     18  prefix     2   bytes that all keys have in common at the start, or fewer
///     20  level      1   0 in a leaf, the parent's one more than its children's
///     24  slots      8 each, in the order of their keys:
///             head 4, the bytes of the key after the prefix, as a number, filled up with zeros
///             offset 2, where the entry begins; key length 2
///         free
///         entries, written downwards from the end of the node:
///             value length 2, key, value
///
/// A search compares heads, which lie side by side, and looks at a key only where they are equal:
/// it touches few lines of the cache. A length of `Node.outside` says that eight bytes follow, the
/// address of a ``Blob``. In a branch the value of an entry is the address of a child, all of whose
/// keys are not less than the entry's key; the first entry's key is empty, for it is never compared.
// Lock: none. A published node is never written; an unpublished one belongs to the one batch.
struct Node: Equatable, @unchecked Sendable {
  let base: UnsafeMutableRawPointer

  /// The fixed part of a node.
  struct Header {
    var birth: UInt64
    var capacity: UInt16
    var count: UInt16
    var floor: UInt16
    var dead: UInt16
    var outside: UInt16
    var prefix: UInt16
    var level: UInt8
  }

  /// The slot of an entry: the head of its key, its offset and the length of its key.
  struct Slot {
    var head: UInt32
    var offset: UInt16
    var keyLength: UInt16
  }

  /// The bytes before the first slot.
  static let headerSize = 24
  static let slotSize = 8
  /// The size of every node but a small tree's only leaf: one page, which keeps a copy under 100 ns
  /// and a tree of a million rows three levels deep.
  static let fullCapacity = 4096
  /// The size of a tree's first leaf, which doubles as it fills.
  static let firstCapacity = 256
  /// The number of bytes that entries and slots may fill in a full-sized node.
  static let fullPayload = fullCapacity - headerSize
  /// The longest key that lies in the node: a branch then has nine children at the least.
  static let longestKey = 400
  /// The largest key and value together that lie in the node.
  ///
  /// Six entries fit in any node, so that both halves of a split do, and nodes of large entries
  /// are as full as others: with four to a node, random writes leave a third of it empty.
  static let largestEntry = 660
  /// The length that says that the bytes lie elsewhere.
  static let outside = UInt16.max
  /// The bytes of an entry before its key.
  static let lengthSize = 2

  init(base: UnsafeMutableRawPointer) { self.base = base }

  /// Makes an empty node.
  init(level: Int, capacity: Int, birth: UInt64) {
    base = Piece.allocate(byteCount: capacity)
    base.bindMemory(to: Header.self, capacity: 1).initialize(
      to: Header(
        birth: birth, capacity: UInt16(truncatingIfNeeded: capacity), count: 0,
        floor: UInt16(truncatingIfNeeded: capacity), dead: 0, outside: 0, prefix: 0,
        level: UInt8(truncatingIfNeeded: level)))
  }

  @inline(__always)
  var header: UnsafeMutablePointer<Header> { base.assumingMemoryBound(to: Header.self) }
  var birth: UInt64 { header.pointee.birth }
  var capacity: Int { Int(header.pointee.capacity) }
  @inline(__always)
  var count: Int { Int(header.pointee.count) }
  var level: Int { Int(header.pointee.level) }
  @inline(__always)
  var isLeaf: Bool { header.pointee.level == 0 }
  /// The first entry whose key counts.
  @inline(__always)
  var firstKeyed: Int { isLeaf ? 0 : 1 }

  /// The bytes between the slots and the entries.
  var freeBytes: Int { Int(header.pointee.floor) - Node.headerSize - Node.slotSize * count }
  /// The bytes of the entries and their slots.
  var used: Int { capacity - Node.headerSize - freeBytes - Int(header.pointee.dead) }

  @inline(__always)
  func slotPointer(_ index: Int) -> UnsafeMutableRawPointer {
    base + (Node.headerSize &+ Node.slotSize &* index)
  }

  @inline(__always)
  func slot(_ index: Int) -> Slot { slotPointer(index).load(as: Slot.self) }

  /// The key of an entry.
  @inline(__always)
  func key(_ index: Int) -> UnsafeRawBufferPointer {
    let slot = slot(index)
    let bytes = base + (Int(slot.offset) &+ Node.lengthSize)
    if slot.keyLength == Node.outside { return Blob(at: bytes).bytes }
    return UnsafeRawBufferPointer(start: bytes, count: Int(slot.keyLength))
  }

  /// The value of a leaf's entry.
  @inline(__always)
  func value(_ index: Int) -> UnsafeRawBufferPointer {
    let slot = slot(index)
    let entry = base + Int(slot.offset)
    let length = entry.loadUnaligned(as: UInt16.self)
    let bytes = entry + (Node.lengthSize &+ Node.storedSize(slot.keyLength))
    if length == Node.outside { return Blob(at: bytes).bytes }
    return UnsafeRawBufferPointer(start: bytes, count: Int(length))
  }

  /// The bytes that a key or value of this length takes in the node.
  @inline(__always)
  static func storedSize(_ length: UInt16) -> Int { length == outside ? 8 : Int(length) }

  /// Returns the address of an entry's value.
  @inline(__always)
  func valuePointer(_ index: Int) -> UnsafeMutableRawPointer {
    let slot = slot(index)
    return base + (Int(slot.offset) &+ Node.lengthSize &+ Node.storedSize(slot.keyLength))
  }

  /// The child of a branch's entry.
  @inline(__always)
  func child(_ index: Int) -> Node {
    Node(base: valuePointer(index).loadUnaligned(as: UnsafeMutableRawPointer.self))
  }

  /// Replaces the child of an entry of a branch.
  func setChild(_ index: Int, _ child: Node) {
    valuePointer(index).storeBytes(of: child.base, as: UnsafeMutableRawPointer.self)
  }
}
