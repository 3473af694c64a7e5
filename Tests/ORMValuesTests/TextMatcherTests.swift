import ORMValues
import TestSupport
import Testing

/// Clause 2.3 to 2.5: CONTAINS, BEGINSWITH, ENDSWITH and == with their modifiers.
struct TextMatcherTests {
  typealias Kind = TextMatcher.Kind
  static let c: TextOptions = .caseInsensitive
  static let d: TextOptions = .diacriticInsensitive
  static let n: TextOptions = .normalized
  static let everyOption: [TextOptions] = (0..<8).map { TextOptions(rawValue: $0) }

  struct Case: CustomTestStringConvertible {
    let text: String
    let needle: String
    let options: TextOptions
    /// The operators that hold, of begins, ends, contains, equals: "bec=".
    let holds: String
    init(_ text: String, _ needle: String, _ options: TextOptions, _ holds: String) {
      (self.text, self.needle, self.options, self.holds) = (text, needle, options, holds)
    }
    var testDescription: String { "\(scalars(text)) | \(scalars(needle)) \(options)" }
  }

  @Test(
    "2.5: the operators hold where the table says, and nowhere else",
    arguments: [
      Case("", "", [], "bec="),
      Case("abc", "", [], "bec"),
      Case("", "a", [], ""),
      Case("abc", "abc", [], "bec="),
      Case("abc", "ab", [], "bc"),
      Case("abc", "bc", [], "ec"),
      Case("abc", "b", [], "c"),
      Case("abc", "abcd", [], ""),
      Case("abc", "B", [], ""),
      Case("aab", "ab", [], "ec"),
      Case("a\0b", "\0", [], "c"),
      Case("a\0b", "a\0", [], "bc"),
      Case("a\0", "a", [], "bc"),
      Case("a\0c", "a\0b", [], ""),
      // By scalars, not by characters.
      Case("e\u{301}", "e", [], "bc"),
      Case("e\u{301}", "\u{301}", [], "ec"),
      Case("\r\n", "\n", [], "ec"),
      Case("\u{E9}", "e\u{301}", [], ""),
      Case("\u{1F468}\u{200D}\u{1F469}", "\u{1F469}", [], "ec"),
      // Case.
      Case("ABC", "abc", c, "bec="),
      Case("ABC", "Ab", c, "bc"),
      Case("xABC", "aBc", c, "ec"),
      Case("ABCD", "bc", c, "c"),
      Case("ABD", "abc", c, ""),
      Case("AB", "abc", c, ""),
      Case("Straße", "STRASSE", c, "bec="),
      Case("STRASSE", "straße", c, "bec="),
      Case("Straße", "SSE", c, "ec"),
      Case("Straße", "stras", c, "bc"),
      Case("\u{FB01}sh", "FI", c, "bc"),
      Case("\u{212A}elvin", "kelvin", c, "bec="),
      Case("kelvin", "\u{212A}ELVIN", c, "bec="),
      Case("ΟΔΟΣ", "οδος", c, "bec="),
      Case("I", "\u{131}", c, ""),
      Case("\u{130}", "i", c, "bc"),
      Case("E\u{301}", "e", c, "bc"),
      Case("abé", "AB", c, "bc"),
      Case("éab", "AB", c, "ec"),
      Case("A\0É", "a\0é", c, "bec="),
      // Marks.
      Case("Crème", "Creme", d, "bec="),
      Case("Crème", "creme", d, ""),
      Case("Crème", "creme", [c, d], "bec="),
      Case("Creme", "CRÈME", [c, d], "bec="),
      Case("e\u{301}", "e", d, "bec="),
      Case("abe\u{301}", "abe", d, "bec="),
      Case("abe\u{301}f", "abe", d, "bc"),
      Case("abc", "\u{301}", d, "bec"),
      Case("\u{301}", "", d, "bec="),
      // Canonical equivalence.
      Case("e\u{301}", "\u{E9}", n, "bec="),
      Case("\u{E9}", "e\u{301}", n, "bec="),
      Case("abe\u{301}", "abe", n, ""),
      Case("abe\u{301}", "ab", n, "bc"),
      Case("abe\u{301}", "AB\u{C9}", [c, n], "bec="),
      Case("abe\u{301}z", "Z", [c, n], "ec"),
      Case("x\u{327}", "x", n, "bc"),  // no composite: x stands by itself
      Case("K", "\u{212A}", n, "bec="),
      Case("\u{1100}\u{1161}\u{11A8}", "\u{AC01}", n, "bec="),
    ])
  func table(_ example: Case) {
    for (kind, letter) in zip([Kind.beginsWith, .endsWith, .contains, .equals], "bec=") {
      let matcher = TextMatcher(kind, needle: example.needle, options: example.options)
      #expect(matcher.matches(example.text) == example.holds.contains(letter), "\(kind)")
    }
  }

