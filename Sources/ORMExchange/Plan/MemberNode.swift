internal import ORM

/// The members of an object that a mapping reads: a hash table of their names.
// Immutable after `init`, and so safe to share; the memory is freed with the object.
final class MemberNode: @unchecked Sendable {
  /// One name and the use of its value.
  struct Slot {
    var nameStart = 0
    var nameCount = 0
    var action = Action.several
    var rank: UInt8 = 0
    /// The column, the link, the node or the list of paths.
    var index = 0
  }

  /// The use of a value.
  enum Action: UInt8 {
    /// The value is an attribute's.
    case column
    /// The value is a relationship's.
    case link
    /// The value is an object, whose members are read one by one.
    case object
    /// Several parts of the value are read, or elements of arrays.
    case several
  }

  /// A path from a member to the attribute or relationship that is read there.
  struct Step: Sendable {
    let path: [PathStep]
    let target: PathTree.Target
  }

  let slots: UnsafeMutableBufferPointer<Slot>
  private let bytes: UnsafeMutablePointer<UInt8>
  /// Slots by the hashes of names; -1 where there is none.
  private let table: UnsafeMutableBufferPointer<Int32>
  let nodes: [MemberNode]
  let several: [[Step]]
  /// The column that marks the object as present; nil where there is none.
  let presence: Int?
  /// The columns and links below, for null instead of the object.
  let below: [Step]
  /// The number of the first slot among those of the whole mapping.
  let firstSlot: Int

  /// Makes the node of a tree; `count` is the number of slots so far.
  init(_ tree: PathTree, count: inout Int) {
    firstSlot = count
    // One more remembers the member that comes first.
    count += tree.names.count + 1
    let names = tree.names.map { Array($0.utf8) }
    slots = .allocate(capacity: names.count)
    bytes = .allocate(capacity: names.reduce(0) { $0 + $1.count })
    var capacity = 4
    while capacity < names.count * 2 { capacity *= 2 }
    table = .allocate(capacity: capacity)
    table.initialize(repeating: -1)
    var nodes: [MemberNode] = []
    var several: [[Step]] = []
    var offset = 0
    for (position, name) in tree.names.enumerated() {
      var slot = Slot()
      (slot.nameStart, slot.nameCount) = (offset, names[position].count)
      for byte in names[position] {
        (bytes + offset).initialize(to: byte)
        offset += 1
      }
      if let child = tree.children[name] {
        if child.isObject {
          (slot.action, slot.index) = (.object, nodes.count)
          nodes.append(MemberNode(child, count: &count))
        } else if case .column(let column, let rank)? = child.only {
          (slot.action, slot.index, slot.rank) = (.column, column, rank)
        } else if case .link(let link, let rank)? = child.only {
          (slot.action, slot.index, slot.rank) = (.link, link, rank)
        } else {
          (slot.action, slot.index) = (.several, several.count)
          several.append(child.all.map { Step(path: $0.path, target: $0.target) })
        }
      }
      slots.initializeElement(at: position, to: slot)
      var hashed = Self.hash(of: names[position]) & (capacity - 1)
      while table[hashed] >= 0 { hashed = (hashed + 1) & (capacity - 1) }
      table[hashed] = Int32(position)
    }
    self.nodes = nodes
    self.several = several
    presence =
      tree.targets.lazy.compactMap { target in
        if case .presence(let column) = target { column } else { nil }
      }.first
    below = tree.all.map { Step(path: $0.path, target: $0.target) }
  }

  deinit {
    slots.deallocate()
    bytes.deallocate()
    table.deallocate()
  }

  /// Returns whether a slot has the name.
  @inline(__always)
  func isName(_ slot: Slot, _ name: UnsafeRawBufferPointer) -> Bool {
    guard slot.nameCount == name.count else { return false }
    guard let start = name.baseAddress else { return true }
    let own = UnsafeRawPointer(bytes + slot.nameStart)
    var offset = 0
    while offset &+ 8 <= name.count {
      let left = (own + offset).loadUnaligned(as: UInt64.self)
      if left != (start + offset).loadUnaligned(as: UInt64.self) { return false }
      offset &+= 8
    }
    while offset < name.count {
      if own.load(fromByteOffset: offset, as: UInt8.self) != name[offset] { return false }
      offset &+= 1
    }
    return true
  }

  /// The slot of a name; nil for one that is not read.
  func slot(named name: UnsafeRawBufferPointer) -> Int? {
    var hashed = Self.hash(of: name) & (table.count - 1)
    while table[hashed] >= 0 {
      let position = Int(table[hashed])
      if isName(slots[position], name) { return position }
      hashed = (hashed + 1) & (table.count - 1)
    }
    return nil
  }

  /// FNV-1a (Fowler, Noll and Vo), folded.
  private static func hash(of name: some Sequence<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 32)
  }
}

extension PathTree {
  /// The one thing that the member is for; nil where it is for several, or an object.
  fileprivate var only: Target? {
    arrays.isEmpty && children.isEmpty && targets.count == 1 ? targets[0] : nil
  }
}
