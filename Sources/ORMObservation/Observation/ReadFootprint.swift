internal import ORM
internal import ORMCore

/// One request that an observation made.
struct RequestFootprint: Sendable {
  let shape: ShapeFootprint
  let bindings: [StoredValue]
  let limit: Int?
  let offset: Int
  /// True if a value of the request is a timestamp from the time of the fetch, so that the request
  /// means other rows by the time of a commit.
  let isTimed: Bool
  /// The sort keys of the last row of a full page; nil if the page is not full, or there is none.
  var end: [StoredValue]?

  /// True if the rows are the result of a condition and an order that each row itself decides.
  var isOwn: Bool { shape.isOwnCondition && shape.order != nil && !shape.readsUnknown && !isTimed }
}

/// Everything that an observation read when its value was fetched.
struct ReadFootprint: Sendable {
  let requests: [RequestFootprint]
  /// The sort keys of the rows of the only request, one row after another; nil if they were not
  /// collected.
  let keys: [StoredValue]?
  /// The entities of the program that were read; nil if not all of them are known.
  let names: Set<String>?

  /// The footprint with the values of its requests looked up, for one observation.
  func bound() throws -> BoundFootprint {
    BoundFootprint(try requests.map { try BoundRequest($0) })
  }
}

/// A footprint that commits are held against.
struct BoundFootprint {
  private let requests: [BoundRequest]

  init(_ requests: [BoundRequest]) { self.requests = requests }

  /// Returns whether a commit may have changed the result.
  func isAffected(by commit: ObservedCommit) throws -> Bool {
    for request in requests where try request.isAffected(by: commit) { return true }
    return false
  }
}

/// A request whose condition and order are ready to be asked of rows.
struct BoundRequest {
  private let shape: ShapeFootprint
  private let condition: BoundCondition?
  private let order: [BoundSortTerm]
  private let end: [StoredValue]?

  init(_ request: RequestFootprint) throws {
    shape = request.shape
    // A condition that time changes decides nothing about a later commit.
    condition = request.isTimed ? nil : try shape.condition?.bound(to: request.bindings)
    end = request.isOwn ? request.end : nil
    order = end == nil ? [] : try shape.order?.map { try $0.bound(to: request.bindings) } ?? []
  }

  func isAffected(by commit: ObservedCommit) throws -> Bool {
    guard let entity = shape.entity, !shape.readsUnknown else { return true }
    switch commit.changes(of: entity) {
    case .none: break
    case .everything: return true
    case .rows(let rows): for row in rows where try isAffected(by: row) { return true }
    }
    for related in shape.related {
      switch commit.changes(of: related.entity) {
      case .none: break
      case .everything: return true
      case .rows(let rows):
        for row in rows where !row.isUpdate || row.changed.intersects(related.columns) {
          return true
        }
      }
    }
    return false
  }

  private func isAffected(by row: ObservedRow) throws -> Bool {
    if row.isUpdate, !row.changed.intersects(shape.columns) { return false }
    return try row.old.map(isInside) ?? false || row.new.map(isInside) ?? false
  }

  /// Returns whether a row matches, and is not behind the end of a full page.
  private func isInside(_ row: BufferedRow) throws -> Bool {
    if let condition, try !condition.matches(row) { return false }
    guard let end else { return true }
    for (term, key) in zip(order, end) {
      let sign = term.order(try term.key(of: row), key)
      if sign != 0 { return sign < 0 }
    }
    return true
  }
}
