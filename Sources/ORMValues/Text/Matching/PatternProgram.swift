/// A prepared pattern: the scalars that its positions match, and the neighbours of a position that its
/// assertions ask about.
final class PatternProgram: Sendable {
  let root: PatternNode
  let classes: ScalarClasses
  /// The number of words a set of positions has.
  let wordCount: Int
  /// The positions that match each class.
  let masks: [UInt64]
  /// The assertions in the pattern.
  let assertions: PatternAssertions
  /// The meaning of each class for assertions; empty if the pattern has none.
  let kinds: [BoundaryKind]

  /// The number of positions an automaton has at most.
  static let sizeLimit = 4096

  /// - Throws: `tooComplex`.
  init(_ root: PatternNode, _ sets: [ScalarSet]) throws {
    guard root.size(upTo: Self.sizeLimit) <= Self.sizeLimit else {
      throw StoreError(
        .tooComplex,
        "the pattern of MATCHES is larger than \(Self.sizeLimit) with its repetitions expanded")
    }
    self.root = root
    assertions = root.assertions
    let distinct = assertions.isEmpty ? sets : sets + BoundaryKind.sets
    classes = try ScalarClasses(of: distinct)
    var positions = [-1]
    root.appendPositions(to: &positions)
    wordCount = (positions.count + 63) / 64
    var positionsOfSets = [[Int]](repeating: [], count: sets.count)
    for (position, set) in positions.enumerated() where set >= 0 {
      positionsOfSets[set].append(position)
    }
    var masks = [UInt64](repeating: 0, count: classes.count * wordCount)
    for (number, members) in classes.members.enumerated() {
      for (index, word) in members.enumerated() {
        var word = word
        while word != 0 {
          let set = index << 6 + word.trailingZeroBitCount
          word &= word - 1
          guard set < sets.count else { continue }
          for position in positionsOfSets[set] {
            masks[number * wordCount + position >> 6] |= 1 << UInt64(position & 63)
          }
        }
      }
    }
    self.masks = masks
    let classes = classes
    kinds =
      assertions.isEmpty
      ? []
      : (0..<classes.count).map { number in
        let holding = BoundaryKind.sets.indices.first {
          classes.isInside(number, sets.count + $0)
        }
        return holding.flatMap { BoundaryKind(rawValue: $0) } ?? .other
      }
  }
}

/// The kind of a scalar beside a position, as assertions distinguish it.
enum BoundaryKind: Int, Sendable {
  case word, lineFeed, carriageReturn, lineEnd
  /// Any other scalar.
  case other
  /// No scalar: the text's edge.
  case none

  /// The sets of the first four; the first that holds a scalar counts.
  static var sets: [ScalarSet] {
    [ScalarProperties.shared.word, ScalarSet(0x0A), ScalarSet(0x0D), ScalarProperties.lineEnd]
  }

  private var endsLine: Bool {
    self == .lineFeed || self == .carriageReturn || self == .lineEnd
  }

  /// The assertions that hold between two scalars.
  ///
  /// - Parameter isLastEnd: the next scalar is the last line's end of the text, CR and LF being one.
  static func holding(
    between previous: BoundaryKind, and next: BoundaryKind, isLastEnd: Bool
  ) -> PatternAssertions {
    var holding: PatternAssertions = []
    let splitsLineEnd = previous == .carriageReturn && next == .lineFeed
    if previous == .none { holding.formUnion([.textStart, .lineStart]) }
    if next == .none { holding.formUnion([.textEnd, .lastEnd, .lineEnd]) }
    if isLastEnd { holding.insert(.lastEnd) }
    if previous.endsLine, next != .none, !splitsLineEnd { holding.insert(.lineStart) }
    if next.endsLine, !splitsLineEnd { holding.insert(.lineEnd) }
    holding.insert((previous == .word) != (next == .word) ? .wordBoundary : .noWordBoundary)
    if next != .lineFeed { holding.insert(.notBeforeLineFeed) }
    return holding
  }

  /// Returns the start of the line end at the text's end; past the end if there is none.
  static func lastEnd(of text: UnsafeRawBufferPointer) -> Int {
    var start = text.count
    while start > 0 {
      start -= 1
      if text[start] & 0xC0 != 0x80 { break }
    }
    guard start < text.count else { return text.count }
    var position = start
    let scalar = UTF8Scalars.next(text, &position)
    guard position == text.count, ScalarProperties.lineEnd.contains(scalar) else {
      return text.count + 1
    }
    return scalar == 0x0A && start > 0 && text[start - 1] == 0x0D ? start - 1 : start
  }
}
