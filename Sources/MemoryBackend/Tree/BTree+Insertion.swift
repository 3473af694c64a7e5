import ORMStorage

extension BTree {
  /// Sets the value of a key; with `onlyNew`, unless it is there.
  ///
  /// Returns whether anything was set. Throws `full`, with nothing changed, past the edit's
  /// allowance. Key and value may lie in the tree itself.
  mutating func set(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, onlyNew: Bool, _ edit: Edit
  ) throws -> Bool {
    guard let root else {
      try take(key.count + value.count, edit)
      plant(key, value, edit)
      return true
    }
    let (depth, found) = descend(key, from: root, path: edit.path)
    if found {
      if onlyNew { return false }
      let old = edit.path[depth - 1].node.value(edit.path[depth - 1].index).count
      try take(value.count - old, edit)
      own(edit, depth: depth)
      replaceValue(key, value, edit, depth: depth)
    } else {
      try take(key.count + value.count, edit)
      count += 1
      own(edit, depth: depth)
      insert(makeEntry(key, value, edit), edit, depth: depth)
    }
    return true
  }

  /// Puts an entry after all others.
  ///
  /// False, with nothing changed, when its key is not the greatest.
  mutating func append(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ edit: Edit
  ) throws -> Bool {
    guard var node = root else {
      return try set(key, value, onlyNew: true, edit)
    }
    var depth = 0
    while true {
      let index = node.isLeaf ? node.count : node.count - 1
      edit.path[depth] = Edit.Frame(node: node, index: index)
      depth += 1
      if node.isLeaf { break }
      node = node.child(index)
    }
    guard compare(node.key(node.count - 1), key) < 0 else { return false }
    try take(key.count + value.count, edit)
    count += 1
    own(edit, depth: depth)
    insert(makeEntry(key, value, edit), edit, depth: depth)
    return true
  }

  /// Counts bytes that are added, or with a negative number, removed.
  private mutating func take(_ size: Int, _ edit: Edit) throws {
    guard size <= 0 || size <= edit.allowance else {
      throw StoreError(.full, "The memory store has reached its size limit.")
    }
    edit.allowance -= size
    bytes += size
  }

  /// The first entry of an empty tree.
  private mutating func plant(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ edit: Edit
  ) {
    let entry = makeEntry(key, value, edit)
    let leaf = edit.makeNode(level: 0, capacity: BTree.capacity(for: entry.cost))
    leaf.insert(entry, at: 0)
    root = leaf
    count = 1
  }

  private func makeEntry(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ edit: Edit
  ) -> Entry {
    let key: EntryField = key.count <= Node.longestKey ? .bytes(key) : .outside(edit.makeBlob(key))
    return Entry(key: key, value: makeValue(value, keySize: key.size, edit))
  }

  private func makeValue(
    _ value: UnsafeRawBufferPointer, keySize: Int, _ edit: Edit
  ) -> EntryField {
    keySize + value.count <= Node.largestEntry ? .bytes(value) : .outside(edit.makeBlob(value))
  }

  /// The smallest size of a node with this capacity.
  private static func capacity(for payload: Int) -> Int {
    var capacity = Node.firstCapacity
    while capacity < Node.headerSize + payload { capacity *= 2 }
    return min(capacity, Node.fullCapacity)
  }

  /// Changes the value where the path, which is owned, ends.
  private mutating func replaceValue(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ edit: Edit, depth: Int
  ) {
    let leaf = edit.path[depth - 1].node
    let index = edit.path[depth - 1].index
    let old = leaf.entry(index)
    let new = makeValue(value, keySize: old.key.size, edit)
    if new.size <= old.value.size {
      leaf.setValue(index, new)
      settle(edit, depth: depth)
    } else {
      // The new entry takes its key from the caller or from the blob: the old one's bytes may go.
      let key: EntryField = old.key.blob.map { .outside($0) } ?? .bytes(key)
      leaf.remove(at: index)
      insert(Entry(key: key, value: new), edit, depth: depth)
    }
    edit.discardBlob(of: old.value)
  }
}
