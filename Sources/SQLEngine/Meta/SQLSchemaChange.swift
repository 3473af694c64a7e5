internal import FoundationEssentials
internal import ORMStorage

/// One change of a database's tables, and of their description in its meta table.
///
/// Drops come first, so that names are free; then renames, which read no rows; then the additions to each
/// table.
struct SQLSchemaChange {
  /// The layout afterwards, with every stored entity declared.
  let after: SQLSchema
  let connection: any SQLConnection
  let dialect: any SQLDialect
  private let before: SQLSchema
  let changes: SchemaChanges
  /// The changes of the tables that stay.
  let tables: [SQLTableChange]
  private let droppedTables: [SQLTable]
  /// The tables that are new.
  let added: [SQLTable]

  init(
    _ connection: any SQLConnection, _ dialect: any SQLDialect, _ before: SQLSchema,
    _ changes: SchemaChanges, addingChecksums: Bool, now: @escaping () -> Date,
    built: SchemaChanges.Part? = nil
  ) {
    self.connection = connection
    self.dialect = dialect
    self.before = before
    self.changes = changes
    let old = before.tables
    var checksumNames: [ExactText: String] = [:]
    for entity in changes.union.entities {
      guard before.hasChecksums, let name = changes.nameBefore(ofEntity: entity.name) else {
        continue
      }
      checksumNames[entity.name] = old[name]?.checksumName
    }
    let overflowing = changes.union.entities.filter { entity in
      guard let name = changes.nameBefore(ofEntity: entity.name) else {
        // No statement about another table can find out that a listed key is too long.
        return MigrationEntity.isKeyList(entity)
          && entity.columns.contains { dialect.mayOverflow($0.type.kind) }
      }
      return before.overflowing.contains(name)
    }.map(\.name)
    func layout(_ dropped: [ExactText: [SQLTable.DroppedColumn]]) -> SQLSchema {
      SQLSchema(
        declared: changes.union, stored: changes.union,
        hasChecksums: before.hasChecksums || addingChecksums, checksumNames: checksumNames,
        dropped: dropped, overflowing: Set(texts: overflowing))
    }
    func tables(_ after: SQLSchema) -> (changed: [SQLTableChange], added: [SQLTable]) {
      var tables: [SQLTableChange] = []
      var added: [SQLTable] = []
      for table in after.storedTables {
        if let name = changes.nameBefore(ofEntity: table.stored.name), let old = old[name] {
          tables.append(
            SQLTableChange(
              old, table, changes, connection: connection, dialect: dialect, now: now,
              built: built))
        } else {
          added.append(table)
        }
      }
      return (tables, added)
    }
    let plain = layout([:])
    var dropped: [ExactText: [SQLTable.DroppedColumn]] = [:]
    for table in tables(plain).changed where !table.droppedColumns.isEmpty {
      dropped[table.new.stored.name] = table.droppedColumns
    }
    after = dropped.isEmpty ? plain : layout(dropped)
    let (tables, added) = tables(after)
    self.tables = tables
    self.added = added
    let remaining = Set(texts: tables.map(\.old.name))
    droppedTables = before.storedTables.filter { !remaining.contains($0.name) }
  }

  /// Makes the change, and returns the errors of new unique rules that rows break.
  ///
  /// If there are any, the caller rolls the transaction back.
  ///
  /// - Throws: `corrupt`, and the errors of the database; `unsupported`, with nothing changed, if the
  ///   database changes tables outside of transactions and the change could not be undone.
  func run() throws -> [StoreError] {
    if before.storedTables.isEmpty { try checkNames() }
    let unfinished = SQLUnfinishedChange(connection, dialect)
    if !dialect.changesTablesInTransactions {
      // An object of another program under a name that is needed must not be dropped by the undoing.
      try checkFree(added.flatMap { [$0.name] + $0.elementColumns.compactMap(\.elements) })
      for table in tables {
        for (old, new) in zip(table.columns, table.new.columns) where old?.elements == nil {
          try checkFree(new.elements.map { [$0] } ?? [])
        }
      }
      try unfinished.begin(parts())
    }
    let version = try connection.schemaVersion()
    for lister in droppedTables.compactMap({ lister(ofKeys: $0, in: before) }) {
      for text in dialect.removals(of: lister) { try connection.execute(text) }
    }
    // If nothing stays, the space is for the new tables.
    if dialect.columnRemoval == .hiding, !tables.isEmpty {
      try SQLHiddenTables(connection, dialect).hide(droppedTables)
    } else {
      for table in droppedTables {
        for text in table.removals(dialect) { try connection.execute(text) }
      }
    }
    for table in tables { try table.drop() }
    for rename in SQLRename.ordered(tables.flatMap(\.tableRenames)) {
      try checkFree(rename.to)
      try connection.execute(SQLTable.renaming(rename.from, to: rename.to, dialect))
    }
    for table in tables { try table.renameColumns() }
    try renameIndexes()
    var brokenRules: [StoreError] = []
    for table in tables { brokenRules += try table.complete() }
    for table in added {
      try checkFree(table.name)
      for text in table.creations(dialect) { try connection.execute(text) }
    }
    for lister in added.compactMap({ lister(ofKeys: $0, in: after) }) {
      for text in dialect.creations(of: lister) { try connection.execute(text) }
    }
    if !brokenRules.isEmpty { return brokenRules }
    if !dialect.changesTablesInTransactions { try unfinished.end() }
    try writeMeta()
    try announce(since: version)
    return []
  }

