import ORMValues
import Testing

/// Clause 2.5: MATCHES, worked out by hand.
struct PatternTableTests {
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
    "2.5: MATCHES is of the whole text",
    arguments: [
      Case("", yes: [""], no: ["a"]),
      Case("abc", yes: ["abc"], no: ["", "ab", "abcd", "xabc", "ABC"]),
      Case("a|bc|", yes: ["a", "bc", ""], no: ["abc", "b"]),
      Case("(a|ab)(c|bcd)", yes: ["ac", "abc", "abcd", "abbcd"], no: ["a", "abcdd"]),
      Case("a*", yes: ["", "a", "aaa"], no: ["b", "ab"]),
      Case("a+?b??", yes: ["a", "aab"], no: ["", "b", "abb"]),
      Case("a{2}", yes: ["aa"], no: ["a", "aaa"]),
      Case("a{2,}", yes: ["aa", "aaaaa"], no: ["a"]),
      Case("a{0,2}", yes: ["", "a", "aa"], no: ["aaa"]),
      Case("(ab?){1,3}", yes: ["a", "abab", "aaab"], no: ["", "aaaa", "b"]),
      Case("(a?){2,4}", yes: ["", "a", "aaaa"], no: ["aaaaa"]),
      Case("(a*)*", yes: ["", "aaa"], no: ["b"]),
      Case("(a|b)*abb", yes: ["abb", "aababb"], no: ["ab", "abba"]),
      Case("a{0}b", yes: ["b"], no: ["ab"]),
      Case("(?<year>\\d{4})-(?:\\d\\d)", yes: ["2026-11"], no: ["26-11", "2026-1"]),
      Case("a(?#what a is)b", yes: ["ab"], no: ["a"]),
      Case("]", yes: ["]"], no: ["a"]),
      Case("\\Qa.*b\\E+", yes: ["a.*b", "a.*bb"], no: ["axxb", "a.*ba.*b"]),
      Case("\\Qa|", yes: ["a|"], no: ["a"]),
      Case("\\*\\?\\{\\}\\\\", yes: ["*?{}\\"], no: []),
      Case("(?x) a b # and no more\n c \\ ", yes: ["abc "], no: ["abc", "a b"]),
    ])
  func whole(_ table: Case) throws { try check(table) }

  @Test(
    "2.5: the unit of MATCHES is the scalar",
    arguments: [
      Case(".", yes: ["a", "é", "😀", "\0", "\t"], no: ["", "ab", "e\u{301}", "\n", "\u{2028}"]),
      Case("..", yes: ["e\u{301}", "ab"], no: ["\r\n"]),
      Case("(?s)..", yes: ["\r\n", "a\u{85}"], no: ["a"]),
      Case("(?s:.)", yes: ["\n"], no: []),
      Case("(?s-s).", yes: ["a"], no: ["\n"]),
      Case("((?s).).", yes: ["\na"], no: ["a\n"]),
      Case("\\u00e9\\x41\\x{1F600}\\U0001F600\\0101", yes: ["éA😀😀A"], no: []),
      Case("\\uD83D\\uDE00", yes: ["😀"], no: []),
      Case("\\n\\t\\r\\f\\a\\e\\cA", yes: ["\n\t\r\u{0C}\u{07}\u{1B}\u{01}"], no: []),
      Case("é", yes: ["é"], no: ["e\u{301}", "e"]),
      Case("[é]", yes: ["é"], no: ["e", "\u{301}"]),
    ])
  func scalars(_ table: Case) throws { try check(table) }

  @Test(
    "2.5: classes of MATCHES",
    arguments: [
      Case("[abc]", yes: ["a", "c"], no: ["d", "", "ab"]),
      Case("[^abc]", yes: ["d", "\n", "😀"], no: ["a", ""]),
      Case("[a-c-]", yes: ["b", "-"], no: ["d"]),
      Case("[-a]", yes: ["-", "a"], no: ["b"]),
      Case("[]a]", yes: ["]", "a"], no: ["b"]),
      Case("[^]a]", yes: ["b"], no: ["]", "a"]),
      Case("[a&b]", yes: ["&", "a", "b"], no: ["c"]),
      Case("[.*+(){}|$^?]", yes: [".", "^", "}"], no: ["a"]),
      Case("[\\]\\\\\\-\\n]", yes: ["]", "\\", "-", "\n"], no: ["n"]),
      Case("[a[bc]d]", yes: ["a", "b", "d"], no: ["e", "["]),
      Case("[[a-z]&&[^aeiou]]", yes: ["b", "z"], no: ["a", "B"]),
      Case("[a-z&&[^aeiou]]", yes: ["b"], no: ["e"]),
      Case("[[a-z]--[aeiou]]", yes: ["b"], no: ["e"]),
      Case("[a-z--c-x]", yes: ["a", "b", "y"], no: ["c", "x"]),
      Case("[[a-z]-[b]x]", yes: ["a", "x"], no: ["b"]),
      // What stands side by side is joined before && is worked out.
      Case("[a-f&&d-hx]", yes: ["d", "f"], no: ["x", "a", "g"]),
      Case("[^a-c&&b-d]", yes: ["a", "d"], no: ["b", "c"]),
      Case("[\\d\\-x]", yes: ["5", "-", "x"], no: ["a"]),
      Case("[^\\d]", yes: ["a"], no: ["5", "٣"]),
      Case("[\\Q]-[\\E]", yes: ["]", "-", "["], no: ["Q"]),
      Case("(?x)[a b]", yes: ["a", "b"], no: [" "]),
    ])
  func classes(_ table: Case) throws { try check(table) }

  @Test(
    "2.5: properties of MATCHES are those of one version of Unicode",
    arguments: [
      Case("\\d", yes: ["5", "٣", "𝟗"], no: ["½", "a", "²"]),
      Case(
        "\\w", yes: ["a", "é", "_", "٣", "\u{301}", "ª", "Ⓐ", "\u{200D}"], no: ["-", " ", "½"]),
      Case("\\W", yes: ["-", " "], no: ["a", "_"]),
      Case("\\s", yes: [" ", "\n", "\u{A0}", "\u{0B}", "\u{2028}"], no: ["\u{200B}", "a"]),
      Case("\\h", yes: [" ", "\t", "\u{3000}"], no: ["\n", "\u{0B}"]),
      Case("\\v", yes: ["\n", "\r", "\u{0B}", "\u{85}", "\u{2029}"], no: [" ", "v"]),
      Case("\\R", yes: ["\n", "\r", "\r\n", "\u{85}"], no: ["\n\n", "\n\r", ""]),
      Case("\\R\\n", yes: ["\n\n", "\r\n\n"], no: ["\r\n"]),
      Case("\\p{L}", yes: ["a", "ß", "中"], no: ["1", "\u{301}"]),
      Case("\\p{Lu}\\P{Lu}", yes: ["Ab", "É1"], no: ["aB", "AB"]),
      Case(
        "\\p{Uppercase_Letter}\\p{general category = lowercase letter}", yes: ["Ab"], no: ["ab"]),
      Case("\\p{Greek}\\p{Script=Cyrl}\\p{sc=Han}", yes: ["αж中"], no: ["aж中"]),
      Case("\\p{Alphabetic}", yes: ["a", "Ⓐ", "ⅷ"], no: ["\u{301}", "1"]),
      Case("\\p{LC}\\p{Sc}\\p{Zs}\\p{Cn}", yes: ["a€ \u{378}"], no: []),
      Case("\\p{ASCII}\\p{Any}\\p{^Lu}", yes: ["a😀b"], no: ["éab", "aaB"]),
      Case("[[:alpha:][:digit:]]", yes: ["a", "1", "é"], no: ["_"]),
      Case("[:punct:]", yes: ["!", "«"], no: ["+", "a"]),
      Case("[[:^alpha:]]", yes: ["1"], no: ["a"]),
      Case("[:a]", yes: [":", "a"], no: ["b"]),
    ])
  func properties(_ table: Case) throws { try check(table) }

  @Test(
    "2.5: places of MATCHES",
    arguments: [
      Case("^abc$", yes: ["abc"], no: ["xabc", "abcx", "abc\n"]),
      Case("\\Aa\\z|^b\\Z", yes: ["a", "b"], no: ["ab"]),
      Case("a^b|a$b", yes: [], no: ["ab"]),
      Case("a$\\n", yes: ["a\n"], no: ["a"]),
      Case("(?s)a$.*", yes: ["a", "a\n", "a\r\n", "a\u{2028}"], no: ["ab", "a\n\n"]),
      Case("(?s)a\\r$\\n", yes: [], no: ["a\r\n"]),
      Case("(?s)a\\z.*", yes: ["a"], no: ["a\n"]),
      Case("(?sm)a$.^b", yes: ["a\nb", "a\u{85}b"], no: ["a b"]),
      Case("(?m)a\\r\\n^b", yes: ["a\r\nb"], no: ["ab"]),
      Case("(?m)a\\r^\\nb|a\\n^", yes: [], no: ["a\r\nb", "a\n"]),
      Case("(?s)\\bfoo\\b.*", yes: ["foo", "foo bar", "foo\n"], no: ["foobar", "foo_"]),
      Case("(?s).*\\Boo", yes: ["foo"], no: ["oo", "f oo"]),
      Case("(\\b\\w)+", yes: ["a"], no: ["ab"]),
      Case("(^|,)a(,|$)", yes: ["a", "a,", ",a", ",a,"], no: [""]),
      Case("a\\b|\\Bb", yes: ["a"], no: ["b"]),
      Case("\\b|\\B", yes: [""], no: ["a"]),
      Case("\\b", yes: [], no: [""]),
    ])
  func places(_ table: Case) throws { try check(table) }

  @Test(
    "2.4, 2.5: MATCHES under options",
    arguments: [
      Case("STRASSE", .caseInsensitive, yes: ["straße", "Strasse"], no: ["strase"]),
      Case("(?i)straße", yes: ["STRASSE", "Straße"], no: ["strase"]),
      Case("(?i:A[BC])", yes: ["ab", "AC"], no: ["ad"]),
      Case("(?is)a.", yes: ["A\n"], no: ["A"]),
      Case("[A-C]+", .caseInsensitive, yes: ["abC"], no: ["d"]),
      Case("[^a-c]", .caseInsensitive, yes: ["d", "D"], no: ["A", "b"]),
      Case("\\P{Lu}", .caseInsensitive, yes: ["1"], no: ["a", "A"]),
      Case("[äß]", .caseInsensitive, yes: ["Ä", "ß", "SS", "ẞ"], no: ["s"]),
      Case("..", .caseInsensitive, yes: ["ß", "ss", "ﬁ"], no: ["s"]),
      Case("ß+", .caseInsensitive, yes: ["SSSS", "ßss"], no: ["sss"]),
      Case("\\w+", .caseInsensitive, yes: ["Straße"], no: ["a b"]),
      Case("K", .caseInsensitive, yes: ["k", "\u{212A}"], no: []),
      Case("caf[e-g]", .diacriticInsensitive, yes: ["café", "cafe\u{301}", "cafg"], no: ["cafh"]),
      Case("café", .diacriticInsensitive, yes: ["cafe", "cafe\u{301}"], no: ["CAFE"]),
      Case("é", .normalized, yes: ["e\u{301}", "é"], no: ["e"]),
      Case("[é]", .normalized, yes: ["e\u{301}"], no: ["e"]),
      Case(".", .normalized, yes: ["e\u{301}"], no: ["x\u{301}"]),
      Case("x\u{301}y", .diacriticInsensitive, yes: ["xy", "x\u{301}y"], no: ["x"]),
      Case("x[\u{301}a]", .diacriticInsensitive, yes: ["x", "xa"], no: ["xb"]),
      Case(
        "CREME.*", [.caseInsensitive, .diacriticInsensitive], yes: ["Crème brûlée"], no: ["cre"]),
    ])
  func options(_ table: Case) throws { try check(table) }

  private func check(_ table: Case) throws {
    let pattern = try TextPattern(table.pattern, options: table.options)
    for text in table.matching {
      #expect(pattern.matches(text), "\(table) of \(text.debugDescription)")
    }
    for text in table.others {
      #expect(!pattern.matches(text), "\(table) of \(text.debugDescription)")
    }
  }
}
