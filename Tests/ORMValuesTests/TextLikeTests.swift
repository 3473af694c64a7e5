import ORMValues
import TestSupport
import Testing

/// Clause 2.5: LIKE.
struct TextLikeTests {
  static let c: TextOptions = .caseInsensitive
  static let n: TextOptions = .normalized

  struct Case: CustomTestStringConvertible {
    let pattern: String
    let options: TextOptions
    let matching: [String]
    let others: [String]
    init(_ pattern: String, _ options: TextOptions = [], yes: [String], no: [String]) {
      (self.pattern, self.options, matching, others) = (pattern, options, yes, no)
    }
    var testDescription: String { "\(pattern) \(options)" }
  }

  @Test(
    "2.5: LIKE matches what the table says, and nothing else",
    arguments: [
      Case("", yes: [""], no: ["a", "\0"]),
      Case("abc", yes: ["abc"], no: ["", "ab", "abcd", "xabc", "ABC"]),
      Case("*", yes: ["", "a", "\0", "a\nb", "é"], no: []),
      Case("**", yes: ["", "a"], no: []),
      Case("?", yes: ["a", "é", "\u{1F600}", "\0", "\n"], no: ["", "ab", "e\u{301}", "\r\n"]),
      Case("??", yes: ["ab", "e\u{301}", "\r\n"], no: ["", "a", "é", "abc"]),
      Case("*?", yes: ["a", "ab", "é"], no: [""]),
      Case("?*", yes: ["a", "ab", "é"], no: [""]),
      Case("?*?", yes: ["ab", "abc", "éé"], no: ["", "a", "é"]),
      Case("*??*", yes: ["ab", "abc"], no: ["", "a", "é"]),
      Case("a*", yes: ["a", "ab", "a*"], no: ["", "ba", "A"]),
      Case("*a", yes: ["a", "ba", "aa"], no: ["", "ab"]),
      Case("a*a", yes: ["aa", "aba", "aaa"], no: ["a", "", "ab"]),
      Case("*a*", yes: ["a", "xax", "aa"], no: ["", "xx"]),
      Case("ab*ba", yes: ["abba", "abxba"], no: ["aba", "ab", "ba"]),
      Case("*ab*ab*", yes: ["abab", "xabyabz"], no: ["ab", "aab", "abxa"]),
      Case("a?c*e", yes: ["abce", "aécxe"], no: ["ace", "abc", "abcx"]),
      Case("*b?d*", yes: ["bcd", "xbcdx", "bbcd", "bxbcd"], no: ["bd", "bccd"]),
      Case("*?b*c", yes: ["abc", "bbc", "xxbxc"], no: ["bc", "bxc"]),
      Case("*a?", yes: ["ab", "aa", "xaé"], no: ["a", "abb"]),
      Case("*é?z", yes: ["éaz", "xéßz"], no: ["éz", "eaz"]),
      Case("\\*", yes: ["*"], no: ["", "a", "\\*"]),
      Case("\\?x", yes: ["?x"], no: ["ax"]),
      Case("\\\\", yes: ["\\"], no: ["\\\\", ""]),
      Case("\\a\\é", yes: ["aé"], no: ["\\a\\é"]),
      Case("a\\", yes: ["a\\"], no: ["a"]),
      Case("*\\**", yes: ["*", "a*b"], no: ["", "ab"]),
      Case("%_", yes: ["%_"], no: ["ab", "%"]),
      Case("a\0*", yes: ["a\0", "a\0b"], no: ["a", "ab"]),
      Case("*\0?", yes: ["\0a", "b\0\0"], no: ["\0", "ab"]),
      Case("[a-z]+.", yes: ["[a-z]+."], no: ["az."]),
      Case("STRASSE*", c, yes: ["straße", "Strasse 1"], no: ["Strase"]),
      Case("*ß", c, yes: ["SS", "ß", "Fass"], no: ["s"]),
      Case("A?C", c, yes: ["abc", "aÉc"], no: ["ac", "aßc"]),
      Case("??", c, yes: ["ß", "ss", "\u{FB01}"], no: ["s"]),
      Case("\\A*", c, yes: ["abc", "A"], no: ["b"]),
      Case("?", n, yes: ["é", "e\u{301}"], no: ["x\u{301}"]),
      Case("e*", n, yes: ["e", "ex"], no: ["é", "e\u{301}"]),
      Case("e\u{301}*", n, yes: ["é", "e\u{301}x"], no: ["e"]),
      Case("cr?me*", [.caseInsensitive, .diacriticInsensitive], yes: ["CRÈME", "crèmes"], no: []),
      Case("\u{301}*", .diacriticInsensitive, yes: ["", "a"], no: []),
    ])
  func table(_ example: Case) {
    let pattern = LikePattern(example.pattern, options: example.options)
    for text in example.matching { #expect(pattern.matches(text), "\(scalars(text))") }
    for text in example.others { #expect(!pattern.matches(text), "\(scalars(text))") }
    let matcher = TextMatcher(.like, needle: example.pattern, options: example.options)
    for text in example.matching { #expect(matcher.matches(text)) }
    for text in example.others { #expect(!matcher.matches(text)) }
  }

  @Test("2.5: LIKE agrees with its definition, tried in every way")
  func agreesWithDefinition() {
    /// Straight from the definition; exponential, so texts are short.
    func matches(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool
    {
      guard let first = pattern.first else { return text.isEmpty }
      let rest = pattern.dropFirst()
      switch first {
      case "*": return matches(rest, text) || !text.isEmpty && matches(pattern, text.dropFirst())
      case "?": return !text.isEmpty && matches(rest, text.dropFirst())
      default: return text.first == first && matches(rest, text.dropFirst())
      }
    }
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let pattern = random.text(of: ["a", "b", "é", "?", "*"], upTo: 7)
      let text = random.text(of: ["a", "b", "é"], upTo: 8)
      let expected = matches(
        Array(pattern.unicodeScalars)[...], Array(text.unicodeScalars)[...])
      #expect(
        LikePattern(pattern).matches(text) == expected, "\(pattern) of \(text), seed \(seed)")
    }
  }

  @Test("7: a pattern made to backtrack ends at once")
  func hostilePattern() {
    let text = String(repeating: "a", count: 100_000)
    let stars = String(repeating: "*a", count: 1000)
    for options: TextOptions in [[], .caseInsensitive, .normalized] {
      #expect(!LikePattern("*a*a*a*b", options: options).matches(text))
      #expect(!LikePattern(stars + "*b", options: options).matches(text))
      #expect(!LikePattern(stars + "*b*", options: options).matches(text))
      #expect(LikePattern(stars + "*", options: options).matches(text))
    }
    #expect(!LikePattern("*a?a?a?b*").matches(text))
    #expect(!LikePattern(String(repeating: "?", count: 100_001) + "*").matches(text))
  }

  @Test("2.5: literal prefixes are for planners, and none is given for folded texts")
  func literals() {
    func prefix(_ pattern: String, _ options: TextOptions = []) -> String? {
      LikePattern(pattern, options: options).literalPrefix.map(scalars)
    }
    #expect(prefix("") == "")
    #expect(prefix("abc") == scalars("abc"))
    #expect(prefix("ab*c") == scalars("ab"))
    #expect(prefix("ab?c") == scalars("ab"))
    #expect(prefix("*c") == "")
    #expect(prefix("a\\*\0b?") == scalars("a*\0b"))
    #expect(prefix("a\\") == scalars("a\\"))
    #expect(prefix("ab*", .caseInsensitive) == nil)
    #expect(LikePattern("Straße*", options: .caseInsensitive).foldedPrefix == "strasse")
    #expect(LikePattern("").isLiteral)
    #expect(LikePattern("a\\*\\?").isLiteral)
    #expect(!LikePattern("a*").isLiteral)
    #expect(!LikePattern("?").isLiteral)
    #expect(!LikePattern("*").isLiteral)
  }

  @Test("Patterns are equal by scalars, and two stars are one")
  func equality() {
    #expect(LikePattern("a**b") == LikePattern("a*b"))
    #expect(LikePattern("\u{E9}") != LikePattern("e\u{301}"))
    #expect(LikePattern("a?") != LikePattern("a*"))
    #expect(LikePattern("a") != LikePattern("a", options: .caseInsensitive))
  }
}
