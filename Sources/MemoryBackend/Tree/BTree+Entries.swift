extension BTree {
  /// Calls `body` with every key and value, by ascending key.
  func forEachEntry<Failure: Error>(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    if let root { try root.forEachEntry(body) }
  }
}

extension Node {
  fileprivate func forEachEntry<Failure: Error>(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    for index in 0..<count {
      if isLeaf {
        try body(key(index), value(index))
      } else {
        try child(index).forEachEntry(body)
      }
    }
  }
}
