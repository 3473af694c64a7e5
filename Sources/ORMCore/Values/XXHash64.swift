/// The 64-bit hash of a stream of bytes.
///
/// It is XXH64 with seed 0 (Collet, "xxHash fast digest algorithm", version 0.1.1): it finds
/// accidents, not attacks.
package struct XXHash64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
  /// What is hashed at a time: a number of eight bytes for each lane.
  private static let stripe = 32

  private var lanes = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
  private var length: UInt64 = 0
  /// The bytes after the last whole stripe.
  private var rest: [UInt8] = []

  package init() { rest.reserveCapacity(Self.stripe) }

  /// The hash of some bytes.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = XXHash64()
    hash.update(bytes)
    return hash.finish()
  }

  /// Takes the next bytes.
  package mutating func update(_ input: UnsafeRawBufferPointer) {
    length &+= UInt64(input.count)
    var bytes = input[...]
    if !rest.isEmpty {
      let missing = bytes.prefix(Self.stripe - rest.count)
      rest += missing
      bytes = bytes.dropFirst(missing.count)
      guard rest.count == Self.stripe else { return }
      rest.withUnsafeBytes { consume(UnsafeRawBufferPointer($0)) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / Self.stripe * Self.stripe
    consume(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
    rest += bytes.dropFirst(whole)
  }

  /// The hash of all bytes taken.
  package func finish() -> UInt64 {
    var hash = length < UInt64(Self.stripe) ? Self.prime5 : converged
    hash &+= length
    rest.withUnsafeBytes { rest in
      var place = 0
      while place + 8 <= rest.count {
        hash ^= Self.round(0, rest.word(at: place))
        hash = hash.rotated(27) &* Self.prime1 &+ Self.prime4
        place += 8
      }
      if place + 4 <= rest.count {
        let half = rest.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        hash ^= UInt64(UInt32(littleEndian: half)) &* Self.prime1
        hash = hash.rotated(23) &* Self.prime2 &+ Self.prime3
        place += 4
      }
      for byte in rest[place...] {
        hash ^= UInt64(byte) &* Self.prime5
        hash = hash.rotated(11) &* Self.prime1
      }
    }
    hash = (hash ^ (hash >> 33)) &* Self.prime2
    hash = (hash ^ (hash >> 29)) &* Self.prime3
    return hash ^ (hash >> 32)
  }

  private mutating func consume(_ stripes: UnsafeRawBufferPointer) {
    for place in stride(from: 0, to: stripes.count, by: Self.stripe) {
      lanes.0 = Self.round(lanes.0, stripes.word(at: place))
      lanes.1 = Self.round(lanes.1, stripes.word(at: place + 8))
      lanes.2 = Self.round(lanes.2, stripes.word(at: place + 16))
      lanes.3 = Self.round(lanes.3, stripes.word(at: place + 24))
    }
  }

  private var converged: UInt64 {
    var hash = lanes.0.rotated(1) &+ lanes.1.rotated(7)
    hash = hash &+ lanes.2.rotated(12) &+ lanes.3.rotated(18)
    for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
      hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
    }
    return hash
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
  fileprivate func word(at place: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }
}
