/// Random texts of a small alphabet in which Unicode has its corners.
///
/// `NaiveText` knows how each of its scalars folds: add to both.
enum RandomText {
  private static let words = [
    "", "a", "A", "b", "ab", "aB", "ß", "SS", "ss", "é", "e\u{301}", "a\0", "Ba", "😀", "banana",
  ]

  private static let pieces = [
    "a", "A", "b", "B", "n", "1", " ", "%", "_", "*", "?", "\\", "\"", "\0", "\n", "ß", "\u{1E9E}",
    "ss", "é", "É", "e\u{301}", "\u{301}", "\u{323}", "\u{307}", "ﬁ", "fi", "Σ", "ς", "σ", "İ", "ı",
    "i", "I", "\u{212B}", "å", "\u{212A}", "k", "\u{1FB3}", "\u{345}", "\u{1F0}", "ø", "가",
    "\u{1100}\u{1161}", "\u{E000}", "😀", "\u{10FFFF}", "\u{FFFD}", ".", "'",
  ]

  static func text(_ random: inout SeededGenerator) -> String {
    if random.chance(2) { return random.pick(words) }
    // A few are longer than the longest key that an engine takes as it is.
    if random.chance(40) {
      return String(repeating: "long ", count: 150) + random.pick(["", "a", "b"])
    }
    return (0..<random.number(0...4)).map { _ in random.pick(pieces) }.joined()
  }

  /// A text to look for, often a part of the texts that are there; a pattern now and then.
  static func needle(_ random: inout SeededGenerator) -> String {
    random.chance(3)
      ? random.pick(["", "*", "?", "a*", "*a", "*A*", "?b*", "*s?", "\\*", "a\\", "*é", "ss", "??"])
      : text(&random)
  }

  /// A JSON text; `n` is a number, `t` a text, `x` anything, and each of them may be missing.
  static func json(_ random: inout SeededGenerator) -> String {
    if random.chance(12) {
      return random.pick(["[1,2,3]", "7", "\"a\"", "{}", "[]", "null", "true"])
    }
    var members: [String] = []
    if !random.chance(4) {
      members.append("\"n\":" + random.pick(["", " "]) + number(&random))
    }
    // Of two members with one name the later counts.
    if random.chance(8) { members.append("\"n\":" + number(&random)) }
    if !random.chance(4) {
      members.append(
        "\"t\":"
          + random.pick([
            "\"a\"", "\"A\"", "\"\"", "\"\\u00e9\"", "\"ß\"", "\"b\\n\\\"\"", "null", "\"banana\"",
          ]))
    }
    if !random.chance(4) {
      members.append(
        "\"x\" :"
          + random.pick([
            "true", "false", "null", "[ ]", "{\"y\" : 1}", "{\"y\":{\"z\":\"a\"}}", "\"a\"", "1",
            "1.0", "{\"$date\":0.5}", "{\"$data\":\"AAE=\"}", "[1, \"a\"]",
          ]))
    }
    if random.chance(2) {
      let elements = (0..<random.number(0...3)).map { _ in
        random.pick(["1", "\"a\"", "null", "2.5", "{\"n\":1}", "[2]"])
      }
      members.append("\"l\":[" + elements.joined(separator: random.pick([",", " , "])) + "]")
    }
    // Two names that are canonically equal, in either order.
    if random.chance(2) {
      let twins = ["\"\u{E9}\":" + number(&random), "\"e\u{301}\":" + number(&random)]
      members += random.pick([twins, twins.reversed(), [twins[0]], [twins[1]]])
    }
    return random.pick(["{", "{ "]) + members.joined(separator: ",") + "}"
  }

  private static func number(_ random: inout SeededGenerator) -> String {
    random.pick([
      "0", "1", "2", "-1", "1.0", "1e0", "-0", "-0.0", "9007199254740993", "9223372036854775808",
      "0.1", "1e308", "null",
    ])
  }
}
