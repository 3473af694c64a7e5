package import ORMStorage

/// A visitor that collects rows, and pauses after a number of them.
package protocol BatchCollector: RowVisitor {
  /// The element that a row becomes.
  associatedtype Row
  /// The elements collected since the last ones were taken out.
  var rows: [Row] { get set }
  /// After how many to pause.
  var batch: Int { get set }
}

extension ReadTransaction {
  package func chunks<Collector: BatchCollector>(
    _ request: FetchRequest, _ collector: Collector, size: Int, entity: StoredEntity,
    _ body: ([Collector.Row]) throws -> Void
  ) throws {
    guard size > 0 else {
      throw StoreError(
        .invalidPage,
        "the size of a chunk must be positive", entity: entity.modelName)
    }
    guard self is WriteTransaction else { return try scan(request, collector, size: size, body) }
    var collector = collector
    // It is undefined if a cursor shows writes after its opening.
    try live().visit(request, &collector)
    for start in stride(from: 0, to: collector.rows.count, by: size) {
      try body(Array(collector.rows[start...].prefix(size)))
    }
  }

  package func scan<Collector: BatchCollector>(
    _ request: FetchRequest, _ collector: Collector, size: Int,
    _ body: ([Collector.Row]) throws -> Void
  ) throws {
    var collector = collector
    collector.batch = size
    let cursor = try live().cursor(request)
    var hasMore = true
    while hasMore {
      // The body may have forked the process.
      _ = try live()
      hasMore = try cursor.visit(&collector)
      if !collector.rows.isEmpty { try body(collector.rows) }
      collector.rows.removeAll(keepingCapacity: true)
    }
  }
}
