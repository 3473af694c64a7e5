internal import ORMCore

/// The relationships that were set in a graph, as a tree from the objects that were given on.
struct LinkPaths {
  private var steps: [Step] = [Step()]
  /// Longer paths are not read again; a prefetch goes no deeper either.
  private static let maximumDepth = PrefetchTree.maximumDepth

  private struct Step {
    var depth = 0
    var names: [String] = []
    var next: [Int] = []
  }

  /// The place that a relationship leads to from another; nil where the path is too long.
  mutating func step(_ relationship: String, from place: Int) -> Int? {
    if let index = steps[place].names.firstIndex(of: relationship) {
      return steps[place].next[index]
    }
    guard steps[place].depth < Self.maximumDepth else { return nil }
    steps.append(Step(depth: steps[place].depth + 1))
    steps[place].names.append(relationship)
    steps[place].next.append(steps.count - 1)
    return steps.count - 1
  }

  /// The tree that reads the paths.
  func tree(from place: Int = 0) -> PrefetchTree {
    PrefetchTree(
      zip(steps[place].names, steps[place].next).map { name, next in
        PrefetchTree.Branch(relationship: name, then: tree(from: next))
      })
  }
}
