internal import ORMStorage

/// The change of tables of a database that commits each such statement
/// (``SQLDialect/changesTablesInTransactions``).
///
/// Before the first table changes, the parts that the change adds and removes are recorded by their names.
/// The transaction that records the new schema forgets them. So an opening that finds some undoes the
/// unfinished change of another. It runs statements of its own dialect alone, and removes nothing that
/// the stored schema lists.
struct SQLUnfinishedChange {
  private let connection: any SQLConnection
  private let dialect: any SQLDialect

  /// A part that a change adds or removes, by its names.
  struct Part: Codable {
    var kind: Kind
    /// The name of the table, index, column or trigger.
    var name = ""
    /// The table of an index or a column; of a trigger, the table of the owners.
    var table = ""
    /// The other names of a trigger that empties a table of elements.
    var elements: String?
    var owners: [String]?
    var key: [String]?
    var hasOverflowKeys: Bool?

    enum Kind: String, Codable {
      case table
      case index
      case column
      case trigger
      /// An index that is removed, which the stored schema describes.
      case removedIndex
      /// The table of the engine's own, of a store that is new.
      case meta
    }
  }

  init(_ connection: any SQLConnection, _ dialect: any SQLDialect) {
    self.connection = connection
    self.dialect = dialect
  }

  /// The parts of the change that was left, in the order in which they are undone; nil if there is none.
  func parts() throws -> [Part]? {
    guard !dialect.changesTablesInTransactions, try connection.hasTable(SQLNames.meta) else {
      return nil
    }
    do {
      if let text = try SQLSession.meta(SQLMeta.unfinished, connection, dialect) {
        guard let parts = try? JSONCoding.decode([Part].self, from: text) else {
          throw StoreError(.corrupt, "the store's list of unfinished changes cannot be read")
        }
        return parts
      }
      // A new store whose other tables had not begun.
      let entries = try SQLSession.metas(beginningWith: "", connection, dialect)
      return entries.isEmpty ? [Part(kind: .meta)] : nil
    } catch let error as StoreError where dialect.isRefusedStatement(error) {
      // The table is not the engine's, which the look at the schema reports.
      return nil
    }
  }

  /// Records the parts of a change; none if nothing changes.
  func begin(_ parts: [Part]) throws {
    if parts.isEmpty { return }
    try SQLSession.setMeta(SQLMeta.unfinished, JSONCoding.encode(parts), connection, dialect)
  }

  /// Begins the transaction that records the new schema, and forgets the parts with it.
  func end() throws {
    if !connection.isInTransaction { try connection.beginWrite() }
    try SQLSession.removeMeta(SQLMeta.unfinished, connection, dialect)
  }

  /// Undoes the change that was left, if there is one, in a transaction that has begun.
  func undo() throws {
    guard let parts = try parts() else { return }
    let stored = try connection.hasSchema(dialect) ? SQLSchema.stored(connection, dialect) : nil
    for part in parts {
      guard let text = statement(undoing: part, stored) else { continue }
      do {
        try connection.execute(text)
      } catch let error as StoreError where dialect.isRefusedStatement(error) {
        // It was not there yet, or is removed already.
      }
    }
    if !connection.isInTransaction { try connection.beginWrite() }
    if try connection.hasTable(SQLNames.meta) {
      try SQLSession.removeMeta(SQLMeta.unfinished, connection, dialect)
    }
  }

  /// Returns the statement that undoes a part; nil for one that the stored schema has otherwise.
  private func statement(undoing part: Part, _ stored: SQLSchema?) -> String? {
    let tables = stored?.storedTables ?? []
    let table = tables.first { ExactText($0.name) == ExactText(part.table) }
    func has(_ name: String) -> Bool { ExactText(name) == ExactText(part.name) }
    switch part.kind {
    case .table:
      let isStored = tables.contains { table in
        has(table.name) || table.elementColumns.contains { has($0.elements ?? "") }
      }
      return isStored ? nil : "DROP TABLE \(dialect.quoted(table: part.name))"
    case .index:
      if tables.contains(where: { $0.indexes.contains { has($0.name) } }) { return nil }
      return dialect.removal(ofIndex: part.name, on: part.table)
    case .column:
      guard let table, !table.columns.contains(where: { has($0.name) || has($0.folded ?? "") })
      else { return nil }
      return
        "ALTER TABLE \(dialect.quoted(table: table.name)) DROP COLUMN \(dialect.quoted(part.name))"
    case .trigger:
      let elements = ExactText(part.elements ?? "")
      let isStored = tables.contains { table in
        table.elementColumns.contains { ExactText($0.elements ?? "") == elements }
      }
      if isStored { return nil }
      return dialect.removal(
        of: SQLCleaner(
          name: part.name, elements: part.elements ?? "", owners: part.owners ?? [],
          table: part.table, key: part.key ?? [], hasOverflowKeys: part.hasOverflowKeys ?? false))
    case .removedIndex:
      guard let table, let index = table.indexes.first(where: { has($0.name) }) else { return nil }
      return table.creation(of: index, dialect)
    case .meta:
      return stored == nil ? SQLSession.metaRemoval(dialect) : nil
    }
  }

