package import ORMStorage

/// A piece of SQL as a value: text, and placeholders for the values that are bound.
///
/// Values never enter the text. Pieces are made by interpolation of other pieces, and the engine
/// numbers the placeholders at the end:
///
/// ```swift
/// let (column, placeholder): (SQLText, SQLText) = ("name", "?1")
/// let test: SQLText = "instr(\(column), \(placeholder)) > 0"
/// ```
public struct SQLText: Hashable, Sendable {
  /// The parts, in order.
  package private(set) var parts: [Part]

  /// A part of a text.
  package enum Part: Hashable, Sendable {
    /// Words of the language and quoted names.
    case words(ExactText)
    /// A placeholder for one value.
    case placeholder(SQLBinding)
    /// Parameters for a list of this many values, with commas between them.
    case list(SQLBinding, count: Int)
  }

  /// Makes a text of words alone: of the language, or quoted names.
  public init(_ words: String) { parts = [.words(ExactText(words))] }

  /// Adds another text at the end.
  package mutating func append(_ other: SQLText) { parts += other.parts }

  /// The text with the values of later slots of a request's bindings.
  package func shiftingParameters(by count: Int) -> SQLText {
    func shifted(_ binding: SQLBinding) -> SQLBinding {
      guard case .parameter(let slot, let form) = binding else { return binding }
      return .parameter(slot + count, form)
    }
    return SQLText(
      parts: parts.map { part in
        switch part {
        case .words: part
        case .placeholder(let binding): .placeholder(shifted(binding))
        case .list(let binding, let count): .list(shifted(binding), count: count)
        }
      })
  }

  /// The number of values that are bound, placeholders that share one counted apart.
  package var placeholderCount: Int {
    parts.reduce(0) { count, part in
      switch part {
      case .words: count
      case .placeholder: count + 1
      case .list(_, let placeholders): count + placeholders
      }
    }
  }
}

extension SQLText: ExpressibleByStringInterpolation {
  /// Makes a text of words alone.
  public init(stringLiteral value: String) { self.init(value) }
  /// Makes a text by interpolation.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

  /// The parts that an interpolation has collected.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = SQLText(parts: [])
    /// Begins an empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}
    /// Takes words of the language.
    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { text.parts.append(.words(ExactText(literal))) }
    }
    /// Takes a piece.
    public mutating func appendInterpolation(_ other: SQLText) { text.append(other) }
    /// Takes words of the language or a quoted name.
    public mutating func appendInterpolation(sql words: String) {
      text.parts.append(.words(ExactText(words)))
    }
    /// Takes a placeholder for one value.
    package mutating func appendInterpolation(_ binding: SQLBinding) {
      text.parts.append(.placeholder(binding))
    }
    /// Takes placeholders for a list.
    package mutating func appendInterpolation(list binding: SQLBinding, count: Int) {
      text.parts.append(.list(binding, count: count))
    }
  }

  fileprivate init(parts: [Part]) { self.parts = parts }
}

extension Sequence where Element == SQLText {
  /// The texts with `separator` between them.
  package func joined(separator: SQLText) -> SQLText {
    var result: SQLText = ""
    var isFirst = true
    for text in self {
      if !isFirst { result.append(separator) }
      result.append(text)
      isFirst = false
    }
    return result
  }
}

extension Array where Element == SQLText {
  /// The conditions joined by AND or OR, in groups: engines build a chain as a tree as high as it is
  /// long, and bound the height.
  package func chained(by word: SQLText) -> SQLText {
    let longest = 50
    guard count > longest else { return joined(separator: word) }
    let groups = stride(from: 0, to: count, by: longest).map { start -> SQLText in
      "(\(self[start..<Swift.min(start + longest, count)].joined(separator: word)))"
    }
    return groups.chained(by: word)
  }
}

/// A text as a dialect writes it, and the bindings of its parameters.
package struct SQLQuery: Equatable, Sendable {
  /// The text that is prepared.
  package var sql: String
  /// The parameters with their bindings; the first is parameter 1.
  ///
  /// A list takes as many as it has placeholders.
  package var parameters: [Parameter]

  /// A binding to one parameter, or to a run of them.
  package struct Parameter: Equatable, Sendable {
    /// The source of the value, or of the list of values.
    package var binding: SQLBinding
    /// The number of the first parameter, counted from 1.
    package var first: Int
    /// The number of values, for a list; nil for one value.
    package var listCount: Int?
  }

  /// Writes a text in a dialect; placeholders with the same binding share a parameter.
  package init(_ text: SQLText, _ dialect: any SQLDialect) {
    var sql = ""
    var parameters: [Parameter] = []
    var numbers: [SQLText.Part: Int] = [:]
    var next = 1
    func number(of part: SQLText.Part, _ binding: SQLBinding, _ listCount: Int?) -> Int {
      if let number = numbers[part] { return number }
      let first = next
      numbers[part] = first
      parameters.append(Parameter(binding: binding, first: first, listCount: listCount))
      next += listCount ?? 1
      return first
    }
    for part in text.parts {
      switch part {
      case .words(let words): sql += words.text
      case .placeholder(let binding):
        sql += binding.placeholder(number(of: part, binding, nil), dialect)
      case .list(let binding, let count):
        let first = number(of: part, binding, count)
        sql += (first..<first + count).map { binding.placeholder($0, dialect) }
          .joined(separator: ", ")
      }
    }
    self.sql = sql
    self.parameters = parameters
  }
}

extension SQLQuery: CustomStringConvertible {
  /// The text alone.
  package var description: String { sql }
}
