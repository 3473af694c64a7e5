/// Makes texts of the bytes that a store holds: the most expensive part of reading a row.
@usableFromInline
package enum RecordText {
  /// The text of bytes; nil when they are not UTF-8.
  ///
  /// Validating by the library costs five times as much as decoding, which mends what is invalid:
  /// what was mended is no longer what is stored.
  @inlinable @inline(__always)
  package static func string(of bytes: UnsafeRawBufferPointer) -> String? {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return "" }
    if bytes.count <= 15, canMakeShort, let text = short(start, bytes.count) { return text }
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

  /// A text of 1 to 15 bytes, made of the two words that it is kept in; nil when it is not ASCII.
  ///
  /// The library takes 120 instructions for it, and asks again whether it is ASCII; this takes 20.
  @inlinable @inline(__always)
  static func short(_ start: UnsafeRawPointer, _ count: Int) -> String? {
    var low: UInt64
    var high: UInt64 = 0
    if count >= 8 {
      low = word(start)
      // Those of the last eight bytes that are not among the first.
      high = word(start + (count &- 8)) &>> 8
      high = high &>> UInt64(truncatingIfNeeded: 8 &* (15 &- count))
    } else if count >= 4 {
      low = UInt64(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
      let end = (start + (count &- 4)).loadUnaligned(as: UInt32.self)
      low |= UInt64(UInt32(littleEndian: end)) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
    } else {
      low = UInt64(start.load(as: UInt8.self))
      for at in 1..<max(count, 1) {
        let byte = start.load(fromByteOffset: at, as: UInt8.self)
        low |= UInt64(byte) &<< UInt64(truncatingIfNeeded: 8 &* at)
      }
    }
    guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
    high |= (0xE0 | UInt64(truncatingIfNeeded: count)) &<< 56
    return unsafeBitCast((low, high), to: String.self)
  }

  @inlinable @inline(__always)
  static func word(_ start: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
  }

  /// Whether the library at hand keeps short texts as ``short(_:_:)`` makes them: asked once, of texts
  /// that it made itself, since nothing promises that it does.
  ///
  /// Such a text is its two words and nothing else, so one of the same words is the same text.
  @usableFromInline static let canMakeShort: Bool = {
    guard MemoryLayout<String>.size == 16 else { return false }
    for pattern in [UInt8(0), 0x41, 0x7F] {
      for count in 1...15 {
        // Bytes that tell their places, but where all are the least or the greatest.
        let bytes = (0..<count).map { pattern == 0x41 ? pattern + UInt8($0) : pattern }
        let text = String(decoding: bytes, as: UTF8.self)
        let isSame = bytes.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress, let made = short(start, count) else { return false }
          let (a, b) = (
            unsafeBitCast(text, to: (UInt64, UInt64).self),
            unsafeBitCast(made, to: (UInt64, UInt64).self)
          )
          return a == b
        }
        if !isSame { return false }
      }
    }
    return true
  }()
}
