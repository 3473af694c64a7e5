package import OrderedEngine

import ORMStorage

/// A position in one keyspace of a ``MemoryMap``: a stack of the branches above a leaf, and an
/// index in the leaf.
///
/// Moving within a leaf is an addition. A cursor at no entry does not move:
/// `next` and `previous` are false until the next seek. After its snapshot or batch has ended,
/// seeking throws `transactionEnded`.
package final class MemoryCursor: OrderedCursor {
  /// Keeps the nodes alive as long as `end` has not been called.
  private let owner: AnyObject
  private let keyspace: OpenKeyspace
  private let footing: Footing
  /// True if entries stay where they are when the cursor moves on: in a snapshot, but not in a
  /// batch, which may write in between.
  private let isFixed: Bool
  /// The version at the last seek.
  private var version = -1
  /// The branches above the leaf, topmost first: `depth` of them, where there is capacity for as many as
  /// the deepest tree so far had.
  private var branches: UnsafeMutablePointer<Edit.Frame>
  private var depth = 0
  private var capacity: Int
  private var leaf: Node?
  private var index = 0
  /// Entries of the leaf; 0 when the cursor is at no entry.
  private var count = 0

  init(_ keyspace: OpenKeyspace, owner: AnyObject, isFixed: Bool = false) {
    self.keyspace = keyspace
    self.isFixed = isFixed
    self.owner = owner
    footing = keyspace.footing
    capacity = keyspace.tree.root?.level ?? 0
    branches = .allocate(capacity: capacity)
  }

  deinit { branches.deallocate() }

  package var entry: OrderedEntry {
    assert(leaf != nil && version == footing.version, "the cursor is on no entry")
    guard let leaf else {
      return OrderedEntry(key: .init(start: nil, count: 0), value: .init(start: nil, count: 0))
    }
    return OrderedEntry(key: leaf.key(index), value: leaf.value(index))
  }

  package func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
    guard let leaf = try descend({ $0.childIndex(key) }) else { return false }
    let index = leaf.search(key).index
    return index < leaf.count ? stand(leaf, at: index) : step(forwards: true)
  }

  package func seek(before key: UnsafeRawBufferPointer) throws -> Bool {
    guard let leaf = try descend({ $0.childIndex(key) }) else { return false }
    let index = leaf.search(key).index
    return index > 0 ? stand(leaf, at: index - 1) : step(forwards: false)
  }

  package func seekLast() throws -> Bool {
    guard let leaf = try descend({ $0.count - 1 }) else { return false }
    return stand(leaf, at: leaf.count - 1)
  }

  package func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    guard !footing.isOver else { throw Self.ended }
    return keyspace.tree.value(of: key)
  }

  package func next() throws -> Bool {
    guard version == footing.version else { return standNowhere() }
    let following = index &+ 1
    guard following < count else { return step(forwards: true) }
    index = following
    return true
  }

  package func previous() throws -> Bool {
    guard version == footing.version else { return standNowhere() }
    guard index > 0 else { return step(forwards: false) }
    index &-= 1
    return true
  }

  package func move(by count: Int) throws -> Int {
    guard version == footing.version, leaf != nil else {
      _ = standNowhere()
      return 0
    }
    let wanted = Int(clamping: count.magnitude)
    let forwards = count > 0
    var moved = 0
    while moved < wanted {
      // As far as the leaf goes, then to the next.
      let left = forwards ? self.count - 1 - index : index
      if wanted - moved <= left {
        index += forwards ? wanted - moved : moved - wanted
        return wanted
      }
      guard step(forwards: forwards) else { return moved + left }
      moved += left + 1
    }
    return moved
  }

  package func read(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, forwards: Bool
  ) throws -> Int {
    guard try forwards ? next() : previous(), let leaf else { return 0 }
    // As far as the leaf goes.
    let left = forwards ? count &- 1 &- index : index
    let more = isFixed ? min(left, entries.count &- 1) : 0
    let sign = forwards ? 1 : -1
    for i in 0...more {
      let index = index &+ i &* sign
      entries[i] = OrderedEntry(key: leaf.key(index), value: leaf.value(index))
    }
    index &+= more &* sign
    return more &+ 1
  }

  /// Goes from the root to a leaf by the children that `choose` names; nil in an empty tree.
  @inline(__always)
  private func descend(_ choose: (Node) -> Int) throws -> Node? {
    guard !footing.isOver else { throw Self.ended }
    version = footing.version
    guard var node = keyspace.tree.root else {
      _ = standNowhere()
      return nil
    }
    depth = 0
    if node.level > capacity { growBranches(node.level) }
    while !node.isLeaf {
      let index = choose(node)
      branches[depth] = Edit.Frame(node: node, index: index)
      depth &+= 1
      node = node.child(index)
    }
    return node
  }

  @inline(never)
  private func growBranches(_ levels: Int) {
    branches.deallocate()
    capacity = levels
    branches = .allocate(capacity: capacity)
  }

  /// Goes to the nearest entry of the leaf beside this one.
  private func step(forwards: Bool) -> Bool {
    while depth > 0 {
      let frame = branches[depth &- 1]
      let index = forwards ? frame.index + 1 : frame.index - 1
      guard index >= 0 && index < frame.node.count else {
        depth &-= 1
        continue
      }
      branches[depth &- 1].index = index
      var node = frame.node.child(index)
      while !node.isLeaf {
        let index = forwards ? 0 : node.count - 1
        branches[depth] = Edit.Frame(node: node, index: index)
        depth &+= 1
        node = node.child(index)
      }
      return stand(node, at: forwards ? 0 : node.count - 1)
    }
    return standNowhere()
  }

  private func stand(_ leaf: Node, at index: Int) -> Bool {
    self.leaf = leaf
    self.index = index
    count = leaf.count
    return true
  }

  private func standNowhere() -> Bool {
    depth = 0
    leaf = nil
    index = 0
    count = 0
    return false
  }

  /// The error that every use of an ended snapshot or batch throws.
  static var ended: StoreError {
    StoreError(.transactionEnded, "The snapshot or batch of the memory store has ended.")
  }
}
