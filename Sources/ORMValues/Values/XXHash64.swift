/// The 64-bit hash of bytes, at once or of a stream.
///
/// It is XXH64 (Collet, "xxHash fast digest algorithm", version 0.1.1): it finds accidents, not
/// attacks.
package struct XXHash64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
  /// The number of bytes hashed at a time: a number of eight bytes for each lane.
  private static let stripe = 32

  /// Four hashes side by side, of every fourth number each.
  private struct Lanes {
    private var a, b, c, d: UInt64

    @inline(__always)
    init(seed: UInt64) {
      a = seed &+ prime1 &+ prime2
      b = seed &+ prime2
      c = seed
      d = seed &- prime1
    }

    /// Takes all whole stripes; gives how many bytes they are.
    @inline(__always)
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Int {
      var offset = 0
      while offset &+ stripe <= bytes.count {
        a = round(a, bytes.word(at: offset))
        b = round(b, bytes.word(at: offset &+ 8))
        c = round(c, bytes.word(at: offset &+ 16))
        d = round(d, bytes.word(at: offset &+ 24))
        offset &+= stripe
      }
      return offset
    }

    @inline(__always)
    var converged: UInt64 {
      let hash = a.rotated(1) &+ b.rotated(7) &+ c.rotated(12) &+ d.rotated(18)
      return merge(merge(merge(merge(hash, a), b), c), d)
    }

    @inline(__always)
    private func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
      (hash ^ round(0, lane)) &* prime1 &+ prime4
    }
  }

  private let seed: UInt64
  private var lanes: Lanes
  private var length = 0
  /// The bytes after the last whole stripe.
  private var rest: [UInt8] = []

  /// Begins a stream.
  package init(seed: UInt64 = 0) {
    self.seed = seed
    lanes = Lanes(seed: seed)
    rest.reserveCapacity(Self.stripe)
  }

  /// The hash of some bytes.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    if bytes.count < stripe { return finish(seed &+ prime5, length: bytes.count, rest: bytes) }
    var lanes = Lanes(seed: seed)
    let offset = lanes.consume(bytes)
    return finish(
      lanes.converged, length: bytes.count, rest: UnsafeRawBufferPointer(rebasing: bytes[offset...])
    )
  }

  /// Takes the next bytes.
  package mutating func update(_ input: UnsafeRawBufferPointer) {
    length += input.count
    var bytes = input[...]
    if !rest.isEmpty {
      let missing = bytes.prefix(Self.stripe - rest.count)
      rest += missing
      bytes = bytes.dropFirst(missing.count)
      guard rest.count == Self.stripe else { return }
      _ = rest.withUnsafeBytes { lanes.consume($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = lanes.consume(UnsafeRawBufferPointer(rebasing: bytes))
    rest += bytes.dropFirst(whole)
  }

  /// The hash of all bytes taken.
  package func finish() -> UInt64 {
    let hash = length < Self.stripe ? seed &+ Self.prime5 : lanes.converged
    return rest.withUnsafeBytes { Self.finish(hash, length: length, rest: $0) }
  }

  /// Takes the rest of less than a stripe, and mixes.
  @inline(__always)
  private static func finish(
    _ hash: UInt64, length: Int, rest: UnsafeRawBufferPointer
  ) -> UInt64 {
    var hash = hash &+ UInt64(length)
    var offset = 0
    while offset &+ 8 <= rest.count {
      hash = (hash ^ round(0, rest.word(at: offset))).rotated(27) &* prime1 &+ prime4
      offset &+= 8
    }
    if offset &+ 4 <= rest.count {
      let half = UInt32(
        littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = (hash ^ UInt64(half) &* prime1).rotated(23) &* prime2 &+ prime3
      offset &+= 4
    }
    while offset < rest.count {
      hash = (hash ^ UInt64(rest[offset]) &* prime5).rotated(11) &* prime1
      offset &+= 1
    }
    hash = (hash ^ (hash &>> 33)) &* prime2
    hash = (hash ^ (hash &>> 29)) &* prime3
    return hash ^ (hash &>> 32)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    (lane &+ word &* prime2).rotated(31) &* prime1
  }
}

extension UInt64 {
  @inline(__always)
  fileprivate func rotated(_ bits: UInt64) -> UInt64 { self &<< bits | self &>> (64 &- bits) }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
