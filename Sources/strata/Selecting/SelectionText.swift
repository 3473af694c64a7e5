#if Command
  import ORM

  /// A text of columns, keys, an order or a condition, in which aggregates over rows are distinguished from the
  /// rest: `count(), avg(price * 2)`, `sum(stock) > 3 AND taste != nil`.
  struct SelectionText {
    /// The text with a variable instead of each aggregate, which formats read.
    private(set) var text = ""
    /// The aggregates by the names of their variables.
    private(set) var calls: [String: Call] = [:]

    /// An aggregate as it was written.
    struct Call: Hashable {
      var kind: Aggregate.Kind
      /// The text of its argument; empty for a count of rows.
      var argument: String
    }

    private static let kinds: [String: Aggregate.Kind] = [
      "count": .count, "countdistinct": .countDistinct, "sum": .sum, "avg": .average,
      "average": .average, "min": .minimum, "max": .maximum,
    ]

    /// Finds the aggregates of a text.
    init(_ source: String) {
      var rest = Substring(source)
      var before: Character = " "
      while let character = rest.first {
        if character == "'" || character == "\"" {
          let quoted = Self.quoted(rest)
          text += quoted
          rest = rest.dropFirst(quoted.count)
          before = character
          continue
        }
        let isWord = before.isLetter || before.isNumber || "_@.$".contains(before)
        if !isWord, character.isLetter, let (call, count) = Self.call(rest) {
          let name = "aggregate\(calls.count)"
          calls[name] = call
          text += "$\(name)"
          rest = rest.dropFirst(count)
          before = ")"
          continue
        }
        text.append(character)
        before = character
        rest.removeFirst()
      }
    }

    /// An aggregate at the beginning of a text, and how long it is.
    private static func call(_ text: Substring) -> (Call, Int)? {
      let word = text.prefix { $0.isLetter }
      guard let kind = kinds[word.lowercased()] else { return nil }
      var rest = text.dropFirst(word.count).drop { $0 == " " }
      guard rest.first == "(" else { return nil }
      rest.removeFirst()
      var argument = ""
      var depth = 1
      while let character = rest.first {
        if character == "'" || character == "\"" {
          let quoted = quoted(rest)
          argument += quoted
          rest = rest.dropFirst(quoted.count)
          continue
        }
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        rest.removeFirst()
        if depth == 0 {
          return (
            Call(kind: kind, argument: trimmed(argument[...])), text.count - rest.count
          )
        }
        argument.append(character)
      }
      return nil
    }

    /// A text in quotes, with them; to the end where they are not closed.
    private static func quoted(_ text: Substring) -> Substring {
      guard let quote = text.first else { return text }
      var end = text.index(after: text.startIndex)
      while end < text.endIndex {
        let character = text[end]
        end = text.index(after: end)
        if character == "\\", end < text.endIndex {
          end = text.index(after: end)
        } else if character == quote {
          break
        }
      }
      return text[..<end]
    }

    /// A text without space around it.
    static func trimmed(_ text: Substring) -> String {
      var text = text.drop { $0 == " " }
      while text.last == " " { text.removeLast() }
      return String(text)
    }

    /// The parts of a text between commas that are in no quotes and no brackets.
    static func parts(of source: String) -> [String] {
      var parts: [String] = []
      var part = ""
      var depth = 0
      var rest = Substring(source)
      while let character = rest.first {
        if character == "'" || character == "\"" {
          let quoted = quoted(rest)
          part += quoted
          rest = rest.dropFirst(quoted.count)
          continue
        }
        if "([{".contains(character) { depth += 1 }
        if ")]}".contains(character) { depth -= 1 }
        if character == ",", depth == 0 {
          parts.append(trimmed(part[...]))
          part = ""
        } else {
          part.append(character)
        }
        rest.removeFirst()
      }
      parts.append(trimmed(part[...]))
      return parts
    }
  }
#endif
