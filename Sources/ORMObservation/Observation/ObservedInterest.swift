internal import ORM
internal import ORMCore

/// The commits that may change a result.
enum ObservedInterest {
  /// The commits that change rows that were read.
  case footprint(BoundFootprint)
  /// The commits that change rows of an entity that match a condition before or after.
  case rows(of: RecordedEntity, BoundCondition?)

  /// Makes the interest of a result.
  ///
  /// - Parameter isMaintained: true if commits update the result, so that a page has no fixed end.
  init(_ footprint: ReadFootprint, isMaintained: Bool) throws {
    if isMaintained, footprint.requests.count == 1, let entity = footprint.requests[0].shape.entity
    {
      let request = footprint.requests[0]
      self = .rows(of: entity, try request.shape.condition?.bound(to: request.bindings))
    } else {
      self = .footprint(try footprint.bound())
    }
  }

  /// Returns whether a commit may have changed the result.
  func includes(_ commit: ObservedCommit) throws -> Bool {
    switch self {
    case .footprint(let footprint): return try footprint.isAffected(by: commit)
    case .rows(let entity, let condition):
      switch commit.changes(of: entity) {
      case .none: return false
      case .everything: return true
      case .rows(let rows):
        guard let condition else { return true }
        for row in rows {
          if let old = row.old, try condition.matches(old) { return true }
          if let new = row.new, try condition.matches(new) { return true }
        }
        return false
      }
    }
  }
}
