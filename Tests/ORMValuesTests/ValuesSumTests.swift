import FoundationEssentials
import TestSupport
import Testing

@testable import ORMValues

@Suite("4.1 Exact sums and averages")
struct ValuesSumTests {
  func sum(_ doubles: [Double]) -> ExactSum {
    doubles.reduce(into: ExactSum()) { $0.add(double: $1) }
  }

  static let max = Double.greatestFiniteMagnitude

  static let doubleSums: [([Double], Double)] = [
    ([], 0), ([0.1, 0.2, 0.3], 0.6), ([1e16, 1, -1e16], 1), ([1e100, 1, -1e100, 1], 2),
    // Half of the last bit of 1 is lost, a little more is not.
    ([1, 0x1p-53], 1), ([1, 0x1p-53, 0x1p-200], 1 + 0x1p-52),
    ([1 + 0x1p-52, 0x1p-53], 1 + 0x1p-51), ([0x1p-53, -0x1p-54, 1], 1),
    ([max, max, -max, -max], 0), ([max, max, -max], max), ([max, max], .infinity),
    ([-max, -max], -.infinity), ([max, 0x1p969], max), ([max, 0x1p970], .infinity),
    ([max, 0x1p970, -0x1p-1074], max),
    ([.leastNonzeroMagnitude, .leastNonzeroMagnitude], 0x1p-1073),
    ([.leastNonzeroMagnitude, max, -max], .leastNonzeroMagnitude),
    ([.infinity, 1], .infinity), ([-.infinity, max, max], -.infinity),
    ([-0.0, -0.0], 0),
  ]

  @Test("4.1 doubles: the exact sum rounded once, forwards and backwards", arguments: doubleSums)
  func doubles(values: [Double], expected: Double) throws {
    for run in [values, values.reversed()] {
      let sum = try sum(run).sum(as: .double)
      #expect(sum.isIdentical(to: .double(expected)), "\(run)")
    }
  }

  @Test("4.1 infinities of both signs, and a NaN, have no sum and no average")
  func noNumber() throws {
    #expect(try sum([.infinity, -.infinity]).sum(as: .double) == .null)
    #expect(try sum([.infinity, 1, -.infinity]).average() == .null)
    #expect(try sum([1, .nan]).sum(as: .double) == .null)
    #expect(try sum([.infinity, 1]).average() == .double(.infinity))
  }

