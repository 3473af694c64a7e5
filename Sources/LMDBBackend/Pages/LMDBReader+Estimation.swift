internal import ORMStorage
internal import OrderedEngine

extension LMDBReader {
  /// A position among the entries of a tree, estimated from the path down to it.
  private struct Position {
    var leaf: LMDBMappedPage
    /// The first entry of the leaf that is not less than the key.
    var index: Int
    /// About which share of all entries come before.
    var share: Double
  }

  /// About how many entries of a keyspace have keys from `lower` on and before `upper`; nil is the end.
  ///
  /// Exact where both belong into one leaf. Otherwise every page is taken to have as many entries
  /// below as its siblings have.
  func estimatedCount(
    of keyspace: Keyspace, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int {
    let tree = try tree(of: keyspace)
    if tree.depth == 0 { return 0 }
    let first = try position(of: lower, in: tree)
    guard let upper else { return Int((1 - first.share) * Double(tree.entries)) }
    let last = try position(of: upper, in: tree)
    if first.leaf.isSame(as: last.leaf) { return max(0, last.index - first.index) }
    return max(1, Int((last.share - first.share) * Double(tree.entries)))
  }

  private func position(of key: UnsafeRawBufferPointer, in tree: Tree) throws -> Position {
    let probe = LMDBProbe(key)
    var (share, width) = (0.0, 1.0)
    var number = tree.root
    for _ in 1..<tree.depth {
      let page = try page(number, isLeaf: false)
      guard let entry = page.childIndex(of: probe), let child = page.child(entry) else {
        throw damaged()
      }
      width /= Double(page.count)
      share += width * Double(entry)
      number = child
    }
    let leaf = try page(number, isLeaf: true)
    guard let index = leaf.index(of: probe) else { throw damaged() }
    return Position(
      leaf: leaf, index: index, share: share + width * Double(index) / Double(leaf.count))
  }
}
