import ORM

/// A piece of a simple condition.
enum WhereToken: Equatable {
  /// A name, a number or an operator in letters.
  case word(String)
  /// What stood in quotes.
  case text(String)
  /// An operator in signs, a brace or a comma.
  case symbol(String)

  /// The pieces of a text.
  ///
  /// - Throws: `invalidCondition` for a quote that is not closed.
  static func tokens(of text: String) throws -> [WhereToken] {
    var tokens: [WhereToken] = []
    var rest = Substring(text)
    while let first = rest.first {
      switch first {
      case _ where first.isWhitespace: rest.removeFirst()
      case "'", "\"": tokens.append(.text(try quoted(&rest, by: first)))
      case "{", "}", ",":
        tokens.append(.symbol(String(first)))
        rest.removeFirst()
      case "=", "!", "<", ">":
        let symbol = rest.prefix { "=!<>".contains($0) }
        rest = rest.dropFirst(symbol.count)
        // Modifiers stand right behind their operator: ==[cd].
        var modifiers = rest.first == "[" ? rest.prefix { $0 != "]" && !$0.isWhitespace } : ""
        rest = rest.dropFirst(modifiers.count)
        if !modifiers.isEmpty, rest.first == "]" { modifiers.append(rest.removeFirst()) }
        tokens.append(.symbol(String(symbol + modifiers)))
      default:
        let word = rest.prefix { !$0.isWhitespace && !"=!<>{},'\"".contains($0) }
        tokens.append(.word(String(word)))
        rest = rest.dropFirst(word.count)
      }
    }
    return tokens
  }

  private static func quoted(_ rest: inout Substring, by quote: Character) throws -> String {
    rest.removeFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character == quote { return text }
      if character == "\\", let escaped = rest.popFirst() {
        text.append(escaped)
      } else {
        text.append(character)
      }
    }
    throw StoreError(.invalidCondition, "a quote of the condition is not closed")
  }
}