  @Test("4.1 average of doubles: exact sum over count, rounded once")
  func doubleAverages() throws {
    #expect(try sum([]).average() == .null)
    #expect(try sum([1, 2]).average() == .double(1.5))
    // The sum is past the greatest double, the average is not.
    #expect(try sum([Self.max, Self.max]).average() == .double(Self.max))
    // (2^53 + 1) / 3 exactly is 3002399751580331, though 2^53 + 1 is no double.
    #expect(try sum([0x1p53, 1, 0]).average() == .double(3_002_399_751_580_331))
    #expect(try sum([.leastNonzeroMagnitude, 0]).average() == .double(0))
    #expect(
      try sum([.leastNonzeroMagnitude, .leastNonzeroMagnitude, 0]).average()
        == .double(.leastNonzeroMagnitude))
    #expect(try sum([-0.0, -.leastNonzeroMagnitude, 0]).average().isIdentical(to: .double(0)))
    #expect(try sum([-1, -2]).average() == .double(-1.5))
    // 3 × (2^53 + 1) and a last bit over: the average is that bit's third above a tie, so up.
    #expect(
      try sum([3 * 0x1p-947, 3 * 0x1p-1000, 0x1p-1074]).average()
        == .double(0x1p-947 + 0x1p-999))
  }

  @Test("4.1 integers: exact, overflow only when the total does not fit")
  func integers() throws {
    func sum(_ values: [Int64]) -> ExactSum {
      values.reduce(into: ExactSum()) { $0.add(int64: $1) }
    }
    #expect(try sum([]).sum(as: .int) == .int(0))
    #expect(try sum([.max, .max, .min, .min, 2]).sum(as: .int) == .int(0))
    #expect(try sum([.max, 1, -1]).sum(as: .int) == .int(.max))
    #expect(throws: StoreError.self) { try sum([.max, 1]).sum(as: .int) }
    #expect(throws: StoreError.self) { try sum([.min, -1]).sum(as: .int) }
    #expect(try sum([.max, 1]).sum(as: .unsigned) == .uint(1 << 63))
    // What is worked out beside unsigned values may be below 0, and fits Int64 then.
    #expect(try sum([-1]).sum(as: .unsigned) == .int(-1))
    #expect(throws: StoreError.self) { try sum([.min, -1]).sum(as: .unsigned) }
    // (2^63 - 1 + 2^63 - 1) / 2, which rounds to 2^63.
    #expect(try sum([.max, .max]).average() == .double(0x1p63))
    #expect(try sum([1, 2]).average() == .double(1.5))
    #expect(try sum([-1, -1, 0]).average() == .double(-2.0 / 3))
    #expect(try sum([]).average() == .null)
    var unsigned = ExactSum()
    unsigned.add(uint64: .max)
    #expect(try unsigned.sum(as: .unsigned) == .uint(.max))
    unsigned.add(uint64: 1)
    #expect(throws: StoreError.self) { try unsigned.sum(as: .unsigned) }
    #expect(try unsigned.average() == .double(0x1p63))
  }

  func sum(decimals: [String]) -> ExactSum {
    decimals.reduce(into: ExactSum()) { $0.add(decimal: dec($1)) }
  }

  @Test("4.1 decimals: exact or overflow, in any order")
  func decimals() throws {
    let cases: [([String], String?)] = [
      ([], "0"), (["0.1", "0.2"], "0.3"), (["1e30", "1e-30", "-1e30"], "1e-30"),
      (["1e30", "1e-30"], nil), (["1e127", "1e-128", "-1e127", "-1e-128"], "0"),
      (["340282366920938463463374607431768211455", "1"], nil),
      (
        ["340282366920938463463374607431768211455", "5"], "34028236692093846346337460743176821146e1"
      ),
      (
        ["340282366920938463463374607431768211455", "1", "-1"],
        "340282366920938463463374607431768211455"
      ),
      (
        [
          "340282366920938463463374607431768211455e127",
          "340282366920938463463374607431768211455e127",
        ],
        nil
      ),
      (["-0.5", "0.25", "0.25"], "0"), (["-1", "-0.001"], "-1.001"),
    ]
    for (values, expected) in cases {
      for run in [values, values.reversed()] {
        if let expected {
          #expect(try sum(decimals: run).sum(as: .decimal) == .decimal(dec(expected)), "\(run)")
        } else {
          #expect(throws: StoreError.self, "\(run)") { try sum(decimals: run).sum(as: .decimal) }
        }
      }
    }
    #expect(try sum(decimals: ["0.1", "0.2"]).average() == .double(0.15))
    #expect(try sum(decimals: ["1", "0", "0"]).average() == .double(1.0 / 3))
    #expect(try sum(decimals: ["-1", "0", "0"]).average() == .double(-1.0 / 3))
    #expect(try sum(decimals: []).average() == .null)
    #expect(try sum(decimals: ["NaN"]).sum(as: .decimal) == .null)
  }

  @Test("2.6 mixed kinds: integers join either side, decimals and doubles do not meet")
  func mixedKinds() throws {
    var withDouble = ExactSum()
    withDouble.add(int64: .max)
    withDouble.add(double: -0x1p63)
    withDouble.add(double: 0.25)
    #expect(try withDouble.sum(as: .any) == .double(-0.75))
    #expect(try withDouble.average() == .double(-0.25))
    var withDecimal = ExactSum()
    withDecimal.add(int64: 1)
    withDecimal.add(decimal: dec("0.5"))
    #expect(try withDecimal.sum(as: .any) == .decimal(dec("1.5")))
    #expect(try withDecimal.average() == .double(0.75))
    withDecimal.add(double: 1)
    #expect(throws: StoreError.self) { try withDecimal.sum(as: .any) }
    #expect(throws: StoreError.self) { try withDecimal.average() }
  }

  /// The model: a line of hexadecimal bit patterns in, the bits of sum and average out.
  static let doubleModel = """
    import sys, struct
    from fractions import Fraction as F
    def bits(x):
        # A correctly rounded quotient of integers, past the greatest double infinity.
        try: d = x.numerator / x.denominator
        except OverflowError: d = float("inf") if x > 0 else float("-inf")
        return struct.unpack(">Q", struct.pack(">d", d))[0]
    for line in sys.stdin:
        xs = [F(struct.unpack(">d", bytes.fromhex(w))[0]) for w in line.split()]
        s = sum(xs, F(0))
        print(f"{bits(s):x} {bits(s / len(xs)):x}")
    """

  /// Runs of doubles that make sums hard: wide, close, cancelling, subnormal, near the greatest.
  func hardRun(_ random: inout SeededGenerator) -> [Double] {
    let kind = Int.random(in: 0..<6, using: &random)
    var run: [Double] = (0..<Int.random(in: 1...60, using: &random)).map { _ in
      switch kind {
      case 0: random.anyDouble()
      case 1: Double.random(in: -1000...1000, using: &random)
      case 2: (Double.random(in: 0...1000, using: &random) * 100).rounded() / 100
      case 3: Double(bitPattern: random.next() & 0x801F_FFFF_FFFF_FFFF)
      case 4:
        Double(sign: random.next() & 1 == 0 ? .plus : .minus, exponent: 1023, significand: 1.5)
      default:
        Double(sign: .plus, exponent: Int.random(in: -1074...1023, using: &random), significand: 1)
      }
    }
    if Bool.random(using: &random) { run += run.dropFirst().map { -$0 } }
    return run.shuffled(using: &random)
  }

  @Test(
    "4.1 random doubles: sum, average and merged sums are what exact fractions say",
    .enabled(if: PythonModel.isThere, "python3 is not here"))
  func doublesAgreeWithFractions() throws {
    var random = SeededGenerator.printed("doublesAgreeWithFractions")
    let runs = (0..<600).map { _ in hardRun(&random) }
    let lines = runs.map { run in
      run.map { value in
        let digits = String(value.bitPattern, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined(separator: " ")
    }
    let expected = try PythonModel.run(Self.doubleModel, lines: lines)
    try #require(expected.count == runs.count)
    for (run, line) in zip(runs, expected) {
      let parts = line.split(separator: " ").compactMap { UInt64($0, radix: 16) }
      try #require(parts.count == 2)
      let modelSum = Double(bitPattern: parts[0])
      // A fraction has no negative zero, and neither has a rounded average here.
      let modelAverage = Double(bitPattern: parts[1])
      let whole = sum(run)
      #expect(try whole.sum(as: .double) == .double(modelSum), "\(run)")
      #expect(try whole.average() == .double(modelAverage), "\(run)")
      let cut = Int.random(in: 0...run.count, using: &random)
      var merged = sum(Array(run[..<cut]))
      merged.add(sum(Array(run[cut...])))
      #expect(try merged.sum(as: .double) == .double(modelSum), "\(run)")
      #expect(try merged.average() == .double(modelAverage), "\(run)")
      #expect(merged.count == UInt64(run.count))
    }
  }

  static let decimalModel = """
    import sys
    from fractions import Fraction as F
    for line in sys.stdin:
        words = line.split()
        xs = [F(int(w.split("e")[0])) * F(10) ** int(w.split("e")[1]) for w in words]
        s = sum(xs, F(0))
        n, e = int(s * F(10) ** 128), -128
        while n and n % 10 == 0: n //= 10; e += 1
        while n and e > 127: n *= 10; e -= 1
        while n and n % 10 == 0: n //= 10; e += 1
        fits = n == 0 or abs(n * 10 ** max(0, e - 127)) < 1 << 128
        a = s / len(xs)
        print((f"{n}e{e if n else 0}" if fits else "overflow"), a.numerator / a.denominator)
    """

  @Test(
    "4.1 random decimals: sum and average are what exact fractions say",
    .enabled(if: PythonModel.isThere, "python3 is not here"))
  func decimalsAgreeWithFractions() throws {
    var random = SeededGenerator.printed("decimalsAgreeWithFractions")
    let runs: [[DecimalParts]] = (0..<300).map { _ in
      let spread = [0, 2, 20, 127].randomElement(using: &random) ?? 0
      let width = UInt128([0, 64, 100].randomElement(using: &random) ?? 0)
      return (0..<Int.random(in: 1...20, using: &random)).map { _ in
        DecimalParts(
          isNegative: Bool.random(using: &random),
          coefficient: (UInt128(random.next()) << 64 | UInt128(random.next())) >> width,
          exponent: Int.random(in: -spread...spread, using: &random))
      }
    }
    let lines = runs.map { run in
      run.map { "\($0.isNegative ? "-" : "")\($0.coefficient)e\($0.exponent)" }
        .joined(separator: " ")
    }
    let expected = try PythonModel.run(Self.decimalModel, lines: lines)
    try #require(expected.count == runs.count)
    for (index, run) in runs.enumerated() {
      let words = expected[index].split(separator: " ")
      try #require(words.count == 2)
      var whole = ExactSum()
      var halves = (ExactSum(), ExactSum())
      for (position, parts) in run.enumerated() {
        let decimal = try #require(DecimalLayout.make(parts))
        whole.add(decimal: decimal)
        if position % 2 == 0 {
          halves.0.add(decimal: decimal)
        } else {
          halves.1.add(decimal: decimal)
        }
      }
      halves.0.add(halves.1)
      for sum in [whole, halves.0] {
        if words[0] == "overflow" {
          #expect(throws: StoreError.self, "\(lines[index])") { try sum.sum(as: .decimal) }
        } else {
          let model = try #require(DecimalText.decimal(from: String(words[0])))
          #expect(try sum.sum(as: .decimal) == .decimal(model), "\(lines[index])")
        }
        #expect(try sum.average() == .double(Double(words[1]) ?? .nan), "\(lines[index])")
      }
    }
  }
}
