import FoundationEssentials
import TestSupport
import Testing

@testable import ORMValues

@Suite("2.6 Arithmetic")
struct ValuesArithmeticTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let operation: ArithmeticOperator
    let a: StoredValue
    let b: StoredValue
    let outcome: ArithmeticOutcome
    var isUnsigned = false
    var testDescription: String { "\(a) \(operation) \(b)" }
  }

  static func date(_ seconds: Double) -> StoredValue {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  static let cases: [Case] = [
    // Integer division truncates, as in Swift.
    Case(operation: .divide, a: .int(7), b: .int(2), outcome: .value(.int(3))),
    Case(operation: .divide, a: .int(-7), b: .int(2), outcome: .value(.int(-3))),
    Case(operation: .divide, a: .int(7), b: .int(-2), outcome: .value(.int(-3))),
    Case(operation: .add, a: .int(2), b: .int(3), outcome: .value(.int(5))),
    Case(operation: .subtract, a: .int(2), b: .int(3), outcome: .value(.int(-1))),
    Case(operation: .multiply, a: .int(-2), b: .int(3), outcome: .value(.int(-6))),
    // Division by zero of every kind is null.
    Case(operation: .divide, a: .int(7), b: .int(0), outcome: .value(.null)),
    Case(operation: .divide, a: .int(7), b: .double(0), outcome: .value(.null)),
    Case(operation: .divide, a: .double(7), b: .double(-0.0), outcome: .value(.null)),
    Case(operation: .divide, a: .double(0), b: .int(0), outcome: .value(.null)),
    Case(operation: .divide, a: .decimal(1), b: .decimal(dec("0.00")), outcome: .value(.null)),
    Case(operation: .divide, a: .uint(.max), b: .int(0), outcome: .value(.null)),
    // Null with anything is null.
    Case(operation: .add, a: .null, b: .int(1), outcome: .value(.null)),
    Case(operation: .power, a: .double(1), b: .null, outcome: .value(.null)),
    Case(operation: .subtract, a: .null, b: .string("x"), outcome: .value(.null)),
    Case(operation: .divide, a: .null, b: .null, outcome: .value(.null)),
    // Integers that do not fit.
    Case(operation: .add, a: .int(.max), b: .int(1), outcome: .overflow),
    Case(operation: .subtract, a: .int(.min), b: .int(1), outcome: .overflow),
    Case(operation: .multiply, a: .int(1 << 32), b: .int(1 << 31), outcome: .overflow),
    Case(operation: .divide, a: .int(.min), b: .int(-1), outcome: .overflow),
    // Unsigned ones have all of UInt64.
    Case(
      operation: .add, a: .int(.max), b: .int(1), outcome: .value(.uint(1 << 63)),
      isUnsigned: true),
    Case(
      operation: .add, a: .int(-1), b: .int(.min), outcome: .overflow, isUnsigned: true),
    Case(
      operation: .subtract, a: .int(5), b: .int(6), outcome: .value(.int(-1)), isUnsigned: true),
    Case(operation: .add, a: .uint(.max), b: .int(0), outcome: .value(.uint(.max))),
    Case(operation: .add, a: .uint(.max), b: .int(1), outcome: .overflow),
    Case(operation: .subtract, a: .uint(1 << 63), b: .int(1), outcome: .value(.int(.max))),
    Case(operation: .subtract, a: .int(0), b: .uint(1 << 63), outcome: .value(.int(.min))),
    Case(operation: .subtract, a: .int(-1), b: .uint(1 << 63), outcome: .overflow),
    Case(operation: .multiply, a: .uint(.max), b: .uint(.max), outcome: .overflow),
    Case(operation: .divide, a: .uint(.max), b: .int(2), outcome: .value(.int(.max))),
    Case(operation: .divide, a: .uint(.max), b: .int(-1), outcome: .overflow),
    // An integer beside a double becomes the nearest double: 2^53 + 1 becomes 2^53.
    Case(
      operation: .add, a: .int(9_007_199_254_740_993), b: .double(0),
      outcome: .value(.double(9_007_199_254_740_992))),
    Case(operation: .multiply, a: .double(0.5), b: .int(3), outcome: .value(.double(1.5))),
    Case(operation: .divide, a: .int(1), b: .double(4), outcome: .value(.double(0.25))),
    Case(
      operation: .add, a: .uint(.max), b: .double(0), outcome: .value(.double(0x1p64))),
    Case(operation: .add, a: .double(0.1), b: .double(0.2), outcome: .value(.double(0.1 + 0.2))),
    Case(
      operation: .multiply, a: .double(1e300), b: .double(1e300),
      outcome: .value(.double(.infinity))),
    // A NaN result is null.
    Case(
      operation: .subtract, a: .double(.infinity), b: .double(.infinity), outcome: .value(.null)),
    Case(operation: .multiply, a: .double(.infinity), b: .int(0), outcome: .value(.null)),
    Case(operation: .add, a: .double(.nan), b: .int(0), outcome: .value(.null)),
    Case(operation: .power, a: .int(-1), b: .double(0.5), outcome: .value(.null)),
    // Powers are doubles.
    Case(operation: .power, a: .int(2), b: .int(10), outcome: .value(.double(1024))),
    Case(operation: .power, a: .int(2), b: .int(-1), outcome: .value(.double(0.5))),
    Case(operation: .power, a: .uint(1 << 63), b: .int(2), outcome: .value(.double(0x1p126))),
    Case(operation: .power, a: .double(2.25), b: .double(0.5), outcome: .value(.double(1.5))),
    Case(operation: .power, a: .decimal(2), b: .int(2), outcome: .mismatch),
    // Decimals are exact beside decimals and integers, and never meet doubles.
    Case(
      operation: .add, a: .decimal(dec("0.1")), b: .decimal(dec("0.2")),
      outcome: .value(.decimal(dec("0.3")))),
    Case(
      operation: .subtract, a: .int(1), b: .decimal(dec("0.01")),
      outcome: .value(.decimal(dec("0.99")))),
    Case(
      operation: .multiply, a: .decimal(dec("1.10")), b: .int(-3),
      outcome: .value(.decimal(dec("-3.3")))),
    Case(
      operation: .divide, a: .decimal(1), b: .decimal(3),
      // 38 digits fit below 2^128, a 39th three would not be more than 34028….
      outcome: .value(.decimal(dec("0.333333333333333333333333333333333333333")))),
    Case(
      operation: .divide, a: .decimal(2), b: .int(3),
      outcome: .value(.decimal(dec("0.66666666666666666666666666666666666667")))),
    Case(
      operation: .divide, a: .decimal(dec("1e-128")), b: .int(2), outcome: .value(.decimal(0))),
    Case(
      operation: .divide, a: .decimal(dec("3e-128")), b: .int(2),
      outcome: .value(.decimal(dec("2e-128")))),
    Case(
      operation: .divide, a: .decimal(dec("340282366920938463463374607431768211455")), b: .int(1),
      outcome: .value(.decimal(dec("340282366920938463463374607431768211455")))),
    Case(
      operation: .add, a: .decimal(dec("340282366920938463463374607431768211455")), b: .int(5),
      // …460 needs one digit less than it has.
      outcome: .value(.decimal(dec("34028236692093846346337460743176821146e1")))),
    Case(
      operation: .add, a: .decimal(dec("340282366920938463463374607431768211455")), b: .int(1),
      outcome: .overflow),
    Case(
      operation: .subtract, a: .decimal(dec("34028236692093846346337460743176821146e1")),
      b: .decimal(dec("7")),
      outcome: .value(.decimal(dec("340282366920938463463374607431768211453")))),
    Case(
      operation: .add, a: .decimal(dec("1e30")), b: .decimal(dec("1e-30")), outcome: .overflow),
    Case(
      operation: .multiply, a: .decimal(dec("1e100")), b: .decimal(dec("1e100")),
      outcome: .overflow),
    Case(
      operation: .multiply, a: .decimal(dec("1e-100")), b: .decimal(dec("1e-100")),
      outcome: .overflow),
    Case(
      operation: .divide, a: .decimal(dec("1e100")), b: .decimal(dec("1e-100")),
      outcome: .overflow),
    Case(operation: .add, a: .decimal(.nan), b: .int(1), outcome: .value(.null)),
    Case(operation: .add, a: .decimal(1), b: .double(1), outcome: .mismatch),
    Case(operation: .divide, a: .double(1), b: .decimal(1), outcome: .mismatch),
    // Dates and seconds.
    Case(operation: .add, a: date(100), b: .int(5), outcome: .value(date(105))),
    Case(operation: .add, a: .double(0.5), b: date(100), outcome: .value(date(100.5))),
    Case(operation: .subtract, a: date(100), b: .double(0.5), outcome: .value(date(99.5))),
    Case(operation: .subtract, a: date(100), b: date(40), outcome: .value(.double(60))),
    Case(operation: .subtract, a: date(.infinity), b: date(.infinity), outcome: .value(.null)),
    Case(operation: .add, a: date(.infinity), b: .double(-.infinity), outcome: .value(.null)),
    Case(operation: .add, a: date(1), b: date(1), outcome: .mismatch),
    Case(operation: .subtract, a: .int(1), b: date(1), outcome: .mismatch),
    Case(operation: .multiply, a: date(1), b: .int(2), outcome: .mismatch),
    Case(operation: .add, a: date(1), b: .decimal(1), outcome: .mismatch),
    Case(operation: .add, a: date(1), b: .null, outcome: .value(.null)),
    // Everything else does not go.
    Case(operation: .add, a: .string("1"), b: .int(1), outcome: .mismatch),
    Case(operation: .add, a: .bool(true), b: .int(1), outcome: .mismatch),
    Case(operation: .add, a: .array([]), b: .array([]), outcome: .mismatch),
  ]

  @Test("2.6 an operator gives what the table says", arguments: cases)
  func operators(test: Case) {
    let outcome = StoredValue.arithmetic(
      test.operation, test.a, test.b, isUnsigned: test.isUnsigned)
    #expect(outcome == test.outcome)
  }

  @Test("2.6 functions of one number give its kind, or overflow")
  func functions() {
    typealias V = StoredValue
    #expect(V.negate(.int(5)) == .value(.int(-5)))
    #expect(V.negate(.int(.min)) == .overflow)
    #expect(V.negate(.int(.min), isUnsigned: true) == .value(.uint(1 << 63)))
    #expect(V.negate(.uint(1 << 63)) == .value(.int(.min)))
    #expect(V.negate(.uint(1 << 63 + 1)) == .overflow)
    #expect(V.negate(.double(1.5)) == .value(.double(-1.5)))
    #expect(V.negate(.decimal(dec("0.10"))) == .value(.decimal(dec("-0.1"))))
    #expect(V.negate(.decimal(0)) == .value(.decimal(0)))
    #expect(V.absolute(.int(-5)) == .value(.int(5)))
    #expect(V.absolute(.int(.min)) == .overflow)
    #expect(V.absolute(.int(.min), isUnsigned: true) == .value(.uint(1 << 63)))
    #expect(V.absolute(.uint(.max)) == .value(.uint(.max)))
    #expect(V.absolute(.double(-.infinity)) == .value(.double(.infinity)))
    #expect(V.absolute(.decimal(dec("-2.5"))) == .value(.decimal(dec("2.5"))))
    for function in [V.ceiling, V.floor, V.truncate] {
      #expect(function(.int(.min)) == .value(.int(.min)))
      #expect(function(.uint(.max)) == .value(.uint(.max)))
      #expect(function(.null) == .value(.null))
      #expect(function(.double(.nan)) == .value(.null))
      #expect(function(.decimal(.nan)) == .value(.null))
      #expect(function(.double(.infinity)) == .value(.double(.infinity)))
      #expect(function(.decimal(dec("1e127"))) == .value(.decimal(dec("1e127"))))
      #expect(function(.decimal(dec("-3.00"))) == .value(.decimal(-3)))
      #expect(function(.string("1")) == .mismatch)
      #expect(function(Self.date(1)) == .mismatch)
      #expect(function(.bool(true)) == .mismatch)
    }
    let table: [(String, String, String, String)] = [
      ("2.5", "3", "2", "2"), ("-2.5", "-2", "-3", "-2"), ("0.1", "1", "0", "0"),
      ("-0.1", "0", "-1", "0"), ("99.9", "100", "99", "99"), ("7", "7", "7", "7"),
    ]
    for (input, up, down, cut) in table {
      #expect(V.ceiling(.decimal(dec(input))) == .value(.decimal(dec(up))), "\(input)")
      #expect(V.floor(.decimal(dec(input))) == .value(.decimal(dec(down))), "\(input)")
      #expect(V.truncate(.decimal(dec(input))) == .value(.decimal(dec(cut))), "\(input)")
      let double = Double(input) ?? .nan
      #expect(V.ceiling(.double(double)) == .value(.double(Double(up) ?? .nan)), "\(input)")
      #expect(V.floor(.double(double)) == .value(.double(Double(down) ?? .nan)), "\(input)")
      #expect(V.truncate(.double(double)) == .value(.double(Double(cut) ?? .nan)), "\(input)")
    }
    #expect(V.ceiling(.decimal(dec("1e-128"))) == .value(.decimal(1)))
    #expect(V.floor(.decimal(dec("-1e-128"))) == .value(.decimal(-1)))
    #expect(V.negate(.null) == .value(.null))
    #expect(V.negate(.string("1")) == .mismatch)
    #expect(V.absolute(.bool(true)) == .mismatch)
    #expect(V.absolute(.null) == .value(.null))
  }

  /// The model: exact fractions, then what a decimal can hold.
  static let decimalModel = """
    import sys
    from fractions import Fraction as F
    LIMIT = 1 << 128
    def canonical(n, e):
        if n == 0: return "0 0"
        while n % 10 == 0: n //= 10; e += 1
        return f"{n} {e}"
    def holds(x):
        # The coefficient and exponent of x as a decimal, or None.
        if x == 0: return (0, 0)
        d, e = x.denominator, 0
        scaled = x * F(10) ** 128
        if scaled.denominator != 1: return None
        n, e = scaled.numerator, -128
        while n % 10 == 0: n //= 10; e += 1
        while e > 127: n *= 10; e -= 1
        return (n, e) if abs(n) < LIMIT else None
    def nearest(x):
        # The finest exponent at which the coefficient fits, then ties to even.
        for e in range(-128, 128):
            if abs(x) / F(10) ** e < LIMIT:
                n = round(x / F(10) ** e)
                if abs(n) == LIMIT: n = (LIMIT - 1) * (1 if n > 0 else -1)
                return (n, e)
        return None
    for line in sys.stdin:
        op, an, ae, bn, be = line.split()
        a, b = F(int(an)) * F(10) ** int(ae), F(int(bn)) * F(10) ** int(be)
        if op == "divide": r = "null" if b == 0 else nearest(a / b)
        else: r = holds(a + b if op == "add" else a - b if op == "subtract" else a * b)
        print(r if r == "null" else "overflow" if r is None else canonical(*r))
    """

  @Test(
    "2.6 random decimal arithmetic is what exact fractions say",
    .enabled(if: PythonModel.isThere, "python3 is not here"))
  func decimalsAgreeWithFractions() throws {
    var random = SeededGenerator.printed("decimalsAgreeWithFractions")
    var lines: [String] = []
    var outcomes: [String] = []
    func number(_ random: inout SeededGenerator) -> DecimalParts {
      let width = UInt128(Int.random(in: 0...128, using: &random))
      let coefficient = (UInt128(random.next()) << 64 | UInt128(random.next())) >> width
      let wide = Int.random(in: 0..<4, using: &random) == 0
      return DecimalParts(
        isNegative: Bool.random(using: &random), coefficient: coefficient,
        exponent: Int.random(in: wide ? -128...127 : -20...20, using: &random))
    }
    for index in 0..<1200 {
      let operation: ArithmeticOperator = [.add, .subtract, .multiply, .divide][index % 4]
      let (a, b) = (number(&random), number(&random))
      let signs = (a.isNegative ? "-" : "", b.isNegative ? "-" : "")
      lines.append(
        "\(operation) \(signs.0)\(a.coefficient) \(a.exponent) "
          + "\(signs.1)\(b.coefficient) \(b.exponent)")
      let outcome = StoredValue.arithmetic(
        operation, .decimal(try #require(DecimalLayout.make(a))),
        .decimal(try #require(DecimalLayout.make(b))))
      switch outcome {
      case .value(.null): outcomes.append("null")
      case .value(.decimal(let decimal)):
        let parts = try #require(DecimalParts(decimal)).canonical
        outcomes.append("\(parts.isNegative ? "-" : "")\(parts.coefficient) \(parts.exponent)")
      case .overflow: outcomes.append("overflow")
      default: outcomes.append("\(outcome)")
      }
    }
    let expected = try PythonModel.run(Self.decimalModel, lines: lines)
    try #require(expected.count == lines.count)
    for (index, line) in lines.enumerated() {
      #expect(outcomes[index] == expected[index], "\(line)")
    }
  }
}
