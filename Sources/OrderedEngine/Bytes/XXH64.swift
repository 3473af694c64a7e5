/// XXH64, written from its specification
/// (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The hash of bytes.
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    guard let start = bytes.baseAddress else { return finish(seed &+ prime5) }
    var at = start
    let end = start + bytes.count
    var hash: UInt64
    if bytes.count >= 32 {
      var a = seed &+ prime1 &+ prime2
      var b = seed &+ prime2
      var c = seed
      var d = seed &- prime1
      repeat {
        a = round(a, word(at))
        b = round(b, word(at + 8))
        c = round(c, word(at + 16))
        d = round(d, word(at + 24))
        at += 32
      } while end - at >= 32
      hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
      hash = merge(merge(merge(merge(hash, a), b), c), d)
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(bytes.count)
    while end - at >= 8 {
      hash = rotate(hash ^ round(0, word(at)), 27) &* prime1 &+ prime4
      at += 8
    }
    if end - at >= 4 {
      let half = UInt64(UInt32(littleEndian: at.loadUnaligned(as: UInt32.self)))
      hash = rotate(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
      at += 4
    }
    while at < end {
      hash = rotate(hash ^ (UInt64(at.load(as: UInt8.self)) &* prime5), 11) &* prime1
      at += 1
    }
    return finish(hash)
  }

  @inline(__always)
  private static func word(_ pointer: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func finish(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash = (hash ^ hash &>> 33) &* prime2
    hash = (hash ^ hash &>> 29) &* prime3
    return hash ^ hash &>> 32
  }
}
