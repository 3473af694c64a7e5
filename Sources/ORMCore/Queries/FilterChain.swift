internal import ORMStorage

/// The parts of a long chain of `&&` or `||`, which filters share that have some of them in common.
///
/// Each filter has the parts of a range of positions. One that reaches to an end grows there without a copy,
/// so that a chain takes time linear in its length, from whichever end it grows.
final class FilterChain: Sendable {
  let joining: Joining
  private let parts: Lock<Parts>

  /// The fewest parts that are shared: fewer cost less to copy.
  static let least = 64

  /// The operator between the parts.
  enum Joining {
    case all, any

    func condition(of parts: [Condition]) -> Condition { self == .all ? .all(parts) : .any(parts) }
  }

  private struct Parts {
    /// The parts that were put before the others since these were read, the last one first.
    var front: [Condition] = []
    var rest: [Condition]
    /// The index in `rest` of position 0.
    var origin = 0

    /// The positions of all parts.
    var range: Range<Int> { -origin - front.count..<rest.count - origin }

    /// The parts of a range of positions.
    mutating func joined(_ range: Range<Int>) -> [Condition] {
      if !front.isEmpty {
        rest = front.reversed() + rest
        origin += front.count
        front = []
      }
      if range == self.range { return rest }
      return Array(rest[range.lowerBound + origin..<range.upperBound + origin])
    }
  }

  /// Makes a chain of parts, whose positions begin with 0.
  init(_ parts: [Condition], _ joining: Joining) {
    self.joining = joining
    self.parts = Lock(Parts(rest: parts))
  }

  /// Puts parts after those of a range, and returns the range with them; nil, and nothing is done, if
  /// others are there.
  func append(_ more: [Condition], after range: Range<Int>) -> Range<Int>? {
    parts.withLock { parts in
      guard parts.range.upperBound == range.upperBound else { return nil }
      parts.rest += more
      return range.lowerBound..<range.upperBound + more.count
    }
  }

  /// Puts parts before those of a range, and returns the range with them; nil, and nothing is done, if
  /// others are there.
  func prepend(_ more: [Condition], before range: Range<Int>) -> Range<Int>? {
    parts.withLock { parts in
      guard parts.range.lowerBound == range.lowerBound else { return nil }
      parts.front += more.reversed()
      return range.lowerBound - more.count..<range.upperBound
    }
  }

  /// The condition of the parts of a range.
  func condition(of range: Range<Int>) -> Condition {
    joining.condition(of: parts.withLock { $0.joined(range) })
  }
}

extension Condition {
  /// The greatest depth of a composed condition: freeing a tree takes stack for each level.
  private static let greatestDepth = 256
  /// The depth that is taken to fit every stack.
  private static let shallow = 8
  /// The stack that freeing one level takes at most, with a margin.
  private static let bytesPerLevel = 2 << 10

  /// The condition as a part of another; the error `tooComplex` if it would be too deep.
  func nested() -> Condition {
    switch self {
    case .constant, .compare, .isIn, .text, .invalid: return self
    default: break
    }
    let depth = depth(upTo: Self.greatestDepth)
    guard depth < Self.greatestDepth,
      depth <= Self.shallow || StackReserve.current.left >= depth * Self.bytesPerLevel
    else {
      return .invalid(
        StoreError(
          .tooComplex,
          "a filter is composed of more levels than \(Self.greatestDepth), or than the stack of this "
            + "thread holds; a chain of && or || is one level"))
    }
    return self
  }
}
