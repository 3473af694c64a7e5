/// Draws texts that match a pattern, by a walk through the pattern's automaton.
///
/// <!-- not compiled: the sampler is visible in this package only -->
/// ```swift
/// let sampler = try PatternSampler("[A-Z]{2}-\\d+")
/// let text = sampler.text(ofLength: 1...8, using: &generator)
/// ```
///
/// For each length, the positions from which a match can end after exactly that many scalars are
/// worked out once. So a walk never meets a dead end. Assertions inside a pattern are taken to hold, and a text
/// that does not match after all is drawn again.
package struct PatternSampler {
  private let pattern: TextPattern
  private let links: PatternLinks
  private let wordCount: Int
  /// The set of each position; that of position 0, where a walk begins, is never asked for.
  private let sets: [ScalarSet]
  /// The positions from which a match can end after `n` scalars, by that number.
  private var ends: [[UInt64]]

  /// The number of lengths beyond the least possible one that texts are drawn from.
  private static let spread = 24
  /// The number of texts that are drawn before the sampler stops.
  private static let attempts = 200

  /// Reads a pattern.
  ///
  /// - Throws: as ``TextPattern``.
  package init(_ pattern: String, options: TextOptions = []) throws {
    self.pattern = try TextPattern(pattern, options: options)
    let depth = pattern.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }
    let stack = StackReserve.needed(min(depth, PatternParser.depthLimit) + 1)
    let read = StackReserve.run(needing: stack) {
      Result { () throws -> (PatternNode, [ScalarSet]) in
        var parser = PatternParser(pattern, options: options)
        return (try parser.parse().withoutEdges(), parser.sets)
      }
    }
    let (root, distinct) = try read.get()
    var positions = [-1]
    root.appendPositions(to: &positions)
    wordCount = (positions.count + 63) / 64
    links = PatternLinks(root, where: PatternAssertions(rawValue: .max), wordCount: wordCount)
    let drawn = distinct.map(Self.drawable)
    sets = positions.map { $0 < 0 ? ScalarSet() : drawn[$0] }
    ends = [links.accepting]
  }

  /// Draws a text with a number of scalars in a range.
  ///
  /// - Returns: a text that matches; nil if no text of these lengths does, or none was found.
  package mutating func text<Generator: RandomNumberGenerator>(
    ofLength range: ClosedRange<Int>, using generator: inout Generator
  ) -> String? {
    let lengths = possibleLengths(in: range)
    if lengths.isEmpty { return nil }
    for _ in 0..<Self.attempts {
      let length = lengths[generator.index(below: lengths.count)]
      if let text = walk(length, using: &generator), pattern.matches(text) { return text }
    }
    return nil
  }

  /// The first lengths in a range that matching texts have.
  private mutating func possibleLengths(in range: ClosedRange<Int>) -> [Int] {
    let lowest = max(range.lowerBound, 0)
    // A text that is longer than the pattern has gone through a loop, which is no longer than the pattern.
    let highest = min(range.upperBound, lowest + 64 * wordCount * 2 + Self.spread)
    var lengths: [Int] = []
    if lowest > highest { return lengths }
    for length in 0...highest {
      if length == ends.count {
        guard let last = ends.last, last.contains(where: { $0 != 0 }) else { break }
        ends.append(predecessors(of: last))
      }
      if length >= lowest, ends[length][0] & 1 != 0 {
        lengths.append(length)
        if lengths.count == Self.spread { break }
      }
    }
    return lengths
  }

  /// A text of a length by a walk from the beginning; nil if the pattern was misjudged.
  private func walk<Generator: RandomNumberGenerator>(
    _ length: Int, using generator: inout Generator
  ) -> String? {
    var text = String.UnicodeScalarView()
    var position = 0
    for rest in stride(from: length - 1, through: 0, by: -1) {
      let next = successors(of: position, among: ends[rest])
      if next.isEmpty { return nil }
      let chosen = next[generator.index(below: next.count)]
      guard let scalar = sets[chosen].randomScalar(using: &generator) else { return nil }
      text.append(scalar)
      position = chosen
    }
    return String(text)
  }

  /// The positions that one of these can follow, if a scalar can be drawn for it.
  private func predecessors(of targets: [UInt64]) -> [UInt64] {
    var targets = targets
    for position in sets.indices where sets[position].flips.isEmpty {
      targets[position >> 6] &= ~(1 << UInt64(position & 63))
    }
    var sources = [UInt64](repeating: 0, count: wordCount)
    for word in 0..<wordCount {
      let above = word + 1 < wordCount ? targets[word + 1] & 1 : 0
      sources[word] |= links.shifts[word] & (targets[word] >> 1 | above << 63)
    }
    for joint in links.joints {
      let leads = joint.targetWords.enumerated().contains {
        links.words[$0.element] & targets[joint.target + $0.offset] != 0
      }
      if !leads { continue }
      for (offset, word) in joint.sourceWords.enumerated() {
        sources[joint.source + offset] |= links.words[word]
      }
    }
    return sources
  }

  /// The positions that can follow one, of those in a set.
  private func successors(of position: Int, among ends: [UInt64]) -> [Int] {
    var next = [UInt64](repeating: 0, count: wordCount)
    let (word, bit) = (position >> 6, UInt64(1) << UInt64(position & 63))
    if links.shifts[word] & bit != 0, position + 1 < sets.count {
      next[(position + 1) >> 6] |= 1 << UInt64((position + 1) & 63)
    }
    for joint in links.joints {
      let offset = word - joint.source
      guard joint.sourceWords.contains(joint.sourceWords.lowerBound + offset),
        links.words[joint.sourceWords.lowerBound + offset] & bit != 0
      else { continue }
      for (offset, word) in joint.targetWords.enumerated() {
        next[joint.target + offset] |= links.words[word]
      }
    }
    var positions: [Int] = []
    for word in next.indices {
      var bits = next[word] & ends[word]
      while bits != 0 {
        let position = word << 6 + bits.trailingZeroBitCount
        bits &= bits - 1
        if !sets[position].flips.isEmpty { positions.append(position) }
      }
    }
    return positions
  }

  /// The scalars of a set that are drawn: the most readable ones that it has.
  private static func drawable(_ set: ScalarSet) -> ScalarSet {
    let readable: [ScalarSet] = [
      ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x61...0x7A]), ScalarSet(0x20...0x7E),
      ScalarSet(ranges: [0xC0...0xD6, 0xD8...0xF6, 0xF8...0x17F]),
      ScalarSet(ranges: [0x01...0xD7FF, 0xE000...0x10_FFFF]),
    ]
    for some in readable {
      let common = set.intersection(some)
      if !common.flips.isEmpty { return common }
    }
    return set.intersection(ScalarSet(0))
  }
}

extension ScalarSet {
  /// A scalar of the set; nil for an empty set.
  fileprivate func randomScalar<Generator: RandomNumberGenerator>(
    using generator: inout Generator
  ) -> Unicode.Scalar? {
    let ranges = ranges
    let count = ranges.reduce(0) { $0 + $1.count }
    if count == 0 { return nil }
    var number = generator.index(below: count)
    for range in ranges {
      if number < range.count { return Unicode.Scalar(range.lowerBound + UInt32(number)) }
      number -= range.count
    }
    return nil
  }
}

extension RandomNumberGenerator {
  /// Returns a number from 0 up to a count, by a rule that no version of the standard library changes.
  package mutating func index(below count: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(max(count, 1))).high)
  }
}
