/// The transitions of a pattern's automaton between its positions, where the same assertions
/// hold.
///
/// The automaton is Glushkov's (1961): a position for each scalar that the pattern names, after
/// repetitions are written out, and none besides but position 0, where it begins. Sets of positions
/// are bits. The positions that follow one are stored as the pattern makes them: a joint has two sides, and
/// each position that can end the left side may be followed by each that can begin the right side. A joint of
/// one position and the next, as in a run of literals, is a shift of bits.
struct PatternLinks: Sendable {
  /// The positions that the next one follows.
  private(set) var shifts: [UInt64]
  /// All other joints.
  private(set) var joints: [Joint] = []
  /// The bits of the joints.
  private(set) var words: [UInt64] = []
  /// The positions at which a match may end.
  private(set) var accepting: [UInt64]

  /// Each of the sources can be followed by each of the targets: runs of words, which begin at a word of
  /// the set, and at a word of `words`.
  struct Joint: Sendable {
    let source: Int
    let sourceWords: Range<Int>
    let target: Int
    let targetWords: Range<Int>
  }

  /// The transitions where these assertions hold and no others.
  init(_ root: PatternNode, where holding: PatternAssertions, wordCount: Int) {
    shifts = [UInt64](repeating: 0, count: wordCount)
    accepting = shifts
    var next = 1
    let whole = build(root, holding, &next)
    let start = PositionSet(0)
    link(start, whole.first)
    for (i, word) in whole.last.words.enumerated() { accepting[whole.last.start + i] |= word }
    if whole.isNullable { accepting[0] |= 1 }
  }

  /// A part of the automaton.
  private struct Part {
    /// True if the empty text matches.
    var isNullable: Bool
    /// The positions at which a match can begin.
    var first = PositionSet()
    /// The positions at which a match can end.
    var last = PositionSet()

    /// The part followed by another; the joint itself is not made.
    func followed(by other: Part) -> Part {
      Part(
        isNullable: isNullable && other.isNullable,
        first: isNullable ? first.union(other.first) : first,
        last: other.isNullable ? last.union(other.last) : other.last)
    }
  }

  private mutating func build(
    _ node: PatternNode, _ holding: PatternAssertions, _ next: inout Int
  ) -> Part {
    switch node {
    case .empty: return Part(isNullable: true)
    case .assertion(let assertion):
      return Part(isNullable: holding.isSuperset(of: assertion))
    case .set:
      let position = PositionSet(next)
      next += 1
      return Part(isNullable: false, first: position, last: position)
    case .sequence(let parts):
      var whole = Part(isNullable: true)
      for part in parts { append(build(part, holding, &next), to: &whole) }
      return whole
    case .choice(let parts):
      var whole = Part(isNullable: false)
      for part in parts {
        let part = build(part, holding, &next)
        whole.isNullable = whole.isNullable || part.isNullable
        whole.first = whole.first.union(part.first)
        whole.last = whole.last.union(part.last)
      }
      return whole
    case .repeated(let inner, let least, let most):
      let copies = (0..<PatternNode.copies(least, most)).map { _ in
        build(inner, holding, &next)
      }
      return repeated(copies, least: least, isEndless: most == nil)
    }
  }

  private mutating func append(_ part: Part, to whole: inout Part) {
    link(whole.last, part.first)
    whole = whole.followed(by: part)
  }

  /// Links copies of a part one after the other, of which the first `least` must match.
  private mutating func repeated(_ copies: [Part], least: Int, isEndless: Bool) -> Part {
    var whole = Part(isNullable: true)
    if isEndless {
      for copy in copies { append(copy, to: &whole) }
      if let copy = copies.last { link(copy.last, copy.first) }
      if least == 0 { whole.isNullable = true }
      return whole
    }
    // Optional copies nest: each of them can match only after the one before.
    var tail = Part(isNullable: true)
    for copy in copies[min(least, copies.count)...].reversed() {
      link(copy.last, tail.first)
      tail = copy.followed(by: tail)
      tail.isNullable = true
    }
    for copy in copies.prefix(least) { append(copy, to: &whole) }
    append(tail, to: &whole)
    return whole
  }

  private mutating func link(_ sources: PositionSet, _ targets: PositionSet) {
    if sources.isEmpty || targets.isEmpty { return }
    if let source = sources.single, let target = targets.single, target == source + 1 {
      shifts[source >> 6] |= 1 << UInt64(source & 63)
      return
    }
    let start = words.count
    words += sources.words
    let middle = words.count
    words += targets.words
    joints.append(
      Joint(
        source: sources.start, sourceWords: start..<middle, target: targets.start,
        targetWords: middle..<words.count))
  }

  /// A set of positions that lie near each other.
  private struct PositionSet {
    /// The first word that is stored.
    var start = 0
    var words: [UInt64] = []

    init() {}
    init(_ position: Int) {
      start = position >> 6
      words = [1 << UInt64(position & 63)]
    }

    var isEmpty: Bool { words.isEmpty }

    /// The only position, where there is just one.
    var single: Int? {
      guard words.count == 1, words[0].nonzeroBitCount == 1 else { return nil }
      return start << 6 + words[0].trailingZeroBitCount
    }

    func union(_ other: PositionSet) -> PositionSet {
      if isEmpty { return other }
      if other.isEmpty { return self }
      var union = PositionSet()
      union.start = min(start, other.start)
      let end = max(start + words.count, other.start + other.words.count)
      union.words = [UInt64](repeating: 0, count: end - union.start)
      for (i, word) in words.enumerated() { union.words[start - union.start + i] |= word }
      for (i, word) in other.words.enumerated() {
        union.words[other.start - union.start + i] |= word
      }
      return union
    }
  }
}
