internal import ORMStorage

/// The checksum of a value under a key in a keyspace: with the key in it, so that a value found
/// under another key is distinguished from one that belongs there.
///
/// It finds damage, not tampering: neither hash is cryptographic.
enum Checksum {
  /// The checksum of records.
  @inline(__always)
  static func ofRecord(
    _ content: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) -> UInt64 {
    RapidHash.hash(content, seed: seed(key, keyspace))
  }

  /// Returns the checksum of ``ofRecord(_:under:in:)``, inlined into a loop over many records.
  @inline(__always)
  static func inlinedOfRecord(
    _ content: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) -> UInt64 {
    RapidHash.inlinedHash(content, seed: seed(key, keyspace))
  }

  @inline(__always)
  private static func seed(_ key: UnsafeRawBufferPointer, _ keyspace: Keyspace) -> UInt64 {
    // A key of eight bytes, as most are, is its own hash.
    let name =
      key.count == 8
      ? UInt64(littleEndian: key.loadUnaligned(as: UInt64.self)) : RapidHash.hash(key)
    return name &+ UInt64(keyspace) &* spread
  }

  /// Returns the checksum of one of the engine's own values.
  static func of(
    _ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) -> UInt64 {
    XXHash64.hash(value, seed: XXHash64.hash(key, seed: UInt64(keyspace)))
  }

  /// Odd, and with bits everywhere, so that equal keys of several keyspaces are far from each other:
  /// the golden ratio.
  private static let spread: UInt64 = 0x9E37_79B9_7F4A_7C15
}
