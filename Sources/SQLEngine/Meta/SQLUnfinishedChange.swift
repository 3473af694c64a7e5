internal import ORMStorage

/// The change of tables of a database that commits each such statement
/// (``SQLDialect/changesTablesInTransactions``).
///
/// Before the first table changes, the statements that undo all of it are recorded. The transaction that
/// records the new schema forgets them. So an opening that finds some undoes the unfinished change of
/// another.
struct SQLUnfinishedChange {
  private let connection: any SQLConnection
  private let dialect: any SQLDialect

  init(_ connection: any SQLConnection, _ dialect: any SQLDialect) {
    self.connection = connection
    self.dialect = dialect
  }

  /// The statements that undo the change that was left, in the order in which they run; nil if there is
  /// none.
  func statements() throws -> [String]? {
    guard !dialect.changesTablesInTransactions, try connection.hasTable(SQLNames.meta) else {
      return nil
    }
    do {
      if let text = try SQLSession.meta(SQLMeta.unfinished, connection, dialect) {
        guard let statements = try? JSONCoding.decode([String].self, from: text) else {
          throw StoreError(.corrupt, "the store's list of unfinished changes cannot be read")
        }
        return statements
      }
      // A new store whose other tables had not begun.
      let entries = try SQLSession.metas(beginningWith: "", connection, dialect)
      return entries.isEmpty ? [SQLSession.metaRemoval(dialect)] : nil
    } catch let error as StoreError where dialect.isRefusedStatement(error) {
      // The table is not the engine's, which the look at the schema reports.
      return nil
    }
  }

  /// Records the statements that undo a change; none if nothing changes.
  func begin(undoneBy statements: [String]) throws {
    if statements.isEmpty { return }
    try SQLSession.setMeta(
      SQLMeta.unfinished, JSONCoding.encode(statements), connection, dialect)
  }

  /// Begins the transaction that records the new schema, and forgets the statements with it.
  func end() throws {
    if !connection.isInTransaction { try connection.beginWrite() }
    try SQLSession.removeMeta(SQLMeta.unfinished, connection, dialect)
  }

  /// Undoes the change that was left, if there is one, in a transaction that has begun.
  func undo() throws {
    for text in try statements() ?? [] {
      do {
        try connection.execute(text)
      } catch let error as StoreError where dialect.isRefusedStatement(error) {
        // It was not there yet, or is gone already.
      }
    }
    if !connection.isInTransaction { try connection.beginWrite() }
    if try connection.hasTable(SQLNames.meta) {
      try SQLSession.removeMeta(SQLMeta.unfinished, connection, dialect)
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

extension SQLSchemaChange {
  /// Returns the statements that undo the change, also if only a part of it was made.
  ///
  /// - Throws: `unsupported` for a change that does more than add tables, columns and indexes, and drop
  ///   indexes.
  func undoing() throws -> [String] {
    let isMore =
      !changes.droppedEntities.isEmpty || !changes.droppedColumns.isEmpty
      || !changes.renamedEntities.isEmpty || !changes.renamedColumns.isEmpty
      || !changes.renamedIndexes.isEmpty || !changes.alteredColumns.isEmpty
    if isMore { throw SQLUnfinishedChange.refusal("a removal, a new name or another type") }
    var texts = added.flatMap { $0.removals(dialect) }
    for table in tables { texts += try table.undoing() }
    if try SQLSession.meta(SQLMeta.schema, connection, dialect) == nil {
      texts.append(SQLSession.metaRemoval(dialect))
    }
    return texts
  }
}

extension SQLTableChange {
  /// Returns the statements that undo the additions and removals of the table.
  fileprivate func undoing() throws -> [String] {
    let losesTexts = zip(columns, new.columns).contains { before, column in
      before?.folded != nil && column.folded == nil
        || before?.elements != nil && column.elements == nil
    }
    if isRewritten || losesTexts {
      throw SQLUnfinishedChange.refusal("this change of its table", entity: new.stored.modelName)
    }
    var texts: [String] = []
    for (before, index) in zip(indexes, new.indexes) where before == nil {
      if let text = new.removal(of: index, dialect) { texts.append(text) }
    }
    for (before, column) in zip(columns, new.columns) {
      if let elements = column.elements, before?.elements == nil {
        texts += new.removal(ofElements: elements, dialect)
      }
      if let folded = column.folded, before?.folded == nil {
        texts.append(new.removal(ofFolded: folded, dialect))
      }
      if before == nil { texts.append(new.removal(of: column, dialect)) }
    }
    for index in old.indexes where !indexes.contains(index) {
      if let text = old.creation(of: index, dialect) { texts.append(text) }
    }
    return texts
  }
}
