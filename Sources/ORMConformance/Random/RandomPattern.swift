/// Random regular expressions of the parts that `NaivePattern` knows, over the scalars of `RandomText`.
enum RandomPattern {
  /// A pattern; groups nest so deep.
  static func pattern(_ random: inout SeededGenerator, depth: Int = 2) -> String {
    (0..<random.pick([1, 1, 1, 2, 3])).map { _ in
      (0..<random.number(0...4)).map { _ in part(&random, depth: depth) }.joined()
    }.joined(separator: "|")
  }

  private static func part(_ random: inout SeededGenerator, depth: Int) -> String {
    let atom: String
    switch random.number(0...9) {
    case 0 where depth > 0, 1 where depth > 0: atom = "(\(pattern(&random, depth: depth - 1)))"
    case 2: atom = "."
    case 3: atom = "[\(scalar(&random))\(scalar(&random))]"
    // Scalars that fold to several are refused in a negated class.
    case 4: atom = "[^" + random.pick(["a", "aA", "b-n", "é", "1\\]"]) + "]"
    case 5: atom = random.pick(["[a-c]", "[A-Z]", "[\\-0-9]", "[à-ü]"])
    default: return run(&random)
    }
    return atom + repetition(&random)
  }

  private static func run(_ random: inout SeededGenerator) -> String {
    (0..<random.number(1...2)).map { _ in scalar(&random) }.joined() + repetition(&random)
  }

  private static func repetition(_ random: inout SeededGenerator) -> String {
    random.pick(["", "", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}"])
  }

  private static func scalar(_ random: inout SeededGenerator) -> String {
    let scalar = random.pick(
      Array("aAabBbn1 %*?\\.ßéÉ\u{301}\u{307}ﬁΣςİıiIå\u{212A}k가😀".unicodeScalars))
    return "%*?\\.".unicodeScalars.contains(scalar) && scalar != "%" ? "\\\(scalar)" : "\(scalar)"
  }
}