  /// Returns the triggers that list keys in a table; nil if that is no such list.
  private func lister(ofKeys list: SQLTable, in schema: SQLSchema) -> SQLKeyLister? {
    guard MigrationEntity.isKeyList(list.stored) else { return nil }
    let name = String(list.stored.name.dropLast(MigrationEntity.keyListSuffix.count))
    func table(_ name: String) -> SQLTable? {
      schema.storedTables.first { $0.stored.name == name }
    }
    // The list comes when the entity's copy has its name.
    guard let table = table(name + MigrationEntity.originalSuffix) ?? table(name) else {
      return nil
    }
    return SQLKeyLister(
      name: SQLNames.lister(ofKeys: list.name), table: table.name,
      key: table.keyColumns.map(\.name), list: list.name, columns: list.keyColumns.map(\.name))
  }

  /// Makes and drops a table if no table changed since a version: by another version programs that are
  /// open notice another schema.
  private func announce(since version: Int64?) throws {
    guard let version, after.stored != before.stored, dialect.changesTablesInTransactions,
      try connection.schemaVersion() == version
    else { return }
    let table = dialect.quoted(table: SQLNames.draft(of: SQLNames.meta))
    try connection.execute("CREATE TABLE \(table) (\(dialect.quoted("name")) INTEGER)")
    try connection.execute("DROP TABLE \(table)")
  }

  /// Throws for a new store among whose tables are names of other programs' tables.
  private func checkNames() throws {
    let taken = try added.map(\.name).filter { try connection.hasTable($0) }
    if taken.isEmpty { return }
    throw StoreError(
      .notADatabase,
      "the database has tables of another program with names that the store needs: "
        + taken.joined(separator: ", "))
  }

  private func checkFree(_ names: [String]) throws {
    for name in names { try checkFree(name) }
  }

  private func checkFree(_ name: String) throws {
    if try connection.hasTable(name) {
      throw StoreError(
        .corrupt, "the database has a table \(name) that the store's schema does not list",
        entity: after.storedTables.first { $0.name == name }?.stored.modelName)
    }
  }

  private func renameIndexes() throws {
    let indexes = tables.flatMap(\.indexRenames)
    var areRenamed = true
    for rename in SQLRename.ordered(indexes.map(\.rename)) where areRenamed {
      areRenamed = try connection.renameIndex(rename.from, to: rename.to)
    }
    if areRenamed { return }
    let changed = indexes.filter { $0.rename.from != $0.rename.to }
    for (rename, index) in changed {
      try connection.execute(dialect.removal(ofIndex: rename.from, on: index.table))
    }
    for (_, index) in changed { try connection.execute(dialect.creation(of: index)) }
  }

  // MARK: The meta table

  private func writeMeta() throws {
    let text = try JSONCoding.encode(after.stored)
    try SQLSession.setMeta(SQLMeta.schema, text, connection, dialect)
    if after.hasChecksums {
      try SQLSession.setMeta(
        SQLMeta.checksum, SQLMeta.checksum(ofSchema: text), connection, dialect)
    }
    if after.hasChecksums, !before.hasChecksums, let mark = dialect.checksumMark {
      try connection.execute(mark.set)
    }
    if after.checksumNames != before.checksumNames {
      try replace(before.checksumNames, by: after.checksumNames, SQLMeta.checksumName)
    }
    if after.dropped != before.dropped {
      try after.dropped.isEmpty
        ? SQLSession.removeMeta(SQLMeta.dropped, connection, dialect)
        : SQLSession.setMeta(
          SQLMeta.dropped, try JSONCoding.encode(DroppedColumns(after.dropped)), connection, dialect
        )
    }
    if after.overflowing != before.overflowing {
      try SQLSchema.record(overflowing: after.overflowing, connection, dialect)
    }
    try moveGreatestKeys()
  }

  /// Moves the greatest keys that were recorded with their entities.
  private func moveGreatestKeys() throws {
    var names = droppedTables.map { ($0.stored.name, nil as String?) }
    for table in tables where table.old.stored.name != table.new.stored.name {
      names.append((table.old.stored.name, table.new.stored.name))
    }
    var before: [ExactText: String] = [:]
    var after: [ExactText: String] = [:]
    for (old, new) in names {
      guard let key = try SQLSession.meta(SQLMeta.greatestKey(old), connection, dialect) else {
        continue
      }
      before[old] = key
      if let new { after[new] = key }
    }
    try replace(before, by: after, SQLMeta.greatestKey)
  }

  private func replace(
    _ before: [ExactText: String], by after: [ExactText: String], _ name: (String) -> String
  ) throws {
    for entity in before.keys where after[entity] == nil {
      try SQLSession.removeMeta(name(entity.text), connection, dialect)
    }
    for (entity, value) in after where before[entity] != value {
      try SQLSession.setMeta(name(entity.text), value, connection, dialect)
    }
  }
}
