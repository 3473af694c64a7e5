import FoundationEssentials
import TestSupport
import Testing

@testable import ORMValues

@Suite("1.2, 2.2 Decimals: parts, text, bytes")
struct ValuesDecimalTests {
  @Test("the bytes of Decimal are laid out as known")
  func layoutIsAsKnown() {
    #expect(DecimalLayout.isAsKnown)
  }

  @Test("reading and making by bytes agrees with the public text")
  func bytesAgreeWithText() {
    var random = SeededGenerator.printed("bytesAgreeWithText")
    for _ in 0..<300 {
      let decimal = random.anyDecimal()
      let parts = DecimalLayout.readBytes(decimal)
      #expect(parts?.canonical == DecimalLayout.readText(decimal)?.canonical)
      if let canonical = parts?.canonical, canonical.exponent <= 127 {
        #expect(DecimalLayout.makeBytes(canonical) == decimal)
        #expect(DecimalLayout.makeText(canonical) == decimal)
      }
    }
    #expect(DecimalLayout.readText(.nan) == nil)
    #expect(DecimalLayout.readBytes(.nan) == nil)
  }

  static let texts: [(String, String)] = [
    ("0", "0"), ("-0", "0"), ("0.000", "0"), ("1", "1"), ("1.0", "1"), ("-1.50", "-1.5"),
    ("00012.500", "12.5"), ("+7", "7"), (".5", "0.5"), ("5.", "5"), ("1e3", "1000"),
    ("1E-3", "0.001"), ("12.5e+1", "125"), ("-0.00007", "-0.00007"),
    ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
    // 40 digits are plain, 41 are not.
    ("1e39", "1000000000000000000000000000000000000000"), ("1e40", "1E+40"),
    ("1e-39", "0.000000000000000000000000000000000000001"), ("1e-40", "1E-40"),
    ("123e60", "1.23E+62"), ("-123e-60", "-1.23E-58"),
    ("1e-128", "1E-128"), ("1e127", "1E+127"), ("1000e127", "1E+130"), ("1e130", "1E+130"),
    (
      "340282366920938463463374607431768211455e127",
      "3.40282366920938463463374607431768211455E+165"
    ),
    // As many zeros as one likes, because they are not significant.
    ("1" + String(repeating: "0", count: 100), "1E+100"),
    ("0." + String(repeating: "0", count: 99) + "1" + String(repeating: "0", count: 99), "1E-100"),
  ]

  @Test("a decimal has one text, which reads back", arguments: texts)
  func canonicalText(input: String, expected: String) throws {
    let decimal = try #require(DecimalText.decimal(from: input))
    #expect(DecimalText.text(of: decimal) == expected)
    let again = try #require(DecimalText.decimal(from: expected))
    #expect(StoredValue.decimal(again) == .decimal(decimal))
  }

  @Test(
    "what is no decimal, or does not fit one exactly, is not read",
    arguments: [
      "", "-", "+", ".", "e5", "1e", "1e+", "1e5x", "1..2", "1.2.3", " 1", "1 ", "0x10", "NaN",
      "inf", "--1", "1e1e1", "١",
      // 2^128, a digit too many, and exponents outside.
      "340282366920938463463374607431768211456", "1.000000000000000000000000000000000000000001",
      "1e-129", "1e166", "1e999999999999999999999999",
    ])
  func refusedText(text: String) {
    #expect(DecimalText.decimal(from: text) == nil)
  }

  @Test("random decimals: text reads back exactly, equal numbers share one text")
  func textRoundTrip() throws {
    var random = SeededGenerator.printed("textRoundTrip")
    for _ in 0..<500 {
      let decimal = random.anyDecimal()
      let text = DecimalText.text(of: decimal)
      let again = try #require(DecimalText.decimal(from: text))
      #expect(StoredValue.decimal(again) == .decimal(decimal))
      #expect(DecimalText.text(of: again) == text)
    }
  }

  @Test("the nearest double is that of the text, which the C library reads")
  func nearestDouble() throws {
    var random = SeededGenerator.printed("nearestDouble")
    for _ in 0..<500 {
      let parts = try #require(DecimalParts(random.anyDecimal()))
      let sign = parts.isNegative ? "-" : ""
      let text = "\(sign)\(parts.coefficient)e\(parts.exponent)"
      #expect(parts.nearestDouble == Double(text), "\(text)")
    }
  }
}

@Suite("2.2 Decimals as ordered bytes")
struct ValuesDecimalBytesTests {
  @Test("the bytes are those of the stated form")
  func form() {
    // 0.01 23 45 × 100^2 is 123.45; pairs are one more than they say, 100^2 is 128 + 2.
    #expect(DecimalText.orderedBytes(of: dec("123.45")) == [3, 130, 2, 24, 46, 0])
    #expect(DecimalText.orderedBytes(of: dec("-123.45")) == [1, 125, 253, 231, 209, 255])
    #expect(DecimalText.orderedBytes(of: dec("0.00")) == [2])
    #expect(DecimalText.orderedBytes(of: dec("100")) == [3, 130, 2, 0])
    #expect(DecimalText.orderedBytes(of: dec("0.1")) == [3, 128, 11, 0])
    #expect(DecimalText.orderedBytes(of: dec("0.01")) == [3, 128, 2, 0])
    #expect(DecimalText.orderedBytes(of: dec("0.001")) == [3, 127, 11, 0])
  }

  @Test("byte order is number order, and equal numbers have equal bytes")
  func order() {
    var random = SeededGenerator.printed("order")
    var decimals = ["0", "1", "-1", "10", "0.1", "-0.1", "1e127", "1e-128", "-1e-128", "99", "100"]
      .map(dec)
    decimals.append(dec("340282366920938463463374607431768211455"))
    decimals.append(dec("34028236692093846346337460743176821145.5"))
    decimals.append(dec("-340282366920938463463374607431768211455e127"))
    for _ in 0..<120 {
      decimals.append(random.anyDecimal())
      let small = DecimalParts(
        isNegative: Bool.random(using: &random), coefficient: UInt128(random.next() % 2000),
        exponent: Int.random(in: -3...3, using: &random))
      if let decimal = DecimalLayout.make(small) { decimals.append(decimal) }
    }
    for a in decimals {
      let bytes = DecimalText.orderedBytes(of: a)
      #expect(bytes.count <= 23)
      for b in decimals {
        let others = DecimalText.orderedBytes(of: b)
        let order =
          bytes == others ? 0 : (bytes.lexicographicallyPrecedes(others) ? -1 : 1)
        #expect(order == StoredValue.order(.decimal(a), .decimal(b)), "\(a) \(b)")
        #expect(bytes == others || !others.starts(with: bytes), "\(a) \(b)")
      }
    }
  }
}
