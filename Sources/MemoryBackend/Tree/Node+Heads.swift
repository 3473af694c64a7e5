/// The heads of a node's keys: the four bytes after the common prefix, as a number.
extension Node {
  /// The head of a key after its first bytes.
  @inline(__always)
  static func head(of key: UnsafeRawBufferPointer, after prefix: Int) -> UInt32 {
    let rest = key.count &- prefix
    guard rest > 0, let start = key.baseAddress else { return 0 }
    let bytes = start + prefix
    if rest >= 4 { return bytes.loadUnaligned(as: UInt32.self).bigEndian }
    var head: UInt32 = 0
    for i in 0..<rest {
      let byte = bytes.load(fromByteOffset: i, as: UInt8.self)
      head |= UInt32(byte) &<< UInt32(24 &- 8 &* i)
    }
    return head
  }

  /// Finds the prefix and the heads anew, after entries were appended.
  func refreshHeads() {
    let first = firstKeyed
    guard count > first else { return }
    // The keys between the least and the greatest key share the prefix of these two.
    setPrefix(commonPrefix(key(first), key(count - 1)))
  }

  /// The head of a key that is about to be put at an index.
  ///
  /// Only as the least or the greatest key can it have less in common with the others than they
  /// have: then their heads change.
  func head(admitting key: UnsafeRawBufferPointer, at index: Int) -> UInt32 {
    let first = firstKeyed
    if count <= first {
      header.pointee.prefix = UInt16(clamping: key.count)
    } else if index == first || index == count {
      let common = commonPrefix(self.key(first), key)
      if common < Int(header.pointee.prefix) { setPrefix(common) }
    }
    return Node.head(of: key, after: Int(header.pointee.prefix))
  }

  private func setPrefix(_ prefix: Int) {
    header.pointee.prefix = UInt16(clamping: prefix)
    for index in firstKeyed..<count {
      let head = Node.head(of: key(index), after: Int(header.pointee.prefix))
      slotPointer(index).storeBytes(of: head, as: UInt32.self)
    }
  }
}
