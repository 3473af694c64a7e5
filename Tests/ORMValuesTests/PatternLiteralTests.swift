import ORMValues
import Testing

/// Clause 2.5: what a pattern says literally at its ends and in between tells most texts apart; what
/// it lets through is matched as ever.
struct PatternLiteralTests {
  @Test(
    "2.5: literals at the ends of a pattern and in between",
    arguments: [
      ("Player [0-9]*77", ["Player 77", "Player 177", "Player 7777"]),
      ("ab.*ab", ["abab", "ab ab", "abxabab"]),
      ("a.*needle.*z", ["aneedlez", "a needle z", "a needle needle z"]),
      ("(?:ab){2}c+", ["ababc", "ababcc"]),
      ("a{0}b", ["b"]),
      ("x?aa", ["aa", "xaa"]),
      ("aa|ab", ["aa", "ab"]),
      ("a\\bb|ab", ["ab"]),
      ("é.é", ["éxé", "ééé"]),
      ("", [""]),
      ("abc", ["abc"]),
    ])
  func matches(_ source: String, _ texts: [String]) throws {
    let pattern = try TextPattern(source)
    let others = [
      "", "a", "b", "ab", "aa", "aba", "abc", "abab", "abcc", "Player 7", "Player 77x", "layer 77",
      "a needl z", "aneedle", "needlez", "é", "éé", "e\u{301}xe\u{301}", "xaaa", "ababc ", "77",
      "ab\nab", "Player \n77",
    ]
    for text in texts { #expect(pattern.matches(text), "\(text)") }
    for text in others where !texts.contains(text) { #expect(!pattern.matches(text), "\(text)") }
  }

  @Test("2.5: literals under options are those of the folded text")
  func folded() throws {
    let pattern = try TextPattern("STRASSE.*Ö", options: .caseInsensitive)
    #expect(pattern.matches("straße ö"))
    #expect(pattern.matches("StrasseÖ"))
    #expect(!pattern.matches("straße o"))
    let bare = try TextPattern("é.*é", options: .diacriticInsensitive)
    #expect(bare.matches("ee"))
    #expect(bare.matches("e\u{301}xE".lowercased()))
  }

  @Test("1.4: bytes that are not UTF-8 are U+FFFD beside literals too")
  func brokenText() throws {
    let ends: [(String, [UInt8], Bool)] = [
      ("a\\x{FFFD}", [0x61, 0xFF], true), ("\\x{FFFD}a", [0xE2, 0x61], true),
      ("\\x{FFFD}é", [0xE2, 0xC3, 0xA9], true), ("a\\x{FFFD}b", [0x61, 0xFF, 0x62], true),
      ("\\x{FFFD}", [0xC3], true), ("\\x{FFFD}", [0x61], false), ("é", [0xC3], false),
    ]
    for (source, bytes, isMatch) in ends {
      let pattern = try TextPattern(source)
      #expect(bytes.withUnsafeBytes { pattern.answer($0) } == isMatch, "\(source)")
    }
  }

  @Test("2.5: a pattern that was asked of one text answers as before for the next")
  func remembered() throws {
    let pattern = try TextPattern("(?:a|b)*c")
    for _ in 0..<3 {
      #expect(pattern.matches("abac"))
      #expect(!pattern.matches("abxc"))
      #expect(!pattern.matches("cc"))
      #expect(pattern.matches("c"))
    }
  }
}
