extension BTree {
  /// Neighbours are merged when together they fill no more than this: room is left for a quarter of
  /// a node before they would be split again.
  static let mergeLimit = Node.fullPayload * 3 / 4

  /// Removes a key.
  ///
  /// False when it was not there.
  mutating func remove(_ key: UnsafeRawBufferPointer, _ edit: Edit) -> Bool {
    guard let root else { return false }
    let (depth, found) = descend(key, from: root, path: edit.path)
    guard found else { return false }
    own(edit, depth: depth)
    let (leaf, index) = (edit.path[depth - 1].node, edit.path[depth - 1].index)
    let entry = leaf.entry(index)
    let size = entry.key.contents.count + entry.value.contents.count
    count -= 1
    bytes -= size
    edit.allowance += size
    leaf.remove(at: index)
    edit.discardBlob(of: entry.key)
    edit.discardBlob(of: entry.value)
    settle(edit, depth: depth)
    return true
  }

  /// Drops or merges the nodes of the path, which is owned, after the last of them has shrunk.
  mutating func settle(_ edit: Edit, depth: Int) {
    var level = depth - 1
    while level > 0 {
      let node = edit.path[level].node
      if node.count == 0 {
        dropChild(edit, parentLevel: level - 1)
      } else if !merge(edit, level: level) {
        break
      }
      level -= 1
    }
    collapse(edit)
  }

  /// Takes the empty node under a branch of the path out of it.
  private func dropChild(_ edit: Edit, parentLevel: Int) {
    let (parent, index) = (edit.path[parentLevel].node, edit.path[parentLevel].index)
    edit.discard(parent.child(index))
    edit.discardBlob(of: parent.entry(index).key)
    parent.remove(at: index)
    guard index == 0 && parent.count > 0 else { return }
    // The first entry now has no use for its key.
    let first = parent.entry(0)
    parent.clearFirstKey()
    edit.discardBlob(of: first.key)
  }

  /// Merges a node of the path with one of its neighbours, if together they are small enough.
  private mutating func merge(_ edit: Edit, level: Int) -> Bool {
    let node = edit.path[level].node
    guard node.used < BTree.mergeLimit else { return false }
    let (parent, index) = (edit.path[level - 1].node, edit.path[level - 1].index)
    if index + 1 < parent.count, fits(node, parent.child(index + 1), parent.entry(index + 1).key) {
      absorb(edit, into: node, of: parent, rightIndex: index + 1)
      return true
    }
    if index > 0, fits(parent.child(index - 1), node, parent.entry(index).key) {
      var left = parent.child(index - 1)
      if !edit.owns(left) {
        let copy = edit.makeCopy(of: left)
        parent.setChild(index - 1, copy)
        edit.discard(left)
        left = copy
      }
      edit.path[level - 1].index = index - 1
      absorb(edit, into: left, of: parent, rightIndex: index)
      return true
    }
    return false
  }

  private func fits(_ left: Node, _ right: Node, _ separator: EntryField) -> Bool {
    left.used + right.used + separator.size <= BTree.mergeLimit
  }

  /// Moves everything of a branch's child into its left neighbour, which the edit owns.
  private mutating func absorb(
    _ edit: Edit, into owned: Node, of parent: Node, rightIndex: Int
  ) {
    let right = parent.child(rightIndex)
    let separator = parent.entry(rightIndex).key
    var left = owned
    if left.freeBytes < right.used + separator.size {
      left = edit.makeRebuilt(owned, capacity: Node.fullCapacity)
      parent.setChild(rightIndex - 1, left)
      edit.discard(owned)
    }
    for index in 0..<right.count {
      var entry = right.entry(index)
      // A branch's first key is empty; in the middle of another, it is the separator above it.
      if index == 0 && !right.isLeaf { entry.key = separator }
      left.append(entry)
    }
    left.refreshHeads()
    if right.isLeaf { edit.discardBlob(of: separator) }
    parent.remove(at: rightIndex)
    edit.discard(right)
  }

  /// Takes away roots that have one child, and a root without entries.
  private mutating func collapse(_ edit: Edit) {
    while let top = root {
      if !top.isLeaf && top.count == 1 {
        root = top.child(0)
      } else if top.count == 0 {
        root = nil
      } else {
        return
      }
      edit.discard(top)
    }
  }
}
