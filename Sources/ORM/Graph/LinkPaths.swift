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

  /// The step that a relationship leads to from another; nil where the path is too long.
  mutating func step(_ relationship: String, from step: Int) -> Int? {
    if let index = steps[step].names.firstIndex(of: relationship) {
      return steps[step].next[index]
    }
    guard steps[step].depth < Self.maximumDepth else { return nil }
    steps.append(Step(depth: steps[step].depth + 1))
    steps[step].names.append(relationship)
    steps[step].next.append(steps.count - 1)
    return steps.count - 1
  }

  /// The tree that reads the paths.
  func tree(from step: Int = 0) -> PrefetchTree {
    PrefetchTree(
      zip(steps[step].names, steps[step].next).map { name, next in
        PrefetchTree.Branch(relationship: name, then: tree(from: next))
      })
  }
}
