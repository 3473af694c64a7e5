internal import ORMStorage

/// The subentities of a store, with a cache of translated requests.
package final class Subentities: Sendable {
  private let table: SubentityTable
  private let cache = TranslationCache()

  /// The subentities of a schema; nil where it has none.
  package init?(_ schema: StoredSchema) throws {
    guard let table = try SubentityTable(schema) else { return nil }
    self.table = table
  }

  /// A reader that knows the subentities, around one that knows their roots.
  package func reader(around base: any StoreReader) -> any StoreReader {
    SubentityReader(base, self)
  }

  /// A writer that knows the subentities, around one that knows their roots.
  package func writer(around base: any StoreWriter) -> any StoreWriter {
    SubentityWriter(base, self)
  }

  /// Returns whether an entity is a subentity, by its stored name.
  package func concerns(_ name: String) -> Bool { table[name] != nil }

  /// The subentity with this stored name; nil for an entity that has rows of its own.
  subscript(name: String) -> Subentity? { table[name] }

  /// A request as the engine is asked it.
  func translated(_ request: FetchRequest) -> (request: FetchRequest, rows: RowTranslation?) {
    let translation = cache.translation(of: request) {
      ShapeTranslation(request.shape, bindings: request.bindings.count, table)
    }
    return (translation.request(request), translation.rows)
  }

  /// A statement of SQL as the engine is asked for it.
  func translated(_ statement: SQLRequest) -> SQLRequest { table.translated(statement) }

  /// An update as the engine is asked for it.
  func translated(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], of own: Subentity?
  ) -> StoreChange {
    let translated = translated(request).request
    return table.translated(translated, assignments, of: own)
  }
}
