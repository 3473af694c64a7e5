/// Scalars out of UTF-8 bytes and into them.
///
/// Bytes that are not UTF-8 are read as U+FFFD, and never past the end of the buffer: a text from a
/// damaged file must not trap here, though it is refused elsewhere (clause 1.4).
package enum UTF8Scalars {
  /// REPLACEMENT CHARACTER.
  package static let replacement: UInt32 = 0xFFFD

  /// Reads the scalar at `position`, which must be inside, and moves `position` behind it.
  @inline(__always)
  package static func next(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32 {
    let byte = UInt32(bytes[position])
    position += 1
    if byte < 0x80 { return byte }
    return long(byte, bytes, &position)
  }

  private static func long(
    _ byte: UInt32, _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) -> UInt32 {
    let more = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
    guard byte >= 0xC2, byte < 0xF5, bytes.count - position >= more else { return replacement }
    var scalar = byte & (0x3F >> UInt32(more))
    for i in position..<position + more {
      let next = UInt32(bytes[i])
      guard next & 0xC0 == 0x80 else { return replacement }
      scalar = scalar << 6 | next & 0x3F
    }
    let least: UInt32 = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x1_0000
    guard scalar >= least, scalar < 0x11_0000, scalar & 0xFFFF_F800 != 0xD800 else {
      return replacement
    }
    position += more
    return scalar
  }

  /// Appends the scalar's bytes.
  @inline(__always)
  static func append(_ scalar: UInt32, to output: inout [UInt8]) {
    if scalar < 0x80 {
      output.append(UInt8(truncatingIfNeeded: scalar))
    } else if scalar < 0x800 {
      output.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
      output.append(trailing(scalar))
    } else if scalar < 0x1_0000 {
      output.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      output.append(trailing(scalar >> 6))
      output.append(trailing(scalar))
    } else {
      output.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      output.append(trailing(scalar >> 12))
      output.append(trailing(scalar >> 6))
      output.append(trailing(scalar))
    }
  }

  @inline(__always)
  private static func trailing(_ bits: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: 0x80 | bits & 0x3F)
  }
}
