/// A non-negative integer of any size, for the few exact results that need more than 128 bits.
///
/// Schoolbook methods: the numbers here have tens of words, not thousands.
struct BigMagnitude: Equatable, Sendable {
  /// The words, the least first; the last is not zero.
  private(set) var words: [UInt64]

  init(_ value: UInt64) {
    words = value == 0 ? [] : [value]
  }

  init(_ value: UInt128) {
    let low = UInt64(truncatingIfNeeded: value)
    let high = UInt64(truncatingIfNeeded: value >> 64)
    words = high == 0 ? (low == 0 ? [] : [low]) : [low, high]
  }

  init(words: [UInt64]) {
    self.words = words
    trim()
  }

  var isZero: Bool { words.isEmpty }

  /// The number of bits the number has, 0 for zero.
  var bitCount: Int {
    guard let last = words.last else { return 0 }
    return words.count * 64 - last.leadingZeroBitCount
  }

  /// The number, when it is below 2^128.
  var uint128: UInt128? {
    switch words.count {
    case 0: 0
    case 1: UInt128(words[0])
    case 2: UInt128(words[1]) << 64 | UInt128(words[0])
    default: nil
    }
  }

  private mutating func trim() {
    while words.last == 0 { words.removeLast() }
  }

  mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in words.indices {
      let product = words[index].multipliedFullWidth(by: factor)
      let (low, overflow) = product.low.addingReportingOverflow(carry)
      words[index] = low
      carry = product.high + (overflow ? 1 : 0)
    }
    if carry != 0 { words.append(carry) }
    trim()
  }

  mutating func multiply(byPowerOfTen exponent: Int) {
    var rest = exponent
    while rest > 0 {
      let step = min(rest, Self.tensInWord)
      multiply(by: Self.powerOfTen(step))
      rest -= step
    }
  }

  mutating func shiftLeft(by bits: Int) {
    guard bits > 0, !isZero else { return }
    let within = UInt64(bits & 63)
    if within != 0 {
      var carry: UInt64 = 0
      for index in words.indices {
        let word = words[index]
        words[index] = word << within | carry
        carry = word >> (64 - within)
      }
      if carry != 0 { words.append(carry) }
    }
    words.insert(contentsOf: repeatElement(0, count: bits >> 6), at: 0)
  }

  mutating func add(_ other: BigMagnitude) {
    var carry = false
    for index in 0..<max(words.count, other.words.count) {
      if index == words.count { words.append(0) }
      let addend = index < other.words.count ? other.words[index] : 0
      let (first, overflow) = words[index].addingReportingOverflow(addend)
      let (second, more) = first.addingReportingOverflow(carry ? 1 : 0)
      words[index] = second
      carry = overflow || more
    }
    if carry { words.append(1) }
  }

  /// Takes away a number that must not be greater.
  mutating func subtract(_ other: BigMagnitude) {
    var borrow = false
    for index in words.indices {
      let taken = index < other.words.count ? other.words[index] : 0
      let (first, overflow) = words[index].subtractingReportingOverflow(taken)
      let (second, more) = first.subtractingReportingOverflow(borrow ? 1 : 0)
      words[index] = second
      borrow = overflow || more
    }
    trim()
  }

  /// Divides by a word that must not be zero, rounding down, and returns the remainder.
  mutating func divide(by divisor: UInt64) -> UInt64 {
    var remainder: UInt64 = 0
    for index in words.indices.reversed() {
      (words[index], remainder) = divisor.dividingFullWidth((remainder, words[index]))
    }
    trim()
    return remainder
  }

  func compare(to other: BigMagnitude) -> StoredValue.Comparison {
    if words.count != other.words.count {
      return StoredValue.Comparison(words.count, other.words.count)
    }
    for index in words.indices.reversed() where words[index] != other.words[index] {
      return StoredValue.Comparison(words[index], other.words[index])
    }
    return .equal
  }

  /// The greatest exponent of ten whose power fits in one word.
  static let tensInWord = 19

  /// 10^exponent, for exponents up to ``tensInWord``.
  static func powerOfTen(_ exponent: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: DecimalParts.powersOfTen[exponent])
  }
}
