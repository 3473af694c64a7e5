/// The nodes of all trees that one write transaction may change, and those it has replaced.
///
/// A node is the transaction's own when it was born at or after ``floor``; any other is copied before
/// the first change, and the old one retired. A savepoint raises the floor, so that everything
/// written before it stays as it is until the savepoint has succeeded.
final class Edit {
  /// The birth of the transaction's first nodes.
  private let base: UInt64
  /// The birth of new nodes.
  private(set) var stamp: UInt64
  /// The least birth of nodes that may be changed without a copy and freed at once.
  private(set) var floor: UInt64
  /// Nodes and blobs that are no longer in the trees but were there before `floor`.
  private(set) var retired: [Piece] = []
  /// The bytes of keys and values that may still be added.
  var allowance: Int
  /// Nodes and blobs made, less those freed.
  private(set) var live = 0
  /// The path from a root to a leaf, of the current operation.
  let path: UnsafeMutablePointer<Frame>
  /// Capacity for two separators on their way up, behind the path.
  private let separators: UnsafeMutableRawPointer

  /// A node on the way down, and the entry taken in it.
  struct Frame {
    var node: Node
    var index: Int
  }

  /// The state of the edit when a savepoint began.
  struct Mark {
    fileprivate var floor: UInt64
    fileprivate var retired: Int
    fileprivate var allowance: Int
  }

  /// No tree is deeper: two neighbouring branches have four children together at the least, so
  /// that each level has twice the nodes of the one above, and there are fewer than 2^48 nodes.
  static let deepest = 64

  /// Begins a transaction whose nodes are born at `stamp`, after all that are published.
  init(stamp: UInt64, allowance: Int) {
    base = stamp
    self.stamp = stamp
    self.floor = stamp
    self.allowance = allowance
    let pathSize = Edit.deepest * MemoryLayout<Frame>.stride
    let buffer = Piece.allocate(byteCount: pathSize + 2 * Node.longestKey)
    path = buffer.bindMemory(to: Frame.self, capacity: Edit.deepest)
    separators = buffer + pathSize
  }

  deinit { UnsafeMutableRawPointer(path).deallocate() }

  func makeNode(level: Int, capacity: Int) -> Node {
    live &+= 1
    return Node(level: level, capacity: capacity, birth: stamp)
  }

  func makeCopy(of node: Node) -> Node {
    live &+= 1
    return node.copied(birth: stamp)
  }

  func makeRebuilt(_ node: Node, capacity: Int) -> Node {
    live &+= 1
    return node.rebuilt(capacity: capacity, birth: stamp)
  }

  func makeBlob(_ bytes: UnsafeRawBufferPointer) -> Blob {
    live &+= 1
    return Blob(copying: bytes, birth: stamp)
  }

  /// Returns whether a node may be changed without a copy.
  @inline(__always)
  func owns(_ node: Node) -> Bool { node.birth >= floor }

  /// Takes a node that was removed from the trees; frees it if no snapshot can see it.
  func discard(_ node: Node) { discard(Piece(base: node.base)) }

  /// Takes the blob of a field that is out of the trees, if it has one.
  func discardBlob(of field: EntryField) {
    if let blob = field.blob { discard(Piece(base: blob.base)) }
  }

  private func discard(_ piece: Piece) {
    if piece.birth >= floor { free(piece) } else { retired.append(piece) }
  }

  private func free(_ piece: Piece) {
    live &-= 1
    piece.deallocate()
  }

  /// A field of a copy of these bytes for a separator: in one of two buffers, taken in turn, or in
  /// a blob.
  func makeSeparator(_ bytes: UnsafeRawBufferPointer, turn: Int) -> EntryField {
    guard bytes.count <= Node.longestKey, let start = bytes.baseAddress else {
      return .outside(makeBlob(bytes))
    }
    let buffer = separators + (turn & 1) * Node.longestKey
    buffer.copyMemory(from: start, byteCount: bytes.count)
    return .bytes(UnsafeRawBufferPointer(start: buffer, count: bytes.count))
  }
}

extension Edit {
  /// Begins a savepoint: from here on, nodes that were written before are copied and not changed.
  func beginSavepoint() -> Mark {
    let mark = Mark(floor: floor, retired: retired.count, allowance: allowance)
    stamp &+= 1
    floor = stamp
    return mark
  }

  /// Ends a savepoint and keeps its writes.
  func keep(since mark: Mark) {
    floor = mark.floor
    let since = retired[mark.retired...]
    guard since.contains(where: { $0.birth >= floor }) else { return }
    let (own, others) = (since.filter { $0.birth >= floor }, since.filter { $0.birth < floor })
    retired.replaceSubrange(mark.retired..., with: others)
    for piece in own { free(piece) }
  }

  /// Ends a savepoint after its nodes were freed with ``free(newIn:)``: the nodes that it retired live on.
  func undo(since mark: Mark) {
    floor = mark.floor
    allowance = mark.allowance
    retired.removeSubrange(mark.retired...)
  }

  /// Ends all savepoints at once and keeps their writes.
  func keepAll() { keep(since: Mark(floor: base, retired: 0, allowance: allowance)) }

  /// Frees everything under a root that was made since the innermost savepoint began.
  ///
  /// A node that is older cannot lead to a newer one: it has not been changed since.
  func free(newIn node: Node) {
    guard owns(node) else { return }
    for index in 0..<node.count {
      let entry = node.entry(index)
      for field in [entry.key, entry.value] {
        if let blob = field.blob, blob.birth >= floor { free(Piece(base: blob.base)) }
      }
      if !node.isLeaf { free(newIn: node.child(index)) }
    }
    free(Piece(base: node.base))
  }

  /// Takes everything under a root out of the trees.
  func discard(allIn node: Node) {
    for index in 0..<node.count where !node.isLeaf || node.header.pointee.outside > 0 {
      let entry = node.entry(index)
      discardBlob(of: entry.key)
      if node.isLeaf { discardBlob(of: entry.value) } else { discard(allIn: node.child(index)) }
    }
    discard(node)
  }
}