  @Test("2.5: an operator is what it is of the folded texts", arguments: everyOption)
  func agreesWithFolding(_ options: TextOptions) {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "A", "b", "e", "\u{301}", "\u{327}", "é", "É", "ß", "s", "S", "\0", "ſ", "\u{212A}", "K",
      "\u{130}", "i", "\u{345}", "α", "\u{1FB3}",
    ]
    for _ in 0..<3000 {
      let text = random.text(of: pieces, upTo: 6)
      let needle = random.text(of: pieces, upTo: 3)
      let form = Array(TextFolding.fold(text, options).utf8)
      let wanted = Array(TextFolding.fold(needle, options).utf8)
      let contains = (0...form.count).contains { form[$0...].starts(with: wanted) }
      for (kind, expected) in [
        (Kind.beginsWith, form.starts(with: wanted)),
        (.endsWith, form.reversed().starts(with: wanted.reversed())),
        (.contains, contains), (.equals, form == wanted),
      ] {
        let matcher = TextMatcher(kind, needle: needle, options: options)
        #expect(
          matcher.matches(text) == expected,
          "\(kind)\(options) of \(scalars(text)) and \(scalars(needle)), seed \(seed)")
      }
    }
  }

  @Test("7: a needle that nearly matches everywhere is not found, in linear time")
  func hostileNeedle() {
    let text = String(repeating: "a", count: 1_000_000)
    let needle = String(repeating: "a", count: 1000)
    #expect(!TextMatcher(.contains, needle: needle + "b").matches(text))
    #expect(TextMatcher(.contains, needle: needle + "b").matches(text + "b"))
    #expect(!TextMatcher(.contains, needle: "b" + needle, options: .caseInsensitive).matches(text))
    #expect(TextMatcher(.contains, needle: needle + "B", options: Self.c).matches(text + "bA"))
  }

  @Test("A long needle is found where a plain search finds it")
  func longNeedles() {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let text = random.text(of: ["a", "ab", "aab"], upTo: 60)
      let needle = random.text(of: ["a", "ab", "aab"], upTo: 16)
      let bytes = Array(text.utf8)
      let expected = (0...bytes.count).contains { bytes[$0...].starts(with: needle.utf8) }
      let answer = TextMatcher(.contains, needle: needle).matches(text)
      #expect(answer == expected, "\(needle) in \(text), seed \(seed)")
    }
  }

  @Test("1.4: bytes that are not UTF-8 do not trap, whatever the operator")
  func malformedBytes() {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    let pool: [UInt8] = [0x61, 0x80, 0xBF, 0xC0, 0xC3, 0xCC, 0xE1, 0xED, 0xA0, 0xF0, 0xF4, 0xFF]
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        pool.randomElement(using: &random) ?? 0
      }
      for options in Self.everyOption {
        for kind in [Kind.beginsWith, .endsWith, .contains, .equals, .like] {
          let matcher = TextMatcher(kind, needle: "?é*a", options: options)
          _ = bytes.withUnsafeBytes { matcher.answer(utf8: $0) }
        }
        var output: [UInt8] = []
        bytes.withUnsafeBytes { TextFolding.appendFold(of: $0, options, to: &output) }
        let isOutputValid = String(validating: output, as: UTF8.self) != nil
        #expect(options.isEmpty || isOutputValid, "\(bytes), seed \(seed)")
      }
    }
  }
}

extension SeededGenerator {
  /// Some of the pieces, one after another.
  mutating func text(of pieces: [String], upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &self)).map { _ in
      pieces.randomElement(using: &self) ?? ""
    }.joined()
  }
}
