extension BTree {
  /// Puts an entry where the path, which is owned, ends.
  ///
  /// Full nodes are split on the way up.
  mutating func insert(_ newEntry: Entry, _ edit: Edit, depth: Int) {
    var entry = newEntry
    var level = depth - 1
    while true {
      let frame = edit.path[level]
      if entry.cost <= frame.node.freeBytes {
        frame.node.insert(entry, at: frame.index)
        return
      }
      if let capacity = capacity(of: frame.node, taking: entry.cost) {
        let node = edit.makeRebuilt(frame.node, capacity: capacity)
        node.insert(entry, at: frame.index)
        replace(edit, level: level, with: node)
        return
      }
      let sibling = split(edit, level: level, taking: entry)
      if level == 0 {
        grow(edit, sibling)
        return
      }
      level -= 1
      edit.path[level].index += 1
      entry = sibling
    }
  }

  /// The size that a node must be rebuilt at to take this much more; nil when it must be split.
  ///
  /// A full-sized node is not rebuilt for the last sixteenth: the next write would rebuild it again.
  private func capacity(of node: Node, taking cost: Int) -> Int? {
    let payload = node.used + cost
    if payload <= Node.fullPayload - Node.fullPayload / 16 {
      var capacity = node.capacity
      while capacity < Node.headerSize + payload { capacity *= 2 }
      return capacity
    }
    return node.capacity < Node.fullCapacity && payload <= Node.fullPayload
      ? Node.fullCapacity : nil
  }

  /// Puts a new root above the old one and its new sibling.
  private mutating func grow(_ edit: Edit, _ sibling: Entry) {
    let left = edit.path[0].node
    let top = edit.makeNode(level: left.level + 1, capacity: Node.fullCapacity)
    top.append(Entry(key: .empty, value: .child(left)))
    top.append(sibling)
    top.refreshHeads()
    root = top
  }

  /// Divides a full node and one entry more into two; returns the right one's entry for the parent.
  ///
  /// Entries already here are read until the new nodes hold them, for `pending` may point into
  /// any of them.
  private mutating func split(_ edit: Edit, level: Int, taking pending: Entry) -> Entry {
    let node = edit.path[level].node
    let position = edit.path[level].index
    let all = Joined(node: node, position: position, pending: pending)
    let cut = self.cut(edit, level: level, all)
    let first = all[cut]

    let right = edit.makeNode(level: node.level, capacity: Node.fullCapacity)
    let separator: EntryField
    if node.isLeaf {
      let length = 1 + commonPrefix(all[cut - 1].key.contents, first.key.contents)
      separator = edit.makeSeparator(
        UnsafeRawBufferPointer(rebasing: first.key.contents.prefix(length)), turn: level)
      right.append(first)
    } else {
      // The key moves up, and its blob with it.
      separator =
        first.key.blob.map { .outside($0) } ?? edit.makeSeparator(first.key.contents, turn: level)
      right.append(Entry(key: .empty, value: first.value))
    }
    for index in cut + 1..<all.count { right.append(all[index]) }
    right.refreshHeads()

    if position < cut {
      let left = edit.makeNode(level: node.level, capacity: Node.fullCapacity)
      for index in 0..<cut { left.append(all[index]) }
      left.refreshHeads()
      replace(edit, level: level, with: left)
    } else {
      node.truncate(to: cut)
    }
    return Entry(key: separator, value: .child(right))
  }

  /// Returns the number of entries go to the left: all at the right edge of the tree and as few as
  /// can be at the left one, so that ascending and descending keys fill their nodes; half of the
  /// bytes elsewhere.
  private func cut(_ edit: Edit, level: Int, _ all: Joined) -> Int {
    let frames = UnsafeBufferPointer(start: edit.path, count: level)
    if all.position == all.count - 1
      && frames.allSatisfy({ $0.index == $0.node.count - 1 })
    {
      return all.count - 1
    }
    let first = all.node.isLeaf ? 0 : 1
    if all.position == first && frames.allSatisfy({ $0.index == 0 }) { return first + 1 }
    let half = (all.node.used + all.pending.cost) / 2
    var cut = 0
    var bytes = 0
    while bytes < half && cut < all.count - 1 {
      bytes += all[cut].cost
      cut += 1
    }
    return cut
  }

  /// The entries of a node with one more among them.
  private struct Joined {
    var node: Node
    var position: Int
    var pending: Entry

    var count: Int { node.count + 1 }

    subscript(index: Int) -> Entry {
      if index == position { return pending }
      return node.entry(index < position ? index : index - 1)
    }
  }
}
