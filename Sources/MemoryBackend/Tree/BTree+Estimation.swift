/// Estimates of the number of entries between two keys, from the paths down to them.
extension BTree {
  /// About how many entries have keys from `lower` on and before `upper`; nil is the end.
  ///
  /// Exact where both belong into one leaf. Otherwise every node is taken to have as many entries
  /// below as its siblings have.
  func estimatedCount(
    from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) -> Int {
    guard let root else { return 0 }
    var (low, high) = (root, root)
    // The positions of both, as shares of the whole tree.
    var (lowShare, highShare) = (0.0, upper == nil ? 1.0 : 0.0)
    var (lowWidth, highWidth) = (1.0, 1.0)
    while !low.isLeaf {
      let index = low.childIndex(lower)
      lowWidth /= Double(low.count)
      lowShare += lowWidth * Double(index)
      low = low.child(index)
      guard let upper else { continue }
      let other = high.childIndex(upper)
      highWidth /= Double(high.count)
      highShare += highWidth * Double(other)
      high = high.child(other)
    }
    let first = low.search(lower).index
    guard let upper else {
      return Int(
        (1 - lowShare - lowWidth * Double(first) / Double(max(low.count, 1))) * Double(count))
    }
    let last = high.search(upper).index
    if low == high { return max(0, last - first) }
    lowShare += lowWidth * Double(first) / Double(max(low.count, 1))
    highShare += highWidth * Double(last) / Double(max(high.count, 1))
    return max(1, Int((highShare - lowShare) * Double(count)))
  }
}
