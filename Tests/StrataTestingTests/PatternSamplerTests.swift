import ORMValues
import StrataTesting
import Testing

@Suite struct PatternSamplerTests {
  static let patterns = [
    "a", "abc", "[a-z]+", "[A-Z]{2}\\d+", "(ab|cd)*", "a?b?c?", "\\w+@\\w+\\.com", ".", ".*",
    "x{3,5}",
    "(a|b){2}c", "[^a-z]", "\\p{Lu}\\p{Ll}*", "[äöü]+", "(?i)straße", "\\d{3}-\\d{4}", "^abc$",
    "\\bcat\\b",
    "a\\b.c", "(foo|)bar", "[\\d&&[^5]]{4}", "\\Q.*\\E", "((a|b)(c|d)){2,}", "\\s", "\\x41",
    "[a-c]{0,3}",
    "(x+x+)+y", "\\R", "[[:alpha:]]{2}", "a{0}b", "(?s).{2}", "(?x) a b # c",
  ]

  @Test("every text that is drawn matches its pattern", arguments: patterns)
  func everyDrawnTextMatches(_ pattern: String) throws {
    var sampler = try PatternSampler(pattern)
    let check = try TextPattern(pattern)
    var random = FakeRandom(seed: 3)
    for _ in 0..<50 {
      guard let text = sampler.text(ofLength: 0...200, using: &random) else {
        // A word's edge between two letters is nowhere.
        #expect(pattern == "a\\b.c" || pattern == "\\bcat\\b", "\(pattern) has texts")
        return
      }
      #expect(check.matches(text), "\(pattern): \(text)")
    }
  }

  @Test("the length of a text is in the range")
  func lengthsAreKept() throws {
    var random = FakeRandom(seed: 3)
    var letters = try PatternSampler("[a-z]+")
    var pairs = try PatternSampler("(ab)*")
    for _ in 0..<100 {
      let text = letters.text(ofLength: 7...9, using: &random)
      #expect((7...9).contains(text?.unicodeScalars.count ?? 0))
      let pair = pairs.text(ofLength: 3...5, using: &random)
      #expect(pair == "abab")
    }
    #expect(pairs.text(ofLength: 3...3, using: &random) == nil)
    #expect(letters.text(ofLength: 0...0, using: &random) == nil)
    #expect(pairs.text(ofLength: 0...0, using: &random) == "")
    #expect(letters.text(ofLength: 2_000...2_000, using: &random)?.count == 2_000)
  }

  @Test("all texts of a small language are drawn")
  func allTextsAreDrawn() throws {
    var random = FakeRandom(seed: 9)
    var sampler = try PatternSampler("(a|b)c?|d")
    let texts = Set((0..<500).compactMap { _ in sampler.text(ofLength: 0...9, using: &random) })
    #expect(texts == ["a", "b", "ac", "bc", "d"])
  }

  @Test("a pattern without texts gives none")
  func anEmptyLanguageGivesNil() throws {
    var random = FakeRandom(seed: 1)
    var sampler = try PatternSampler("[a&&b]")
    #expect(sampler.text(ofLength: 0...9, using: &random) == nil)
    #expect(throws: StoreError.self) { try PatternSampler("(") }
  }

  @Test("scalars that a reader knows are drawn first")
  func readableScalars() throws {
    var random = FakeRandom(seed: 1)
    var sampler = try PatternSampler(".{8}")
    let text = try #require(sampler.text(ofLength: 8...8, using: &random))
    #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }
}
