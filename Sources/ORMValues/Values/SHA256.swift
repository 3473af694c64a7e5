/// The digest of a content: SHA-256, written from FIPS 180-4, sections 4.1.2, 5.3.3 and 6.2.
package struct SHA256: Hashable, Sendable {
  /// The number of bytes a digest has.
  package static let count = 32

  /// The digest's 256 bits, the first byte the highest of the first word.
  package var words: (UInt64, UInt64, UInt64, UInt64)

  /// A digest of its bytes; nil where there are not 32.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.count else { return nil }
    func word(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    words = (word(0), word(8), word(16), word(24))
  }

  /// The digest of a content.
  package init(of content: UnsafeRawBufferPointer) {
    var state = Block()
    let whole = content.count & ~63
    state.consume(UnsafeRawBufferPointer(rebasing: content[..<whole]))
    // A one bit, zeros, and the length in bits fill the last block, or the last two.
    var rest = [UInt8](content[whole...])
    rest.append(0x80)
    rest.append(contentsOf: repeatElement(0, count: (120 - rest.count) % 64))
    withUnsafeBytes(of: (UInt64(content.count) &* 8).bigEndian) { rest.append(contentsOf: $0) }
    rest.withUnsafeBytes { state.consume($0) }
    let sums = state.sums
    func pair(_ first: Int) -> UInt64 { UInt64(sums[first]) << 32 | UInt64(sums[first + 1]) }
    words = (pair(0), pair(2), pair(4), pair(6))
  }

  /// The digest's bytes.
  package var bytes: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      withUnsafeBytes(of: word.bigEndian) { Array($0) }
    }
  }

  /// The digest as 64 hex digits.
  package var text: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A digest of 64 hex digits in lower case; nil for any other text.
  package init?(text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 2 * Self.count else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1])
      else { return nil }
      bytes.append(high << 4 | low)
    }
    guard let digest = bytes.withUnsafeBytes({ SHA256(bytes: $0) }) else { return nil }
    self = digest
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 97...102: digit - 87
    default: nil
    }
  }

  package static func == (a: SHA256, b: SHA256) -> Bool { a.words == b.words }

  package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// The state of the hash after the blocks taken so far.
private struct Block {
  /// The first 32 bits of the fractions of the square roots of the first eight primes.
  var sums: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]

  /// Takes whole blocks of 64 bytes.
  mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { words in
      Self.rounds.withUnsafeBufferPointer { rounds in
        guard let w = words.baseAddress, let k = rounds.baseAddress else { return }
        for start in stride(from: 0, to: bytes.count, by: 64) {
          for index in 0..<16 {
            w[index] = UInt32(
              bigEndian: bytes.loadUnaligned(
                fromByteOffset: start &+ index &* 4, as: UInt32.self))
          }
          take(w, k)
        }
      }
    }
  }

  /// Takes one block; the schedule of 64 words is stored as its last 16.
  ///
  /// Eight rounds are written one after another, with the names of the sums turned instead of the
  /// sums: a quarter faster.
  @inline(__always)
  private mutating func take(_ w: UnsafeMutablePointer<UInt32>, _ k: UnsafePointer<UInt32>) {
    var (a, b, c, d) = (sums[0], sums[1], sums[2], sums[3])
    var (e, f, g, h) = (sums[4], sums[5], sums[6], sums[7])
    var first = 0
    while first < 64 {
      if first >= 16 {
        for round in first..<first &+ 8 { Self.extend(w, round) }
      }
      let at = first & 15
      Self.round(a, b, c, &d, e, f, g, &h, k[first] &+ w[at])
      Self.round(h, a, b, &c, d, e, f, &g, k[first &+ 1] &+ w[at &+ 1])
      Self.round(g, h, a, &b, c, d, e, &f, k[first &+ 2] &+ w[at &+ 2])
      Self.round(f, g, h, &a, b, c, d, &e, k[first &+ 3] &+ w[at &+ 3])
      Self.round(e, f, g, &h, a, b, c, &d, k[first &+ 4] &+ w[at &+ 4])
      Self.round(d, e, f, &g, h, a, b, &c, k[first &+ 5] &+ w[at &+ 5])
      Self.round(c, d, e, &f, g, h, a, &b, k[first &+ 6] &+ w[at &+ 6])
      Self.round(b, c, d, &e, f, g, h, &a, k[first &+ 7] &+ w[at &+ 7])
      first &+= 8
    }
    sums[0] &+= a
    sums[1] &+= b
    sums[2] &+= c
    sums[3] &+= d
    sums[4] &+= e
    sums[5] &+= f
    sums[6] &+= g
    sums[7] &+= h
  }

  /// Replaces the word of sixteen rounds before by the word of this round.
  @inline(__always)
  private static func extend(_ w: UnsafeMutablePointer<UInt32>, _ round: Int) {
    let early = w[(round &+ 1) & 15]
    let late = w[(round &+ 14) & 15]
    let s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early &>> 3)
    let s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late &>> 10)
    w[round & 15] &+= s0 &+ w[(round &+ 9) & 15] &+ s1
  }

  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32,
    _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    let first = h &+ sum1 &+ (g ^ (e & (f ^ g))) &+ word
    let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    d = d &+ first
    h = first &+ sum0 &+ ((a & b) | (c & (a | b)))
  }

  @inline(__always)
  private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word &>> bits | word &<< (32 &- bits)
  }

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let rounds: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
