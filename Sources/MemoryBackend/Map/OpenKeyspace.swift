/// A keyspace as a snapshot or batch sees it, and as its cursors do.
final class OpenKeyspace {
  /// The tree as it was published.
  let published: BTree
  /// Counts the changes after which cursors must seek again.
  let footing: Footing
  /// Behind a pointer, so that no write pays for the run-time check of exclusive access.
  private let current: UnsafeMutablePointer<BTree>

  init(_ tree: BTree, footing: Footing = Footing()) {
    published = tree
    self.footing = footing
    current = .allocate(capacity: 1)
    current.initialize(to: tree)
  }

  deinit { current.deallocate() }

  /// The tree as it is: in a snapshot always the published one.
  var tree: BTree {
    get { current.pointee }
    set { current.pointee = newValue }
  }
}

/// The version that a cursor checks before it moves: if it changed, the cursor has lost its
/// position.
final class Footing {
  /// Goes up with every write to the keyspace, and at the beginning and end of savepoints.
  private(set) var version = 0
  /// True if the snapshot or batch is over.
  private(set) var isOver = false

  /// Invalidates the positions of all cursors.
  @inline(__always)
  func shake() { version &+= 1 }

  /// Ends all cursors for good.
  func end() {
    isOver = true
    shake()
  }
}
