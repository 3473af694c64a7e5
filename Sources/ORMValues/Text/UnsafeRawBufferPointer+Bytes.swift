private import ORMPlatform

extension UnsafeRawBufferPointer {
  /// Returns whether `bytes` are there from `position` on; false where that is outside.
  @inline(__always)
  package func holds(_ bytes: [UInt8], at position: Int) -> Bool {
    guard position >= 0, count - position >= bytes.count else { return false }
    guard !bytes.isEmpty, let baseAddress else { return bytes.isEmpty }
    return bytes.withUnsafeBytes { wanted in
      guard let start = wanted.baseAddress else { return false }
      return memcmp(baseAddress + position, start, wanted.count) == 0
    }
  }

  /// Returns the first offset of the byte in `position..<end`, which must be inside.
  @inline(__always)
  func firstIndex(of byte: UInt8, from position: Int, to end: Int) -> Int? {
    guard position < end, let baseAddress,
      let found = memchr(baseAddress + position, Int32(byte), end - position)
    else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }

  /// True if every byte is ASCII.
  @inline(__always)
  var isASCII: Bool { endOfASCII(from: 0) == count }

  /// Returns the offset of the first byte at or after `position` that is not ASCII, or the buffer's
  /// end.
  func endOfASCII(from position: Int) -> Int {
    guard let baseAddress else { return count }
    var position = position
    while count - position >= 8 {
      let word = (baseAddress + position).loadUnaligned(as: UInt64.self)
      let high = UInt64(littleEndian: word) & 0x8080_8080_8080_8080
      if high != 0 { return position + (high.trailingZeroBitCount >> 3) }
      position += 8
    }
    while position < count, self[position] < 0x80 { position += 1 }
    return position
  }
}

extension UInt8 {
  /// An ASCII capital as its small letter; any other byte as it is.
  @inline(__always)
  var asciiLowercased: UInt8 { flippingCase(from: 0x41) }

  /// An ASCII small letter as its capital; any other byte as it is.
  @inline(__always)
  var asciiUppercased: UInt8 { flippingCase(from: 0x61) }

  /// One of the 26 letters from `first` on, `A` or `a`, in the other case; any other byte as it is.
  @inline(__always)
  func flippingCase(from first: UInt8) -> UInt8 { self ^ (self &- first < 26 ? 0x20 : 0) }
}
