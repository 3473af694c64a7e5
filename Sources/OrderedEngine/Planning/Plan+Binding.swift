internal import ORMCore

extension Plan {
  /// The keys to read for the values of one request.
  func bound(_ entity: EntityStorage, to bindings: [StoredValue]) throws -> BoundAccess {
    let path: BoundAccess.Path =
      switch access {
      case .nothing: .nothing
      case .key(let part):
        try part.bound(entity.key.terms, bindings) { ranges in .rows(ranges) }
      case .index(let number, let part):
        try part.bound(
          entity.indexes[number].terms + entity.indexes[number].suffix.terms, bindings
        ) { ranges in .index(entity.indexes[number], ranges) }
      }
    return BoundAccess(path: path, isReversed: isReversed)
  }
}

extension Plan.KeyPart {
  fileprivate func bound(
    _ terms: [KeyTerm], _ bindings: [StoredValue],
    _ make: ([KeyRange]) -> BoundAccess.Path
  ) throws -> BoundAccess.Path {
    var prefix: [UInt8] = []
    for (term, point) in zip(terms, points) {
      guard let bytes = try point.point(of: term, bindings) else { return .nothing }
      prefix += bytes
    }
    if points.count == terms.count || ranges.isEmpty {
      return isKeys ? .keys([prefix]) : make([KeyRange(prefix: prefix)])
    }
    let term = terms[points.count]
    if isKeys { return .keys(try keys(of: term, after: prefix, bindings)) }
    var found: RangeSet?
    for constraint in ranges {
      let set = try constraint.ranges(of: term, after: prefix, bindings)
      found = found?.intersection(set) ?? set
    }
    guard let found, !found.ranges.isEmpty else { return .nothing }
    return make(found.ranges)
  }

  /// The whole keys that the last term's single values make, in order.
  private func keys(
    of term: KeyTerm, after prefix: [UInt8], _ bindings: [StoredValue]
  ) throws -> [[UInt8]] {
    guard let list = ranges.firstIndex(where: \.isPoints) else { return [] }
    var keys = try ranges[list].points(of: term, after: prefix, bindings)
    for (number, constraint) in ranges.enumerated() where number != list {
      let set = try constraint.ranges(of: term, after: prefix, bindings)
      keys.removeAll { !set.contains($0) }
    }
    return keys
  }
}
