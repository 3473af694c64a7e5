import ORMStorage

/// The invariants of every tree between two operations.
///
/// 1. The keys of a node ascend strictly. They are not less than the key that stands above the node
///    and less than the one that stands after it.
/// 2. A child's level is one less than its parent's; so all leaves, level 0, are equally deep.
/// 3. The first key of a branch is empty, and no other is.
/// 4. The entries of a node lie between its floor and its end without overlapping, and the bytes
///    between them there are the dead ones.
/// 5. No key longer than `longestKey` and no entry larger than `largestEntry` lies in a node; the
///    count of fields outside is right.
/// 6. Count and bytes of the tree are those of its entries.
/// 7. No node is empty; a root branch has two children at least. Two neighbours under one parent
///    fill three eighths of a node at the least, and all nodes but an only leaf are full-sized.
/// 8. All keys of a node begin with its prefix, and its heads are the bytes that follow.
/// 9. No node or blob is born later than `newest`.
///
/// All are checked in debug builds; a release build checks nothing.
extension BTree {
  /// Throws `corrupt`, naming the invariant, if one is broken.
  ///
  /// Returns how many nodes and blobs there are.
  @discardableResult
  func checkInvariants(newest: UInt64 = .max) throws -> Int {
    #if DEBUG
      var survey = Survey(newest: newest)
      if let root {
        try survey.visit(root, from: nil, to: nil)
        try require(7, root.isLeaf || root.count > 1)
        try require(7, root.isLeaf || root.capacity == Node.fullCapacity)
      }
      try require(6, survey.entries == count && survey.bytes == bytes)
      return survey.pieces
    #else
      return 0
    #endif
  }
}

#if DEBUG
  private func require(_ number: Int, _ holds: Bool) throws {
    if !holds { throw StoreError(.corrupt, "Invariant \(number) of the tree is broken.") }
  }

  private struct Survey {
    var newest: UInt64
    var entries = 0
    var bytes = 0
    var pieces = 0

    mutating func visit(
      _ node: Node, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?
    ) throws {
      pieces += 1
      try require(7, node.count > 0)
      try require(9, node.birth <= newest)
      try checkKeyspace(of: node)
      try checkKeys(of: node, from: lower, to: upper)
      if node.isLeaf {
        entries += node.count
        for index in 0..<node.count { bytes += node.key(index).count + node.value(index).count }
      } else {
        try visitChildren(of: node, from: lower, to: upper)
      }
    }

    private mutating func visitChildren(
      of node: Node, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?
    ) throws {
      for index in 0..<node.count {
        let child = node.child(index)
        try require(2, child.level == node.level - 1)
        try require(7, child.capacity == Node.fullCapacity || node.count == 1)
        if index > 0 {
          try require(7, node.child(index - 1).used + child.used > Node.fullPayload * 3 / 8)
        }
        try visit(
          child, from: index > 0 ? node.key(index) : lower,
          to: index + 1 < node.count ? node.key(index + 1) : upper)
      }
    }

    private func checkKeys(
      of node: Node, from lower: UnsafeRawBufferPointer?, to upper: UnsafeRawBufferPointer?
    ) throws {
      let first = node.isLeaf ? 0 : 1
      try require(3, node.isLeaf || node.key(0).isEmpty)
      for index in first..<node.count {
        let key = node.key(index)
        try require(3, node.isLeaf || !key.isEmpty)
        let prefix = Int(node.header.pointee.prefix)
        try require(8, prefix <= commonPrefix(node.key(first), key))
        try require(8, node.slot(index).head == Node.head(of: key, after: prefix))
        if index > first { try require(1, compare(node.key(index - 1), key) < 0) }
        if let lower { try require(1, compare(lower, key) <= 0) }
        if let upper { try require(1, compare(key, upper) < 0) }
      }
    }

    private mutating func checkKeyspace(of node: Node) throws {
      var outside = 0
      var ranges: [Range<Int>] = []
      for index in 0..<node.count {
        let start = Int(node.slot(index).offset)
        ranges.append(start..<start + node.entrySize(index))
        let entry = node.entry(index)
        for blob in [entry.key.blob, entry.value.blob] {
          guard let blob else { continue }
          outside += 1
          pieces += 1
          try require(9, blob.birth <= newest)
        }
        try require(5, entry.key.size <= Node.longestKey)
        try require(5, entry.size <= Node.lengthSize + Node.largestEntry + 8)
      }
      try require(5, outside == Int(node.header.pointee.outside))
      ranges.sort { $0.lowerBound < $1.lowerBound }
      for (one, two) in zip(ranges, ranges.dropFirst()) {
        try require(4, one.upperBound <= two.lowerBound)
      }
      let floor = Int(node.header.pointee.floor)
      try require(4, node.freeBytes >= 0)
      try require(4, (ranges.first?.lowerBound ?? floor) >= floor)
      try require(4, (ranges.last?.upperBound ?? 0) <= node.capacity)
      let dead = node.capacity - floor - ranges.reduce(0) { $0 + $1.count }
      try require(4, dead == Int(node.header.pointee.dead))
    }
  }
#endif
