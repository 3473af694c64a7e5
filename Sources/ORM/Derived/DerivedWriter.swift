internal import ORMCore

/// The writer that keeps derived attributes: a put or change of rows that others are derived of is
/// followed by one of their owners, in the same operation.
///
/// It is a layer beneath the interceptors. So it sees rows as hooks have changed them, and its own writes
/// do not run the owners' hooks or raise their versions and timestamps. It is beneath the layer of
/// subentities too, and so sees every row of a hierarchy as one of the root.
final class DerivedWriter: ForwardingWriter {
  let base: any StoreWriter
  let derivations: StoreDerivations
  /// The subentities of the store; nil where it has none.
  let subentities: Subentities?
  /// The transaction around, which is notified of changed owners; set by it.
  weak var transaction: WriteTransaction?
  /// True if rows are taken as they are, derived attributes too.
  var isOpen = false

  init(_ base: any StoreWriter, _ derivations: StoreDerivations, _ subentities: Subentities?) {
    self.base = base
    self.derivations = derivations
    self.subentities = subentities
  }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    guard !isOpen, let feeds = derivations[request.entity], feeds.isConcerned(by: request) else {
      return try base.put(request, from: &source, to: &visitor)
    }
    let record = PutRecord(feeds, request)
    var recorded = RecordedSource(source, record)
    var recording = RecordingVisitor(visitor, record)
    try base.savepoint {
      try base.put(record.request, from: &recorded, to: &recording)
      try DerivedUpkeep(writer: self).keep(record.changes)
    }
    source = recorded.base
    visitor = recording.base
  }

  func apply(_ change: StoreChange) throws -> Int {
    if isOpen { return try base.apply(change) }
    switch change {
    case .update(let request, let assignments):
      guard let feeds = derivations[request.shape.entity],
        assignments.contains(where: { feeds.isRead($0.column) })
      else { return try base.apply(change) }
      return try following(request, feeds) { before in
        let count = try base.apply(change)
        let known = Dictionary(
          try feeds.images(of: before.map { Array($0.prefix(feeds.entity.key.count)) }, in: base)
            .map { (GroupKey(Array($0.prefix(feeds.entity.key.count))), $0) },
          uniquingKeysWith: { first, _ in first })
        var changes = DerivedChanges(feeds)
        for old in before {
          let key = GroupKey(Array(old.prefix(feeds.entity.key.count)))
          if let new = known[key] { changes.note(old, new) }
        }
        return (count, changes)
      }
    case .delete(let request):
      guard let feeds = derivations[request.shape.entity], feeds.feeds else {
        return try base.apply(change)
      }
      return try following(request, feeds) { before in
        let count = try base.apply(change)
        var changes = DerivedChanges(feeds)
        for old in before { changes.note(old, nil) }
        return (count, changes)
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

  /// Runs a change of the rows that a request selects, then updates the attributes derived of them.
  private func following(
    _ request: FetchRequest, _ feeds: DerivedFeeds,
    _ body: (_ before: [[StoredValue]]) throws -> (Int, DerivedChanges)
  ) throws -> Int {
    let rows = try base.rows(of: request.selecting(feeds.columns, of: feeds.entity))
    var count = 0
    try base.savepoint {
      let (found, changes) = try body(rows)
      count = found
      try DerivedUpkeep(writer: self).keep(changes)
    }
    return count
  }

  var forwardedWriter: any StoreWriter { base }
  func isTransparent(for shape: FetchShape) -> Bool { true }
}

extension DerivedFeeds {
  /// Returns whether a put may change derived attributes, or insert owners.
  func isConcerned(by request: PutRequest) -> Bool {
    if request.mode != .update { return true }
    guard let columns = request.columns else { return feeds }
    return columns.contains { isRead($0) }
  }

  /// The images of rows by their keys.
  func images(of keys: [[StoredValue]], in reader: any StoreReader) throws -> [[StoredValue]] {
    try reader.values(of: entity, where: entity.key, in: keys, output: columns)
  }
}
