internal import ORMStorage

/// A reader that knows subentities, around one that knows their roots.
class SubentityReader: ForwardingReader {
  let base: any StoreReader
  let subentities: Subentities

  init(_ base: any StoreReader, _ subentities: Subentities) {
    self.base = base
    self.subentities = subentities
  }

  /// Runs `body`; an error about the root names the entity that was asked for.
  func naming<Result>(_ entity: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw subentities[entity]?.named(error) ?? error
    }
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    let (translated, rows) = subentities.translated(request)
    return try naming(request.shape.entity) {
      let cursor = try base.cursor(translated)
      return rows.map { TranslatingCursor(cursor, $0) } ?? cursor
    }
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    let (translated, rows) = subentities.translated(request)
    try naming(request.shape.entity) {
      if let rows {
        try rows.visiting(&visitor) { try base.visit(translated, &$0) }
      } else {
        try base.visit(translated, &visitor)
      }
    }
  }

  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    try base.explain(subentities.translated(request).request, analyze: analyze)
  }

  func greatestKey(of entity: String) throws -> Int64? {
    try base.greatestKey(of: subentities[entity]?.root.name ?? entity)
  }

  func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws {
    try base.runningQueries.visit(
      sql: subentities.translated(query), columns: columns, &visitor)
  }

  var forwardedReader: any StoreReader { base }

  /// A find of an entity with rows of its own names nothing that a subentity could stand for.
  func isTransparent(for shape: FetchShape) -> Bool { subentities[shape.entity] == nil }
}