  /// The error of a change that cannot be undone.
  static func refusal(_ change: String, entity: String? = nil) -> StoreError {
    StoreError(
      .unsupported,
      "the database changes tables outside of transactions, so \(change) could not be undone: "
        + "copy the objects into a new store",
      entity: entity)
  }
}

extension SQLConnection {
  /// Returns whether the engine's own table has a schema.
  fileprivate func hasSchema(_ dialect: any SQLDialect) throws -> Bool {
    try SQLSession.meta(SQLMeta.schema, self, dialect) != nil
  }
}

extension SQLSchemaChange {
  /// Returns the parts of the change, in the order in which they are undone.
  ///
  /// - Throws: `unsupported` for a change that does more than add tables, columns and indexes, and drop
  ///   indexes without a unique rule.
  func parts() throws -> [SQLUnfinishedChange.Part] {
    let isMore =
      !changes.droppedEntities.isEmpty || !changes.droppedColumns.isEmpty
      || !changes.renamedEntities.isEmpty || !changes.renamedColumns.isEmpty
      || !changes.renamedIndexes.isEmpty || !changes.alteredColumns.isEmpty
    if isMore { throw SQLUnfinishedChange.refusal("a removal, a new name or another type") }
    var parts = added.flatMap { table in
      table.elementColumns.flatMap { table.parts(ofElements: $0.elements ?? "", dialect) }
        + [SQLUnfinishedChange.Part(kind: .table, name: table.name)]
    }
    for table in tables { parts += try table.parts() }
    if try SQLSession.meta(SQLMeta.schema, connection, dialect) == nil {
      parts.append(SQLUnfinishedChange.Part(kind: .meta))
    }
    return parts
  }
}

extension SQLTable {
  /// The trigger that empties a table of elements, and the table.
  fileprivate func parts(
    ofElements elements: String, _ dialect: any SQLDialect
  ) -> [SQLUnfinishedChange.Part] {
    let cleaner = cleaner(ofElements: elements, dialect)
    return [
      SQLUnfinishedChange.Part(
        kind: .trigger, name: cleaner.name, table: cleaner.table, elements: cleaner.elements,
        owners: cleaner.owners, key: cleaner.key, hasOverflowKeys: cleaner.hasOverflowKeys),
      SQLUnfinishedChange.Part(kind: .table, name: elements),
    ]
  }
}

extension SQLTableChange {
  /// Returns the parts that the change of the table adds and removes.
  fileprivate func parts() throws -> [SQLUnfinishedChange.Part] {
    let losesTexts = zip(columns, new.columns).contains { before, column in
      before?.folded != nil && column.folded == nil
        || before?.elements != nil && column.elements == nil
    }
    if isRewritten || losesTexts {
      throw SQLUnfinishedChange.refusal("this change of its table", entity: new.stored.modelName)
    }
    var parts: [SQLUnfinishedChange.Part] = []
    for (before, index) in zip(indexes, new.indexes) where before == nil {
      guard let made = new.made(index, dialect), let name = made.name else { continue }
      parts.append(SQLUnfinishedChange.Part(kind: .index, name: name, table: made.table))
    }
    for (before, column) in zip(columns, new.columns) {
      if let elements = column.elements, before?.elements == nil {
        parts += new.parts(ofElements: elements, dialect)
      }
      if let folded = column.folded, before?.folded == nil {
        parts.append(SQLUnfinishedChange.Part(kind: .column, name: folded, table: new.name))
      }
      if before == nil {
        parts.append(SQLUnfinishedChange.Part(kind: .column, name: column.name, table: new.name))
      }
    }
    for index in old.indexes where !indexes.contains(index) {
      // Programs of the schema before may write rows meanwhile that the rule would refuse.
      if index.stored.isUnique {
        throw SQLUnfinishedChange.refusal(
          "the removal of a unique rule", entity: new.stored.modelName)
      }
      parts.append(SQLUnfinishedChange.Part(kind: .removedIndex, name: index.name, table: old.name))
    }
    return parts
  }
}
