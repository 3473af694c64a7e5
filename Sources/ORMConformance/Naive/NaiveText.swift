internal import Foundation
internal import ORMCore

/// Text as clause 2.3 to 2.5 have it, written a second time.
///
/// Canonical forms are Foundation's, categories and case mappings the standard library's. Case
/// folding, which neither has, is the little table below: the lower case of each scalar, but for
/// those of the alphabet that random texts are made of (``RandomText``) whose folding is another.
enum NaiveText {
  /// Folding where it is not the lower case (CaseFolding.txt, status C and F).
  private static let foldings: [Unicode.Scalar: String] = [
    "ß": "ss", "ﬁ": "fi", "ﬃ": "ffi", "ς": "σ", "\u{1E9E}": "ss", "\u{0149}": "\u{02BC}n",
    "\u{01F0}": "j\u{030C}", "\u{0390}": "\u{03B9}\u{0308}\u{0301}", "\u{1FB3}": "\u{03B1}\u{03B9}",
    "\u{1FBC}": "\u{03B1}\u{03B9}", "\u{1FB4}": "\u{03AC}\u{03B9}", "\u{0345}": "\u{03B9}",
    "\u{017F}": "s",
  ]

  static func fold(_ text: String, _ options: TextOptions) -> String {
    guard !options.isEmpty else { return text }
    let isCaseless = options.contains(.caseInsensitive)
    guard options.contains(.diacriticInsensitive) || options.contains(.normalized) else {
      return caseFolded(text)
    }
    var form = decomposed(text)
    if isCaseless { form = decomposed(caseFolded(form)) }
    if options.contains(.diacriticInsensitive) {
      var scalars = String.UnicodeScalarView()
      for scalar in form.unicodeScalars
      where scalar.properties.generalCategory != .nonspacingMark { scalars.append(scalar) }
      form = String(scalars)
    }
    return composed(form)
  }

  static func folded(_ value: StoredValue, _ options: TextOptions) -> StoredValue {
    guard case .string(let text) = value else { return value }
    return .string(fold(text, options))
  }

  private static func caseFolded(_ text: String) -> String {
    var folded = ""
    for scalar in text.unicodeScalars {
      folded += foldings[scalar] ?? scalar.properties.lowercaseMapping
    }
    return folded
  }

  static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

  private static func decomposed(_ text: String) -> String {
    text.decomposedStringWithCanonicalMapping
  }

  static func uppercase(_ text: String) -> String {
    text.unicodeScalars.map(\.properties.uppercaseMapping).joined()
  }

  /// Scalar by scalar, but for a sigma at the end of a word (SpecialCasing.txt, Final_Sigma).
  static func lowercase(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    var lower = ""
    for (index, scalar) in scalars.enumerated() {
      let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
      let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
      let isFinal =
        scalar == "Σ" && before?.properties.isCased == true && after?.properties.isCased != true
      lower += isFinal ? "ς" : scalar.properties.lowercaseMapping
    }
    return lower
  }

  static func holds(
    _ text: String, _ symbol: TextOperator, _ other: String, _ options: TextOptions
  ) -> Bool {
    let whole = Array(fold(text, options).unicodeScalars)
    if symbol == .like { return matches(whole[...], pattern(other, options)[...]) }
    if symbol == .matches { return NaivePattern(other, options).matches(whole) }
    let part = Array(fold(other, options).unicodeScalars)
    guard part.count <= whole.count else { return false }
    let last = whole.count - part.count
    let indexes =
      switch symbol {
      case .beginsWith: 0...0
      case .endsWith: last...last
      case .contains, .like, .matches: 0...last
      }
    return indexes.contains { Array(whole[$0..<$0 + part.count]) == part }
  }

  private enum Token {
    case scalar(Unicode.Scalar)
    case one
    case run
  }

  /// The parts of a pattern: each stretch between wildcards is folded by itself.
  private static func pattern(_ pattern: String, _ options: TextOptions) -> [Token] {
    var tokens: [Token] = []
    var literal = String.UnicodeScalarView()
    func endLiteral() {
      tokens += fold(String(literal), options).unicodeScalars.map(Token.scalar)
      literal = String.UnicodeScalarView()
    }
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        literal.append(scalar)
        isEscaped = false
        continue
      }
      switch scalar {
      case "\\": isEscaped = true
      case "*", "?":
        endLiteral()
        tokens.append(scalar == "*" ? .run : .one)
      default: literal.append(scalar)
      }
    }
    if isEscaped { literal.append("\\") }
    endLiteral()
    return tokens
  }

  private static func matches(
    _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Token>
  ) -> Bool {
    guard let token = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch token {
    case .scalar(let scalar): return text.first == scalar && matches(text.dropFirst(), rest)
    case .one: return !text.isEmpty && matches(text.dropFirst(), rest)
    case .run: return (0...text.count).contains { matches(text.dropFirst($0), rest) }
    }
  }
}
