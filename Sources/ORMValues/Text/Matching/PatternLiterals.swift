/// The literals that every text matching a pattern contains.
///
/// They rule out most texts that do not match, without running the automaton.
struct PatternLiterals: Sendable {
  /// The text with which every match begins.
  let prefix: String
  /// True if the prefix is all that matches.
  let isWhole: Bool
  private let start: [UInt8]
  private let end: [UInt8]
  /// The longest run in between; nil where there is none.
  private let inner: ByteNeedle?
  /// The number of bytes every match has at least.
  private let least: Int

  /// Finds the runs of single scalars in a pattern.
  init(_ root: PatternNode, _ sets: [ScalarSet]) {
    var runs = LiteralRuns(sets: sets)
    runs.append(root)
    let texts = runs.texts
    prefix = texts.first ?? ""
    isWhole = texts.count == 1 && root.assertions.isEmpty
    start = Array(prefix.utf8)
    end = texts.count > 1 ? Array((texts.last ?? "").utf8) : []
    let longest = texts.dropFirst().dropLast().max { $0.utf8.count < $1.utf8.count } ?? ""
    inner = longest.isEmpty ? nil : ByteNeedle(longest.utf8)
    least = texts.reduce(0) { $0 + $1.utf8.count }
  }

  /// Returns whether a text holds the literals that every match has.
  @inline(__always)
  func areFound(in text: UnsafeRawBufferPointer) -> Bool {
    guard text.count >= least, text.holds(start, at: 0),
      text.holds(end, at: text.count - end.count)
    else { return false }
    guard let inner else { return true }
    return inner.firstIndex(in: text, from: start.count, to: text.count - end.count) != nil
  }

  /// Returns whether a text is the prefix, of which it is known that it holds it.
  @inline(__always)
  func arePrefix(of text: UnsafeRawBufferPointer) -> Bool { text.count == start.count }
}

/// Collects the runs of single scalars in a pattern: the first is where matches begin, the last is
/// where they end, and between two of them may be anything.
private struct LiteralRuns {
  let sets: [ScalarSet]
  private(set) var texts = [""]

  mutating func append(_ node: PatternNode) {
    switch node {
    case .empty, .assertion: break
    case .set(let number):
      // Bytes that are not UTF-8 are read as U+FFFD, so a text need not hold the bytes of that scalar.
      if let scalar = sets[number].single.flatMap(Unicode.Scalar.init), scalar != "\u{FFFD}" {
        texts[texts.count - 1].unicodeScalars.append(scalar)
      } else {
        endRun()
      }
    case .sequence(let parts): for part in parts { append(part) }
    case .choice: endRun()
    case .repeated(let part, let least, let most):
      for _ in 0..<least { append(part) }
      if least != most { endRun() }
    }
  }

  /// Begins another run; the first stays where it is.
  private mutating func endRun() {
    if texts.count == 1 || !texts[texts.count - 1].isEmpty { texts.append("") }
  }
}
