internal import ORMStorage

extension Plan {
  /// The keys to read for the values of one request.
  func bound(_ entity: EntityStorage, to bindings: [StoredValue]) throws -> BoundAccess {
    let path: BoundAccess.Path
    switch access {
    case .nothing: path = .nothing
    case .one(let one): path = try one.bound(entity, bindings)
    case .union(let parts, let joining):
      let branches = try parts.map {
        BoundAccess(path: try $0.bound(entity, bindings), isReversed: $0.isReversed)
      }.filter { !$0.path.isNothing }
      path =
        switch joining {
        case _ where branches.isEmpty: .nothing
        case .union: .union(branches.map(\.path))
        case .merge: .merged(branches)
        case .ranges: Self.joined(branches.map(\.path))
        }
    case .intersection(let parts):
      let paths = try parts.map { try $0.bound(entity, bindings) }
      path = paths.contains(where: \.isNothing) ? .nothing : .intersection(paths)
    }
    return BoundAccess(path: path, isReversed: isReversed)
  }

  /// Ranges of one key or index in one.
  private static func joined(_ paths: [BoundAccess.Path]) -> BoundAccess.Path {
    var ranges: [KeyRange] = []
    var index: IndexStorage?
    for path in paths {
      switch path {
      case .rows(let more): ranges += more
      case .index(let storage, let more):
        index = storage
        ranges += more
      case .nothing, .keys, .union, .merged, .intersection: continue
      }
    }
    let all = RangeSet(ranges).ranges
    return index.map { .index($0, all) } ?? .rows(all)
  }
}

extension Plan {
  /// The single values of which one range of an index or of rows is made, where each is a parameter
  /// or null; nil for any other access.
  func prefix(_ entity: EntityStorage) -> [KeyPrefixPart]? {
    guard case .one(let one) = access, !one.part.isKeys, one.part.ranges.isEmpty else { return nil }
    let parts = zip(one.terms(entity), one.part.points).compactMap { KeyPrefixPart($0, $1) }
    return parts.count == one.part.points.count ? parts : nil
  }
}

/// A term of a key and the single value that it must have, without references: it is read for each
/// of many keys.
struct KeyPrefixPart {
  private let term: KeyTerm
  /// The parameter that gives the value; nil for null.
  private let slot: Int?

  fileprivate init?(_ term: KeyTerm, _ point: TermConstraint) {
    self.term = term
    switch point.test {
    case .isNull where term.isTagged: slot = nil
    case .equal(.parameter(let slot, _)), .hasElement(.parameter(let slot, _)): self.slot = slot
    default: return nil
    }
  }

  /// Appends the bytes of the value; false when no key has it, or there is no such parameter.
  @inline(__always)
  func append(_ bindings: [StoredValue], to bytes: inout ByteBuffer) -> Bool {
    guard let slot else {
      bytes.append(term, value: .null)
      return true
    }
    guard slot < bindings.count,
      case .at(let member, isEqual: true) = KeyDomain(term.encoding).position(of: bindings[slot])
    else { return false }
    bytes.append(term, value: member)
    return true
  }
}

extension Plan.KeyAccess {
  /// The terms of the key, or of the index's entries.
  fileprivate func terms(_ entity: EntityStorage) -> [KeyTerm] {
    guard let index else { return entity.key.terms }
    return entity.indexes[index].terms + entity.indexes[index].suffix.terms
  }

  func bound(_ entity: EntityStorage, _ bindings: [StoredValue]) throws -> BoundAccess.Path {
    guard let index else {
      return try part.bound(entity.key.terms, bindings) { .rows($0) }
    }
    let storage = entity.indexes[index]
    return try part.bound(storage.keyTerms, bindings) { .index(storage, $0) }
  }
}

extension Plan.KeyPart {
  fileprivate func bound(
    _ terms: [KeyTerm], _ bindings: [StoredValue],
    _ make: ([KeyRange]) -> BoundAccess.Path
  ) throws -> BoundAccess.Path {
    // Single values make one prefix, as those of the rows related to a row do.
    var prefix = ByteBuffer()
    var position = 0
    while position < min(terms.count, points.count), points[position].isPoint {
      guard try points[position].appendPoint(of: terms[position], bindings, to: &prefix) else {
        return .nothing
      }
      position += 1
    }
    var prefixes = [Array(prefix.bytes)]
    while position < min(terms.count, points.count) {
      let (term, point) = (terms[position], points[position])
      let width = point.partCount ?? 1
      defer { position += width }
      if point.partCount != nil {
        let parts = Array(points[position...].prefix(width))
        let terms = Array(terms[position...].prefix(width))
        prefixes = try prefixes.flatMap {
          try TermConstraint.points(of: terms, parts, after: $0, bindings)
        }
      } else if point.isPoint {
        var bytes = ByteBuffer()
        guard try point.appendPoint(of: term, bindings, to: &bytes) else { return .nothing }
        for number in prefixes.indices { prefixes[number] += bytes.bytes }
      } else {
        prefixes = try prefixes.flatMap { try point.points(of: term, after: $0, bindings) }
      }
    }
    if prefixes.isEmpty { return .nothing }
    if points.count == terms.count || ranges.isEmpty {
      return isKeys ? .keys(prefixes) : make(prefixes.map { KeyRange(prefix: $0) })
    }
    let term = terms[points.count]
    if isKeys {
      return .keys(try prefixes.flatMap { try keys(of: term, after: $0, bindings) })
    }
    var all: [KeyRange] = []
    for prefix in prefixes {
      var found: RangeSet?
      for constraint in ranges {
        let set = try constraint.ranges(of: term, after: prefix, bindings)
        found = found?.intersection(set) ?? set
      }
      all += found?.ranges ?? []
    }
    return all.isEmpty ? .nothing : make(all)
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
