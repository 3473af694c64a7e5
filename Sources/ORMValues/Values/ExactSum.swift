package import FoundationEssentials

/// A sum of numbers that does not depend on their order: exact, and rounded once at the end
/// (clause 4.1).
///
/// Integers are summed in 128 bits, decimals in as many digits as they need. Doubles go through
/// two running sums whose rounding errors are taken exactly (Knuth's TwoSum, The Art of Computer
/// Programming 4.2.2; sums of such parts are Shewchuk's expansions, "Adaptive precision
/// floating-point arithmetic", 1997); the rare rest that both cannot hold falls into a ``Superaccumulator``.
///
/// The sum of doubles is the nearest double to the exact sum, infinity past the greatest one, and
/// `0.0` for every zero. Infinities of one sign give that infinity; of both signs, and with a NaN,
/// there is no number, and the sum and average are null.
package struct ExactSum: Sendable {
  /// The number of numbers that were added.
  package private(set) var count: UInt64 = 0

  private var integers: Int128 = 0
  private var high = 0.0
  private var low = 0.0
  private var spill: Superaccumulator?
  private var decimals: DecimalSum?
  private var kinds: Kinds = []

  /// The kinds of numbers that have been added so far.
  private struct Kinds: OptionSet {
    let rawValue: UInt8
    static let double = Kinds(rawValue: 1)
    static let decimal = Kinds(rawValue: 2)
    static let positiveInfinity = Kinds(rawValue: 4)
    static let negativeInfinity = Kinds(rawValue: 8)
    static let nan = Kinds(rawValue: 16)
    static let unsigned = Kinds(rawValue: 32)
    static let notFinite: Kinds = [positiveInfinity, negativeInfinity, nan]
  }

  /// Makes an empty sum.
  package init() {}

  /// Adds an integer.
  @inline(__always)
  package mutating func add(int64 value: Int64) {
    count += 1
    integers &+= Int128(value)
  }

  /// Adds an unsigned integer.
  @inline(__always)
  package mutating func add(uint64 value: UInt64) {
    count += 1
    kinds.insert(.unsigned)
    integers &+= Int128(value)
  }

  /// Adds a double.
  @inline(__always)
  package mutating func add(double value: Double) {
    count += 1
    kinds.insert(.double)
    accumulate(value)
  }

  /// Adds doubles.
  package mutating func add(doubles values: UnsafeBufferPointer<Double>) {
    if values.isEmpty { return }
    count += UInt64(values.count)
    kinds.insert(.double)
    for value in values { accumulate(value) }
  }

  /// Adds a decimal; NaN makes the sum null.
  package mutating func add(decimal value: Decimal) {
    count += 1
    kinds.insert(.decimal)
    guard let parts = DecimalParts(value) else {
      kinds.insert(.nan)
      return
    }
    if decimals == nil { decimals = DecimalSum() }
    decimals?.add(parts)
  }

  /// Adds everything that another sum holds.
  package mutating func add(_ other: ExactSum) {
    count += other.count
    integers &+= other.integers
    kinds.formUnion(other.kinds)
    accumulate(other.high)
    accumulate(other.low)
    if let spilled = other.spill {
      if spill == nil { spill = spilled } else { spill?.add(spilled) }
    }
    if let others = other.decimals {
      if decimals == nil { decimals = others } else { decimals?.add(others) }
    }
  }

  @inline(__always)
  private mutating func accumulate(_ value: Double) {
    let (first, lost) = Self.twoSum(high, value)
    let (second, rest) = Self.twoSum(low, lost)
    // Anything not finite on the way makes `rest` a NaN, so this one test finds it too.
    if rest == 0 {
      high = first
      low = second
    } else {
      accumulateSlowly(value, first, second, rest)
    }
  }

  @inline(never)
  private mutating func accumulateSlowly(
    _ value: Double, _ first: Double, _ second: Double, _ rest: Double
  ) {
    guard value.isFinite else {
      kinds.insert(
        value.isNaN ? .nan : (value > 0 ? .positiveInfinity : .negativeInfinity))
      return
    }
    var spill = self.spill ?? Superaccumulator()
    self.spill = nil
    if first.isFinite && second.isFinite && rest.isFinite {
      spill.add(rest)
      high = first
      low = second
    } else {
      spill.add(high)
      spill.add(low)
      high = value
      low = 0
    }
    self.spill = spill
  }

  /// The rounded sum of two doubles and the exact rounding error.
  @inline(__always)
  private static func twoSum(_ a: Double, _ b: Double) -> (sum: Double, lost: Double) {
    let sum = a + b
    let part = sum - a
    return (sum, (a - (sum - part)) + (b - part))
  }
}

