/// A piece of a simple condition.
enum WhereToken: Equatable {
  /// A name, a number or an operator in letters.
  case word(String)
  /// What stood in quotes.
  case text(String)
  /// An operator in signs, a brace or a comma.
  case symbol(String)

  /// The pieces of a text; a quote that is not closed runs to the end.
  static func tokens(of text: String) -> [WhereToken] {
    var tokens: [WhereToken] = []
    var rest = Substring(text)
    while let first = rest.first {
      switch first {
      case _ where first.isWhitespace: rest.removeFirst()
      case "'", "\"": tokens.append(.text(quoted(&rest, by: first)))
      case "{", "}", ",":
        tokens.append(.symbol(String(first)))
        rest.removeFirst()
      case "=", "!", "<", ">":
        let symbol = rest.prefix { "=!<>".contains($0) }
        tokens.append(.symbol(String(symbol)))
        rest = rest.dropFirst(symbol.count)
      default:
        let word = rest.prefix { !$0.isWhitespace && !"=!<>{},'\"".contains($0) }
        tokens.append(.word(String(word)))
        rest = rest.dropFirst(word.count)
      }
    }
    return tokens
  }

  private static func quoted(_ rest: inout Substring, by quote: Character) -> String {
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
    return text
  }
}
