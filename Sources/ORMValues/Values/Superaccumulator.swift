/// A fixed-point number wide enough for every double, so that adding to it never rounds.
///
/// The small superaccumulator of R. M. Neal, "Fast exact summation using small and large
/// superaccumulators" (2015, arXiv:1505.05571): chunks of 64 signed bits whose weights are 2^32
/// apart, so that carries may wait for 2^31 additions.
struct Superaccumulator: Sendable {
  /// The chunks, of which number `i` counts units of 2^(32 i - 1074).
  ///
  /// A double's 53 bits reach chunk 65; two more take the carries of 2^63 additions.
  private var chunks: [Int64]
  /// The number of additions that are left before carries must be moved on.
  private var additionsLeft: Int

  private static let chunkCount = 68
  private static let additionsPerCarry = 1 << 30
  /// The exponent of the last bit of chunk 0, that of the least double.
  static let exponent = -1074

  init() {
    chunks = Array(repeating: 0, count: Self.chunkCount)
    additionsLeft = Self.additionsPerCarry
  }

  /// Adds a finite double.
  mutating func add(_ value: Double) {
    let significand: UInt64
    let position: Int
    if value.exponentBitPattern == 0 {
      significand = value.significandBitPattern
      position = 0
    } else {
      significand = value.significandBitPattern | 1 << 52
      position = Int(value.exponentBitPattern) - 1
    }
    if additionsLeft == 0 { carry() }
    additionsLeft -= 1
    let chunk = position >> 5
    let shifted = UInt128(significand) << UInt128(position & 31)
    let low = Int64(UInt32(truncatingIfNeeded: shifted))
    let middle = Int64(UInt32(truncatingIfNeeded: shifted >> 32))
    let high = Int64(truncatingIfNeeded: shifted >> 64)
    if value.sign == .minus {
      chunks[chunk] -= low
      chunks[chunk + 1] -= middle
      chunks[chunk + 2] -= high
    } else {
      chunks[chunk] += low
      chunks[chunk + 1] += middle
      chunks[chunk + 2] += high
    }
  }

  /// Adds an integer, in pieces that doubles hold exactly.
  mutating func add(_ value: Int128) {
    let magnitude = value.magnitude
    for piece in 0..<3 {
      // 3 × 43 bits; each piece is below 2^53.
      let bits = UInt64(truncatingIfNeeded: magnitude >> UInt128(43 * piece)) & (1 << 43 - 1)
      let part = Double(sign: value < 0 ? .minus : .plus, exponent: 43 * piece, significand: 1)
      if bits != 0 { add(part * Double(bits)) }
    }
  }

  /// Adds the sum of another one.
  mutating func add(_ other: Superaccumulator) {
    var other = other
    other.carry()
    carry()
    // Both now hold digits below 2^32 (the last one signed), which is one addition's worth.
    for index in chunks.indices { chunks[index] += other.chunks[index] }
    additionsLeft -= 1
  }

  /// Moves carries on, so that every chunk but the last is a digit from 0 to 2^32 - 1.
  private mutating func carry() {
    var carried: Int64 = 0
    for index in 0..<(Self.chunkCount - 1) {
      let value = chunks[index] + carried
      chunks[index] = value & 0xFFFF_FFFF
      carried = value >> 32
    }
    chunks[Self.chunkCount - 1] += carried
    additionsLeft = Self.additionsPerCarry
  }

  /// The number held: a sign and a magnitude in units of 2^``exponent``.
  var total: (isNegative: Bool, magnitude: BigMagnitude) {
    var copy = self
    copy.carry()
    let isNegative = copy.chunks[Self.chunkCount - 1] < 0
    if isNegative {
      for index in copy.chunks.indices { copy.chunks[index] = -copy.chunks[index] }
      copy.carry()
    }
    let words = stride(from: 0, to: Self.chunkCount, by: 2).map { index in
      UInt64(truncatingIfNeeded: copy.chunks[index])
        | UInt64(truncatingIfNeeded: copy.chunks[index + 1]) << 32
    }
    return (isNegative, BigMagnitude(words: words))
  }
}
