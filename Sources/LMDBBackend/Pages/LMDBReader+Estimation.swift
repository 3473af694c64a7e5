internal import ORMStorage
internal import OrderedEngine

extension LMDBReader {
  /// A position among the entries of a tree, estimated from the path down to it.
  private struct Place {
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
    let first = try place(of: lower, in: tree)
    guard let upper else { return Int((1 - first.share) * Double(tree.entries)) }
    let last = try place(of: upper, in: tree)
    if first.leaf.isSame(as: last.leaf) { return max(0, last.index - first.index) }
    return max(1, Int((last.share - first.share) * Double(tree.entries)))
  }

  private func place(of key: UnsafeRawBufferPointer, in tree: Tree) throws -> Place {
    let probe = LMDBProbe(key)
    var (share, width) = (0.0, 1.0)
    var number = tree.root
    for _ in 1..<tree.depth {
      let page = try page(number, isLeaf: false)
      guard let place = page.childPlace(of: probe), let child = page.child(place) else {
        throw damaged()
      }
      width /= Double(page.count)
      share += width * Double(place)
      number = child
    }
    let leaf = try page(number, isLeaf: true)
    guard let index = leaf.place(of: probe) else { throw damaged() }
    return Place(
      leaf: leaf, index: index, share: share + width * Double(index) / Double(leaf.count))
  }
}
