internal import ORMPlatform

/// A key that is looked for, with its first eight bytes as a number that orders as they do.
struct LMDBProbe {
  private let bytes: UnsafeRawBufferPointer
  let head: UInt64
  /// True if there are eight.
  let hasHead: Bool

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    hasHead = bytes.count >= 8
    head = hasHead ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : 0
  }

  /// Less than 0 when a key is less than the one that is looked for, and 0 when it is the same.
  @inline(__always)
  func order(of key: UnsafeRawBufferPointer) -> Int {
    if key.count >= 8 && hasHead {
      let other = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
      if other != head { return other < head ? -1 : 1 }
      if key.count == 8 && bytes.count == 8 { return 0 }
    }
    return slowOrder(of: key)
  }

  @inline(never)
  private func slowOrder(of key: UnsafeRawBufferPointer) -> Int {
    let common = min(key.count, bytes.count)
    if common > 0, let one = key.baseAddress, let other = bytes.baseAddress {
      let order = memcmp(one, other, common)
      if order != 0 { return Int(order) }
    }
    return key.count - bytes.count
  }
}
