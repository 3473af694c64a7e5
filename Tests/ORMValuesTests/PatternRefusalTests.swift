import ORMValues
import Testing

/// Clause 2.5: a text that is no pattern is refused, with a position; 7.1: so are patterns past a limit.
struct PatternRefusalTests {
  @Test(
    "2.5: what MATCHES does not know is refused, with the place",
    arguments: [
      ("(a)\\1", 3), ("(?<n>a)\\k<n>", 7), ("a(?=b)", 1), ("a(?!b)", 1), ("(?<=a)b", 0),
      ("(?<!a)b", 0), ("(?>a)", 0), ("(?(1)a)", 0), ("(?P<n>a)", 0), ("a++", 1), ("a*+", 1),
      ("a?+", 1), ("a{1,2}+", 1), ("*a", 0), ("a|+", 2), ("a**", 2), ("^*", 1), ("a{2}{3}", 4),
      ("(", 0), ("a)", 1), ("(?:a", 0), ("[a", 0), ("[", 0), ("a[^]", 1), ("[]", 0), ("a{", 1),
      ("a{x}", 1), ("a{,2}", 1), ("a{1", 1), ("a{3,2}", 1), ("a}", 1), ("\\", 0), ("a\\y", 1),
      ("\\G", 0), ("\\X", 0), ("\\N{DIGIT ONE}", 0), ("\\E", 0), ("[\\b]", 1), ("[z-a]", 1),
      ("[a-c-e]", 4), ("[\\d-x]", 3), ("[a&&]", 0), ("[&&a]", 1), ("\\p{Nonsense}", 0),
      ("\\p{Block=Latin}", 0), ("\\pL", 0), ("\\p{L", 0), ("\\x{110000}", 0), ("\\uD83D", 0),
      ("\\u12", 0), ("\\x4", 0), ("\\08", 0), ("\\0777", 0), ("(?u)a", 2), ("a(?i)b", 1),
      ("(?i:a)b", 0), ("(?#a", 0), ("(?<1>a)", 0), ("(?", 0),
    ])
  func refused(_ pattern: String, _ place: Int) throws {
    let error = #expect(throws: StoreError.self) { try TextPattern(pattern) }
    #expect(error?.code == .invalidCondition)
    #expect(error?.message.contains("at \(place):") == true, "\(error?.message ?? "")")
  }

  @Test("2.5: a flag that [c] has set already may stand anywhere; to end it is refused")
  func flagsUnderOptions() throws {
    #expect(try TextPattern("a(?i)b(?i:c)", options: .caseInsensitive).matches("ABC"))
    #expect(throws: StoreError.self) { try TextPattern("(?i)a(?-i)b") }
  }

  @Test("2.5: a scalar of a class that folds to several cannot be taken out of one")
  func severalInNegatedClass() throws {
    #expect(throws: StoreError.self) { try TextPattern("[^ß]", options: .caseInsensitive) }
    #expect(throws: StoreError.self) { try TextPattern("[a-z&&[ß]]", options: .caseInsensitive) }
    #expect(try TextPattern("[^ß]").matches("s"))
  }

  @Test(
    "7.1: patterns past a limit are too complex",
    arguments: [
      "a{100001}", "a{5000}", "(a{100}){100}", "((a{1,30}){1,30}){1,30}", "(((a?){99}){99}){99}",
      String(repeating: "(", count: 300) + String(repeating: ")", count: 300),
      String(repeating: "[", count: 300) + "a" + String(repeating: "]", count: 300),
      String(repeating: "a", count: 70_000), "(){100000}", "((){999}){999}",
    ])
  func tooComplex(_ pattern: String) throws {
    let error = #expect(throws: StoreError.self) { try TextPattern(pattern) }
    #expect(error?.code == .tooComplex)
  }

  @Test("2.5: what every match begins with, for planners")
  func prefixes() throws {
    let table: [(String, String, Bool)] = [
      ("abc", "abc", true), ("abc.*", "abc", false), ("^ab(c|d)", "ab", false), ("a|b", "", false),
      ("ab*", "a", false), ("a(bc){2}d", "abcbcd", true), ("a(bc){2,}d", "abcbc", false),
      ("\\Qa.b\\E\\d", "a.b", false), ("\\bab\\b", "ab", false), ("a[b]c", "abc", true),
      ("", "", true), ("^abc$", "abc", true),
    ]
    for (pattern, prefix, isLiteral) in table {
      let made = try TextPattern(pattern)
      #expect(made.literalPrefix == prefix, "\(pattern)")
      #expect(made.isLiteral == isLiteral, "\(pattern)")
    }
    let folded = try TextPattern("Straße.*", options: .caseInsensitive)
    #expect(folded.literalPrefix == nil)
    #expect(folded.foldedPrefix == "strasse")
    #expect(try TextPattern("(?i)Ab").literalPrefix == nil)
  }
}
