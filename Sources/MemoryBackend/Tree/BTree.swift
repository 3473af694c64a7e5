/// An ordered map of byte strings: a B+tree whose nodes are shared between versions.
///
/// A tree is a value of three words. Copying it copies nothing; a write goes through an ``Edit``,
/// which copies the nodes on the way to the change unless they are its own. So an older copy of a
/// tree keeps its entries, and pointers into them stay valid, for as long as its nodes are
/// retained: see ``Reclaimer``.
struct BTree: Sendable {
  /// The topmost node; nil in an empty tree.
  var root: Node?
  /// The number of entries.
  var count = 0
  /// The bytes of all keys and values.
  var bytes = 0

  /// The value of a key.
  @inline(__always)
  func value(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard var node = root else { return nil }
    while !node.isLeaf { node = node.child(node.childIndex(key)) }
    return node.index(of: key).map { node.value($0) }
  }

  /// Goes down to where a key belongs, and notes the path.
  ///
  /// Returns the number of levels. The last frame's index is the index of the first key not less.
  func descend(
    _ key: UnsafeRawBufferPointer, from root: Node, path: UnsafeMutablePointer<Edit.Frame>
  ) -> (depth: Int, found: Bool) {
    var node = root
    var depth = 0
    while !node.isLeaf {
      let index = node.childIndex(key)
      path[depth] = Edit.Frame(node: node, index: index)
      depth &+= 1
      node = node.child(index)
    }
    let (index, found) = node.search(key)
    path[depth] = Edit.Frame(node: node, index: index)
    return (depth &+ 1, found)
  }

  /// Makes every node on the path the edit's own.
  mutating func own(_ edit: Edit, depth: Int) {
    for level in 0..<depth where !edit.owns(edit.path[level].node) {
      replace(edit, level: level, with: edit.makeCopy(of: edit.path[level].node))
    }
  }

  /// Replaces a node on the path by another, whose parent the edit owns.
  mutating func replace(_ edit: Edit, level: Int, with node: Node) {
    let old = edit.path[level].node
    edit.path[level].node = node
    if level == 0 {
      root = node
    } else {
      edit.path[level - 1].node.setChild(edit.path[level - 1].index, node)
    }
    edit.discard(old)
  }

  /// Removes every entry.
  mutating func removeAll(_ edit: Edit) {
    guard let root else { return }
    edit.discard(allIn: root)
    edit.allowance += bytes
    self = BTree()
  }
}
