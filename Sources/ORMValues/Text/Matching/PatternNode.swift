/// The syntax tree of a pattern, in which sets are named by their number in the pattern.
///
/// Laziness is not represented: for a whole text it makes no difference which of several matches is
/// found.
indirect enum PatternNode: Sendable {
  /// The empty text.
  case empty
  /// One scalar of a set.
  case set(Int)
  /// The empty text, at a position where this holds.
  case assertion(PatternAssertions)
  /// One after the other.
  case sequence([PatternNode])
  /// One of these.
  case choice([PatternNode])
  /// A node repeated at least `least` and at most `most` times; without limit if `most` is nil.
  case repeated(PatternNode, least: Int, most: Int?)

  /// Returns the size of the node's automaton, counting each repetition; at most one above `limit`.
  func size(upTo limit: Int) -> Int {
    switch self {
    case .empty, .set, .assertion: return 1
    case .sequence(let parts), .choice(let parts):
      var size = 1
      for part in parts where size <= limit { size += part.size(upTo: limit) }
      return min(size, limit + 1)
    case .repeated(let part, let least, let most):
      let (size, overflow) = part.size(upTo: limit)
        .multipliedReportingOverflow(by: max(Self.copies(least, most), 1))
      return overflow ? limit + 1 : min(size, limit + 1)
    }
  }

  /// Returns the number of copies of a repeated node in the automaton.
  static func copies(_ least: Int, _ most: Int?) -> Int { most ?? max(least, 1) }

  /// The set of each position of the automaton, in order.
  func appendPositions(to positions: inout [Int]) {
    switch self {
    case .empty, .assertion: break
    case .set(let number): positions.append(number)
    case .sequence(let parts), .choice(let parts):
      for part in parts { part.appendPositions(to: &positions) }
    case .repeated(let part, let least, let most):
      for _ in 0..<Self.copies(least, most) { part.appendPositions(to: &positions) }
    }
  }

  /// Every assertion in it.
  var assertions: PatternAssertions {
    switch self {
    case .empty, .set: []
    case .assertion(let assertion): assertion
    case .sequence(let parts), .choice(let parts):
      parts.reduce(into: []) { $0.formUnion($1.assertions) }
    case .repeated(let part, _, _): part.assertions
    }
  }

  /// The same for whole texts, without assertions that always hold at their edges.
  func withoutEdges(leading: Bool = true, trailing: Bool = true) -> PatternNode {
    switch self {
    case .assertion(let assertions):
      var holding: PatternAssertions = []
      if leading { holding.formUnion([.textStart, .lineStart]) }
      if trailing { holding.formUnion([.textEnd, .lastEnd, .lineEnd]) }
      return holding.isSuperset(of: assertions) ? .empty : self
    case .choice(let parts):
      return .choice(parts.map { $0.withoutEdges(leading: leading, trailing: trailing) })
    case .sequence(var parts):
      if leading, !parts.isEmpty {
        parts[0] = parts[0].withoutEdges(trailing: trailing && parts.count == 1)
      }
      if trailing, parts.count > 1 {
        parts[parts.count - 1] = parts[parts.count - 1].withoutEdges(leading: false)
      }
      return .sequence(parts)
    case .empty, .set, .repeated: return self
    }
  }
}

/// Positions in a text that a pattern can ask for.
struct PatternAssertions: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  /// The text's beginning.
  static let textStart = PatternAssertions(rawValue: 1)
  /// The text's end.
  static let textEnd = PatternAssertions(rawValue: 2)
  /// The text's end, or before a line's end that is the last of the text.
  static let lastEnd = PatternAssertions(rawValue: 4)
  /// The text's beginning, or after a line's end that is not the text's.
  static let lineStart = PatternAssertions(rawValue: 8)
  /// The text's end, or before a line's end.
  static let lineEnd = PatternAssertions(rawValue: 16)
  /// Between a scalar of `\w` and one that is none, or the text's edge.
  static let wordBoundary = PatternAssertions(rawValue: 32)
  /// Anywhere else.
  static let noWordBoundary = PatternAssertions(rawValue: 64)
  /// The next scalar is not a line feed.
  static let notBeforeLineFeed = PatternAssertions(rawValue: 128)
}
