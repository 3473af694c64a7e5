/// Makes texts of the bytes that a store holds: the most expensive part of reading a row.
@usableFromInline
package enum RecordText {
  /// The text of bytes; nil when they are not UTF-8.
  ///
  /// Validating by the library costs five times as much as decoding, which mends what is invalid:
  /// what was mended is no longer what is stored.
  @inlinable @inline(__always)
  package static func string(of bytes: UnsafeRawBufferPointer) -> String? {
    guard let start = bytes.baseAddress else { return "" }
    if isASCII(start, bytes.count) {
      return String(unsafeUninitializedCapacity: bytes.count) { text in
        UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
        return bytes.count
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return isSame(text, bytes) ? text : nil
  }

  @inline(never) @usableFromInline
  static func isSame(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
    ByteOrder.withBytes(of: text) { ByteOrder.compare($0, bytes) == .equal }
  }

  /// Whether no byte has its highest bit set: words that overlap at the end see all of them.
  @inlinable @inline(__always)
  static func isASCII(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
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