extension ExactSum {
  /// The kind of a sum's result.
  package enum ResultKind: Hashable, Sendable {
    /// An integer that fits Int64.
    case int
    /// An integer that fits Int64 or UInt64.
    case unsigned
    /// A double.
    case double
    /// A decimal.
    case decimal
    /// As the numbers come: a double if one was met, else a decimal if one was, else an integer,
    /// which may be past Int64 if an unsigned one was met.
    case any
  }

  /// The sum; null where it is no number.
  ///
  /// Throws `overflow` when the exact sum does not fit (a sum of doubles always does), and
  /// `invalidCondition` when decimals and doubles met.
  package func sum(as kind: ResultKind) throws -> StoredValue {
    try checkKinds(kind == .double, kind == .decimal)
    if kinds.contains(.double) || kind == .double { return doubleSum }
    if kinds.contains(.decimal) || kind == .decimal {
      if kinds.contains(.nan) { return .null }
      var total = decimals ?? DecimalSum()
      total.add(integers)
      guard let decimal = total.decimal else { throw Self.overflow }
      return .decimal(decimal)
    }
    if let value = Int64(exactly: integers) { return .int(value) }
    guard kind == .unsigned || kind == .any && kinds.contains(.unsigned),
      let value = UInt64(exactly: integers)
    else { throw Self.overflow }
    return .uint(value)
  }

  /// The exact sum over the count, rounded once to a double.
  ///
  /// Null over nothing, and where the sum is no number. Throws `invalidCondition` when decimals and doubles met.
  package func average() throws -> StoredValue {
    try checkKinds(false, false)
    if count == 0 { return .null }
    if let special { return special }
    if kinds.contains(.decimal) {
      var total = decimals ?? DecimalSum()
      total.add(integers)
      return .double(total.average(of: count))
    }
    if !kinds.contains(.double) {
      let average = BigMagnitude(integers.magnitude).nearestDouble(dividedBy: count)
      return .double(integers < 0 ? -average : average)
    }
    let (isNegative, magnitude) = exactDoubles.total
    let average = magnitude.nearestDouble(
      exponent: Superaccumulator.exponent, dividedBy: count)
    return .double(isNegative && average != 0 ? -average : average)
  }

  private static var overflow: StoreError {
    StoreError(.overflow, "the sum does not fit its type")
  }

  private func checkKinds(_ isDouble: Bool, _ isDecimal: Bool) throws {
    if (isDouble || kinds.contains(.double)) && (isDecimal || kinds.contains(.decimal)) {
      throw StoreError(.invalidCondition, "decimals and doubles cannot be added")
    }
  }

  /// The sum where infinities or a NaN decide it.
  private var special: StoredValue? {
    if kinds.isDisjoint(with: .notFinite) { return nil }
    if kinds.intersection(.notFinite) == .positiveInfinity { return .double(.infinity) }
    if kinds.intersection(.notFinite) == .negativeInfinity { return .double(-.infinity) }
    return .null
  }

  private var doubleSum: StoredValue {
    if let special { return special }
    if spill == nil && integers == 0 {
      let sum = high + low
      return .double(sum == 0 ? 0 : sum)
    }
    let (isNegative, magnitude) = exactDoubles.total
    let sum = magnitude.nearestDouble(exponent: Superaccumulator.exponent)
    return .double(isNegative ? -sum : sum)
  }

  /// Everything but decimals in one accumulator.
  private var exactDoubles: Superaccumulator {
    var total = spill ?? Superaccumulator()
    total.add(high)
    total.add(low)
    total.add(integers)
    return total
  }
}
