internal import ORMStorage

/// The parts of a long chain of `&&` or `||`, which filters share that begin alike.
///
/// Each of them has the first so many parts. The one that has all of them grows in place, so that a
/// chain takes time linear in its length.
final class FilterChain: Sendable {
  let joining: Joining
  private let parts: Lock<[Condition]>

  /// The fewest parts that are shared: fewer cost less to copy.
  static let least = 64

  /// The operator between the parts.
  enum Joining {
    case all, any

    func condition(of parts: [Condition]) -> Condition { self == .all ? .all(parts) : .any(parts) }
  }

  init(_ parts: [Condition], _ joining: Joining) {
    self.joining = joining
    self.parts = Lock(parts)
  }

  /// Appends to the first so many parts; false, and nothing is done, if more are there.
  func append(_ more: [Condition], after count: Int) -> Bool {
    parts.withLock { parts in
      guard parts.count == count else { return false }
      parts += more
      return true
    }
  }

  /// The condition of the first so many parts.
  func condition(of count: Int) -> Condition {
    joining.condition(of: parts.withLock { count == $0.count ? $0 : Array($0.prefix(count)) })
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
    case .not, .all, .any, .some, .exists, .someItem: break
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
