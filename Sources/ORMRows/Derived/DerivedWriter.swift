internal import ORMStorage

/// An observer of the entities whose rows a layer changes.
package protocol EntityObserver: AnyObject {
  /// Takes an entity whose rows were changed.
  func didChange(_ entity: StoredEntity)
}

/// The writer that keeps derived attributes: a put or change of rows that others are derived of is
/// followed by one of their owners, in the same operation.
///
/// It is a layer beneath the interceptors. So it sees rows as hooks have changed them, and its own writes
/// do not run the owners' hooks or raise their versions and timestamps. It is beneath the layer of
/// subentities too, and so sees every row of a hierarchy as one of the root.
package final class DerivedWriter: ForwardingWriter {
  let base: any StoreWriter
  package let derivations: StoreDerivations
  /// The subentities of the store; nil where it has none.
  let subentities: Subentities?
  /// The rows of changes that layers have read.
  private let deltas: RowDeltas
  /// The transaction around, which is notified of changed owners; set by it.
  package weak var transaction: (any EntityObserver)?
  /// True if rows are taken as they are, derived attributes too.
  package var isOpen = false

  package init(
    _ base: any StoreWriter, _ derivations: StoreDerivations, _ subentities: Subentities?,
    deltas: RowDeltas
  ) {
    self.base = base
    self.derivations = derivations
    self.subentities = subentities
    self.deltas = deltas
  }

  package func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    guard !isOpen, let feeds = derivations[request.entity], feeds.isConcerned(by: request) else {
      return try base.put(request, from: &source, to: &visitor)
    }
    let put = DerivedPut(feeds, request)
    try base.savepoint {
      try put.run(through: base, from: &source, to: &visitor)
      try DerivedUpkeep(writer: self).keep(put.changes)
    }
  }

  package func apply(_ change: StoreChange) throws -> Int {
    if isOpen { return try base.apply(change) }
    switch change {
    case .update(let request, let assignments):
      guard let feeds = derivations[request.shape.entity],
        assignments.contains(where: { feeds.isRead($0.column) })
      else { return try base.apply(change) }
      return try following(change, request, feeds) { delta, changes in
        try delta.forEachPair(in: feeds.columns, base) { changes.note($0, $1) }
      }
    case .delete(let request):
      guard let feeds = derivations[request.shape.entity], feeds.feeds else {
        return try base.apply(change)
      }
      return try following(change, request, feeds) { delta, changes in
        delta.forEachOld(in: feeds.columns) { changes.note($0, nil) }
      }
    case .clear(let name):
      guard let feeds = derivations[name], feeds.feeds else { return try base.apply(change) }
      var count = 0
      try base.savepoint {
        count = try base.apply(change)
        for link in feeds.targets.map(\.link) + feeds.links.map(\.link) {
          try DerivedUpkeep(writer: self).empty(link)
        }
      }
      return count
    }
  }

  /// Makes a change of the rows that a request selects, then updates the attributes derived of them.
  private func following(
    _ change: StoreChange, _ request: FetchRequest, _ feeds: DerivedFeeds,
    _ note: (RowDelta, inout DerivedChanges) throws -> Void
  ) throws -> Int {
    let delta =
      try deltas.take(of: feeds.entity, columns: feeds.columns)
      ?? deltas.read(change, of: request, feeds.entity, columns: feeds.columns, in: base)
    var count = 0
    try base.savepoint {
      count = try deltas.offering(delta) { try base.apply(change) }
      var changes = DerivedChanges(feeds)
      try note(delta, &changes)
      try DerivedUpkeep(writer: self).keep(changes)
    }
    return count
  }

  package var forwardedWriter: any StoreWriter { base }
  package func isTransparent(for shape: FetchShape) -> Bool { true }
}
