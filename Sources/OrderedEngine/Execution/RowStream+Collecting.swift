extension RowStream {
  /// The keys of the rows that a path leads to.
  func collected(_ path: BoundAccess.Path) throws -> SortedKeySet {
    var run = SortedKeySet(width: entity.key.width)
    switch path {
    case .union(let paths): for path in paths { try collect(path, in: &run) }
    case .intersection(let paths):
      for (number, path) in paths.enumerated() {
        var other = SortedKeySet(width: entity.key.width)
        try collect(path, in: &other)
        try other.finish()
        if number == 0 { run = other } else { run.formIntersection(other) }
        if run.count == 0 { break }
      }
      return run
    default: try collect(path, in: &run)
    }
    try run.finish()
    return run
  }

  private func collect(_ path: BoundAccess.Path, in run: inout SortedKeySet) throws {
    switch path {
    case .union, .intersection: try collected(path).forEach { run.append($0) }
    default:
      try RowStream(view, entity, BoundAccess(path: path)).forEachKey { run.append($0) }
    }
  }
}
