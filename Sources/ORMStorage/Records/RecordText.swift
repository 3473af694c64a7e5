internal import ORMValues

/// Makes texts of the bytes that a store holds: the most expensive part of reading a row.
///
/// The standard library makes them: nothing promises the two words in which it keeps short texts, so
/// none are made of these (decision 27).
@usableFromInline
package enum RecordText {
  /// The text of bytes; nil when they are not UTF-8.
  @inlinable @inline(__always)
  package static func string(of bytes: UnsafeRawBufferPointer) -> String? {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return "" }
    return string(start, bytes.count)
  }

  /// A text of one byte or more, by the library.
  ///
  /// Validating by it costs five times as much as decoding, which repairs invalid bytes. A repaired text
  /// differs from the stored one.
  @inline(never) @usableFromInline
  static func string(_ start: UnsafeRawPointer, _ count: Int) -> String? {
    if count >= 8, count <= 16 {
      // The first and the last eight bytes, which overlap, are all of them.
      let low = start.loadUnaligned(as: UInt64.self)
      let high = start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return decoded(start, count) }
      return String(unsafeUninitializedCapacity: count) { text in
        // Invariant: the buffer has capacity for the `count` bytes asked for, at least eight.
        guard let text = UnsafeMutableRawPointer(text.baseAddress) else { return 0 }
        text.storeBytes(of: low, as: UInt64.self)
        text.storeBytes(of: high, toByteOffset: count &- 8, as: UInt64.self)
        return count
      }
    }
    guard isASCII(start, count) else { return decoded(start, count) }
    return String(unsafeUninitializedCapacity: count) { text in
      UnsafeMutableRawBufferPointer(text).copyMemory(
        from: UnsafeRawBufferPointer(start: start, count: count))
      return count
    }
  }

  /// A text that is not ASCII.
  @inline(never)
  private static func decoded(_ start: UnsafeRawPointer, _ count: Int) -> String? {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    var text = String(decoding: bytes, as: UTF8.self)
    let isSame = text.withUTF8 {
      ByteOrder.compare(UnsafeRawBufferPointer($0), bytes) == .equal
    }
    return isSame ? text : nil
  }

  /// Returns whether no byte has its highest bit set: words that overlap at the end see all of
  /// them.
  @inline(__always)
  private static func isASCII(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
    if count >= 8 {
      var seen = start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      var at = 0
      while at < count &- 8 {
        seen |= start.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        at &+= 8
      }
      return seen & 0x8080_8080_8080_8080 == 0
    }
    if count >= 4 {
      let seen =
        start.loadUnaligned(as: UInt32.self)
        | start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      return seen & 0x8080_8080 == 0
    }
    var seen: UInt8 = 0
    for at in 0..<count { seen |= start.load(fromByteOffset: at, as: UInt8.self) }
    return seen & 0x80 == 0
  }
}
