/// One node of a tree: a single allocation in which its entries lie densely.
///
/// A node is freed by hand, once, with ``deallocate()``; who may do that and when is the business of
/// ``Edit`` and ``Reclaimer``. Layout, in bytes from the start:
///
///     0   birth      8   stamp of the transaction that made it; first, as in a Blob
///     8   capacity   2   bytes of the whole allocation
///     10  count      2   entries
///     12  floor      2   where the lowest entry begins; entries lie from here to the end
///     14  dead       2   bytes above `floor` that no entry uses any more
///     16  outside    2   keys and values that lie in a Blob of their own
///     18  level      1   0 in a leaf, the parent's one more than its children's
///     24  slots      2 each, where the entries begin, in the order of their keys
///         free
///         entries, written downwards from the end of the node:
///             key length 2, value length 2, key, value
///
/// A length of `Node.outside` says that eight bytes follow, the address of a ``Blob``. In a branch
/// the value of an entry is the address of a child, all of whose keys are not less than the entry's
/// key; the first entry's key is empty, for it is never compared.
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
    var level: UInt8
  }

  /// The bytes before the first slot.
  static let headerSize = 24
  /// The size of every node but a small tree's only leaf: one page, which keeps a copy under 100 ns
  /// and a tree of a million rows three levels deep.
  static let fullCapacity = 4096
  /// The size of a tree's first leaf, which doubles as it fills.
  static let firstCapacity = 256
  /// What entries and slots may fill in a full node.
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
  static let lengthsSize = 4

  init(base: UnsafeMutableRawPointer) { self.base = base }

  /// Makes an empty node.
  init(level: Int, capacity: Int, birth: UInt64) {
    base = .allocate(byteCount: capacity, alignment: 8)
    base.bindMemory(to: Header.self, capacity: 1).initialize(
      to: Header(
        birth: birth, capacity: UInt16(truncatingIfNeeded: capacity), count: 0,
        floor: UInt16(truncatingIfNeeded: capacity), dead: 0, outside: 0,
        level: UInt8(truncatingIfNeeded: level)))
  }

  /// Frees the node, and nothing that it points to.
  func deallocate() { base.deallocate() }

  @inline(__always)
  var header: UnsafeMutablePointer<Header> { base.assumingMemoryBound(to: Header.self) }
  var birth: UInt64 { header.pointee.birth }
  var capacity: Int { Int(header.pointee.capacity) }
  @inline(__always)
  var count: Int { Int(header.pointee.count) }
  var level: Int { Int(header.pointee.level) }
  @inline(__always)
  var isLeaf: Bool { header.pointee.level == 0 }

  /// The bytes between the slots and the entries.
  var room: Int { Int(header.pointee.floor) - Node.headerSize - 2 * count }
  /// The bytes of the entries and their slots.
  var used: Int { capacity - Node.headerSize - room - Int(header.pointee.dead) }

  /// Where an entry begins.
  @inline(__always)
  func entryPointer(_ index: Int) -> UnsafeMutableRawPointer {
    let offset = base.load(fromByteOffset: Node.headerSize + 2 * index, as: UInt16.self)
    return base + Int(offset)
  }

  /// The key of an entry.
  @inline(__always)
  func key(_ index: Int) -> UnsafeRawBufferPointer { Node.key(ofEntryAt: entryPointer(index)) }

  /// The value of a leaf's entry.
  @inline(__always)
  func value(_ index: Int) -> UnsafeRawBufferPointer { Node.value(ofEntryAt: entryPointer(index)) }

  @inline(__always)
  static func key(ofEntryAt entry: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    let length = entry.loadUnaligned(as: UInt16.self)
    let bytes = entry + lengthsSize
    if length == outside { return Blob(at: bytes).bytes }
    return UnsafeRawBufferPointer(start: bytes, count: Int(length))
  }

  @inline(__always)
  static func value(ofEntryAt entry: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    let bytes = entry + lengthsSize + storedSize(entry.loadUnaligned(as: UInt16.self))
    let length = entry.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
    if length == outside { return Blob(at: bytes).bytes }
    return UnsafeRawBufferPointer(start: bytes, count: Int(length))
  }

  /// The bytes that a key or value of this length takes in the node.
  @inline(__always)
  static func storedSize(_ length: UInt16) -> Int { length == outside ? 8 : Int(length) }

  /// The child of a branch's entry.
  @inline(__always)
  func child(_ index: Int) -> Node {
    let entry = entryPointer(index)
    let place = Node.lengthsSize + Node.storedSize(entry.loadUnaligned(as: UInt16.self))
    return Node(base: entry.loadUnaligned(fromByteOffset: place, as: UnsafeMutableRawPointer.self))
  }

  /// Puts another child in the place of a branch's entry's.
  func setChild(_ index: Int, _ child: Node) {
    let entry = entryPointer(index)
    let place = Node.lengthsSize + Node.storedSize(entry.loadUnaligned(as: UInt16.self))
    entry.storeBytes(of: child.base, toByteOffset: place, as: UnsafeMutableRawPointer.self)
  }
}
