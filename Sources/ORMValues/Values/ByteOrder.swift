private import ORMPlatform

/// The order of bytes, which is also the order of texts by code point (clause 2.3).
package enum ByteOrder {
  /// Orders two runs of bytes; of two that agree as far as they go, the shorter is less.
  @inline(__always)
  package static func compare(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer
  ) -> StoredValue.Comparison {
    let common = min(a.count, b.count)
    if common > 0, let first = a.baseAddress, let second = b.baseAddress {
      let order = memcmp(first, second, common)
      if order != 0 { return order < 0 ? .less : .greater }
    }
    return StoredValue.Comparison(a.count, b.count)
  }

  /// Orders two texts by code point.
  package static func compare(_ a: String, _ b: String) -> StoredValue.Comparison {
    withBytes(of: a) { a in withBytes(of: b) { b in compare(a, b) } }
  }

  /// Returns whether two texts have the same scalars.
  package static func areEqual(_ a: String, _ b: String) -> Bool {
    // Most texts that differ have different lengths, which costs nothing to see.
    a.utf8.count == b.utf8.count && compare(a, b) == .equal
  }

  /// Feeds a text's scalars, so that equal ones by ``areEqual(_:_:)`` hash alike.
  package static func hash(_ text: String, into hasher: inout Hasher) {
    withBytes(of: text) { bytes in
      hasher.combine(bytes.count)
      hasher.combine(bytes: bytes)
    }
  }

  /// The UTF-8 of a text, without a copy where the text is native.
  @inlinable @inline(__always)
  package static func withBytes<R>(
    of text: String, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    let result = text.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
    if let result { return result }
    var native = text
    return native.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
