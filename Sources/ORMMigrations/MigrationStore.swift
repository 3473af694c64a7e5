internal import ORMStorage

/// A store that is being migrated, as steps see it: the operations of a program on the writer of the
/// opening's transaction.
///
/// Its schema has no rules, managed or derived attributes and no history, and nothing is hidden: steps
/// see rows as they are stored. Commits do nothing: the opening commits.
final class MigrationStore: Store {
  let schema: StoredSchema
  let runtime: StoreRuntime
  private let content: Content
  /// The parts of the migration, where it has several.
  var parts: MigrationParts? { content.parts }

  /// The writer and the parts, used on the thread of the opening alone.
  ///
  /// Unchecked: the scheduler of a migration's store runs everything on the calling thread, one
  /// operation at a time, and the store does not outlive the opening.
  private struct Content: @unchecked Sendable {
    let writer: any StoreWriter
    let parts: MigrationParts?
  }

  /// Makes a store of a writer.
  ///
  /// - Parameter isFlat: true to show roots with the columns of their subentities, and no subentities.
  convenience init(
    _ writer: any StoreWriter, _ schema: StoredSchema, isFlat: Bool, parts: MigrationParts? = nil
  ) {
    self.init(writer, schema.plain(isFlat: isFlat), parts: parts)
  }

  /// Makes a store with everything that a schema has.
  init(_ writer: any StoreWriter, _ schema: StoredSchema, parts: MigrationParts? = nil) {
    content = Content(writer: writer, parts: parts)
    self.schema = schema
    runtime = StoreRuntime(name: "a store that is being migrated")
  }

  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    MigrationWriter(content.writer)
  }

  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    MigrationWriter(content.writer)
  }

  func close(_ turn: borrowing CloseTurn) throws {}
}

/// A writer whose end is that of another transaction.
private final class MigrationWriter: ForwardingWriter {
  let forwardedWriter: any StoreWriter

  init(_ writer: any StoreWriter) { forwardedWriter = writer }

  func commit() throws {}

  func end() {}
}

extension StoredSchema {
  /// The schema with rows and links alone: nothing that the operations keep or check beside them.
  fileprivate func plain(isFlat: Bool) -> StoredSchema {
    var schema = self
    schema.entities.removeAll { $0.name == HistoryEntity.name }
    schema.editEntities { entity in
      entity.rules = []
      entity.templates = []
      for position in entity.columns.indices {
        entity.columns[position].role = nil
        entity.columns[position].derived = nil
        entity.columns[position].externalThreshold = nil
      }
      for position in entity.relationships.indices {
        entity.relationships[position].isRequired = false
        entity.relationships[position].count = nil
      }
    }
    if isFlat {
      for position in schema.entities.indices { schema.entities[position].subentities = [] }
    }
    return schema
  }
}
