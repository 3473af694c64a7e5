internal import ORMValues

/// Makes texts of the bytes that a store holds: the most expensive part of reading a row.
///
/// The standard library makes them. With the compile-time condition `STRATA_FORGED_TEXT`, which is
/// off, texts of at most 15 bytes are made of the two words that the library keeps them in. A scan
/// of rows with two such texts then takes 12 % fewer instructions in memory, 11 % on LMDB and 4 % on
/// SQLite. Nothing promises that layout, so nothing that ships depends on it.
@usableFromInline
package enum RecordText {
  /// The text of bytes; nil when they are not UTF-8.
  @inlinable @inline(__always)
  package static func string(of bytes: UnsafeRawBufferPointer) -> String? {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return "" }
    #if STRATA_FORGED_TEXT
      if bytes.count <= 15, canMakeShort, let text = short(start, bytes.count) { return text }
    #endif
    return string(start, bytes.count)
  }

  /// A text of one byte or more, by the library.
  ///
  /// Validating by it costs five times as much as decoding, which repairs what is invalid: what was
  /// repaired is no longer what is stored.
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

#if STRATA_FORGED_TEXT
  extension RecordText {
    /// A text of 1 to 15 bytes, made of the two words that it is kept in; nil when it may be no UTF-8.
    ///
    /// The library takes 120 instructions for one of ASCII, and 400 for others with what says whether
    /// it had to repair them; this takes 20, and 150.
    @inlinable @inline(__always)
    static func short(_ start: UnsafeRawPointer, _ count: Int) -> String? {
      let low: UInt64
      var high: UInt64 = 0
      if count >= 8 {
        low = word(start)
        // Those of the last eight bytes that are not among the first.
        high = word(start + (count &- 8)) &>> 8
        high = high &>> UInt64(truncatingIfNeeded: 8 &* (15 &- count))
      } else if count >= 4 {
        low = half(start) | half(start + (count &- 4)) &<< bits(count &- 4)
      } else {
        low =
          byte(start) | byte(start + count &>> 1) &<< bits(count &>> 1)
          | byte(start + (count &- 1)) &<< bits(count &- 1)
      }
      var mark: UInt64 = 0xE0
      if (low | high) & 0x8080_8080_8080_8080 != 0 {
        if !isUTF8(start, count, low, high) { return nil }
        mark = 0xA0
      }
      high |= (mark | UInt64(truncatingIfNeeded: count)) &<< 56
      return unsafeBitCast((low, high), to: String.self)
    }

    @inlinable @inline(__always)
    static func word(_ start: UnsafeRawPointer) -> UInt64 {
      UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    }

    @inlinable @inline(__always)
    static func half(_ start: UnsafeRawPointer) -> UInt64 {
      UInt64(UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))
    }

    @inlinable @inline(__always)
    static func byte(_ start: UnsafeRawPointer) -> UInt64 { UInt64(start.load(as: UInt8.self)) }

    /// The number of bits in a number of bytes.
    @inlinable @inline(__always)
    static func bits(_ bytes: Int) -> UInt64 { UInt64(truncatingIfNeeded: 8 &* bytes) }

    /// Returns whether bytes are UTF-8 for certain; those with U+FFFD may be.
    ///
    /// Both words have all of them, the first lowest.
    @inline(never) @usableFromInline
    static func isUTF8(
      _ start: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64
    ) -> Bool {
      let bytes = UnsafeRawBufferPointer(start: start, count: count)
      var position = 0
      // From one byte with its highest bit set to the next: most of a text in Latin letters has none.
      while let next = unlikeASCII(from: position, low, high) {
        position = next
        // Letters with marks, Greek, Cyrillic: two bytes.
        if next &+ 1 < count,
          start.load(fromByteOffset: next, as: UInt8.self) &- 0xC2 <= 0xDF - 0xC2,
          start.load(fromByteOffset: next &+ 1, as: UInt8.self) & 0xC0 == 0x80
        {
          position &+= 2
          continue
        }
        if UTF8Scalars.next(bytes, &position) == UTF8Scalars.replacement { return false }
      }
      return true
    }

    /// The place of the first byte from `position` on, which is at most 15, that has its highest bit
    /// set.
    @inline(__always)
    private static func unlikeASCII(from position: Int, _ low: UInt64, _ high: UInt64) -> Int? {
      let mask: UInt64 = 0x8080_8080_8080_8080
      if position < 8 {
        let marks = low & mask & (.max &<< bits(position))
        if marks != 0 { return marks.trailingZeroBitCount &>> 3 }
      }
      let marks = high & mask & (position > 8 ? .max &<< bits(position &- 8) : .max)
      return marks == 0 ? nil : 8 &+ marks.trailingZeroBitCount &>> 3
    }

    /// True if the library at hand keeps short texts as ``short(_:_:)`` makes them.
    ///
    /// This is tested once, on texts that the library made itself, since nothing promises it.
    ///
    /// Such a text is its two words and nothing else, so one of the same words is the same text.
    @usableFromInline package static let canMakeShort: Bool = {
      guard MemoryLayout<String>.size == 16 else { return false }
      // Bytes that tell their places, the least and the greatest, and two, three and four to a scalar.
      let samples = [
        "abcdefghijklmno", String(repeating: "\0", count: 15),
        String(repeating: "\u{7F}", count: 15), "a\u{300}\u{DF}\u{E9}\u{E8}\u{FC}",
        "\u{4E2D}\u{6587}\u{20AC}\u{AC00}xyz", "\u{1F600}\u{10FFFF}\u{10000}",
      ]
      return samples.allSatisfy { sample in
        let scalars = Array(sample.unicodeScalars)
        return (1...scalars.count).allSatisfy { count in
          var view = String.UnicodeScalarView()
          view.append(contentsOf: scalars[..<count])
          let bytes = Array(String(view).utf8)
          let text = String(decoding: bytes, as: UTF8.self)
          return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let made = short(start, bytes.count) else {
              return false
            }
            return unsafeBitCast(text, to: (UInt64, UInt64).self)
              == unsafeBitCast(made, to: (UInt64, UInt64).self)
          }
        }
      }
    }()
  }
#endif
