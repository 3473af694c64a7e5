internal import FoundationEssentials
package import ORMStorage

/// Brings a database to the schema that a program declares, in one transaction.
package struct SQLEvolution {
  private let connection: any SQLConnection
  private let dialect: any SQLDialect
  private let options: StoreOptions
  /// True if rows get checksums where they have none, and requests verify them.
  private let checksums: Bool
  /// The timestamp that rows get in added columns whose default is the current time.
  private let now = Date()

  package init(
    _ connection: any SQLConnection, _ dialect: any SQLDialect, _ options: StoreOptions,
    checksums: Bool = false
  ) {
    self.checksums = checksums
    self.connection = connection
    self.dialect = dialect
    self.options = options
  }

  /// The layout of the database once it fits `declared`, or as it is where nothing is declared.
  ///
  /// Throws `schemaMismatch`, naming every difference that is more than an addition, with the
  /// database as it was. For a program that only reads, additions are differences too.
  package func run(declared: StoredSchema?) throws -> SQLSchema {
    try connection.beginSnapshot()
    let found: SQLSchema?
    do {
      found = try fitting(declared)
    } catch {
      connection.endRead()
      throw error
    }
    connection.endRead()
    if let found { return found }
    guard let declared else {
      throw StoreError(.cannotOpen, "the store is new, and no schema is declared for it")
    }
    if options.isReadOnly {
      throw StoreError(
        .schemaMismatch,
        "the store lacks entities or attributes that the program declares, and it is "
          + "read-only; open it once for writing")
    }
    try connection.beginWrite()
    do {
      let (schema, fillings) = try evolve(to: declared)
      try apply(fillings, schema)
      try connection.commit()
      return schema
    } catch {
      connection.rollback()
      throw error
    }
  }

  /// The layout of the database when nothing has to be done.
  private func fitting(_ declared: StoredSchema?) throws -> SQLSchema? {
    guard let (stored, hasChecksums) = try storedSchema() else { return nil }
    guard let program = declared else {
      return SQLSchema(
        declared: stored, kept: stored, hasChecksums: hasChecksums, verifiesRows: true)
    }
    let declared = program.keepingHistory(options, of: stored)
    if checksums, !hasChecksums, !options.isReadOnly { return nil }
    let changes = try SchemaComparison.compare(
      stored: stored, declared: declared, policy: options.schemaPolicy)
    guard changes.isEmpty, options.isReadOnly || changes.union == stored else { return nil }
    return SQLSchema(
      declared: declared, kept: stored, hasChecksums: hasChecksums, verifiesRows: checksums)
  }

  /// The schema that the store keeps, and whether its rows have checksums.
  private func storedSchema() throws -> (schema: StoredSchema, hasChecksums: Bool)? {
    guard try connection.hasTable(SQLNames.meta) else { return nil }
    let kept: String?
    let checksum: String?
    do {
      kept = try SQLSession.meta(SQLMeta.schema, connection, dialect)
      checksum = try SQLSession.meta(SQLMeta.checksum, connection, dialect)
    } catch var error as StoreError where dialect.isRefusedStatement(error) {
      // The table is not as this engine makes it.
      error.code = .corrupt
      throw error
    }
    guard let kept, checksum == nil || checksum == SQLMeta.checksum(ofSchema: kept),
      try isMarked(checksum != nil),
      let schema = try? JSONCoding.decode(StoredSchema.self, from: kept)
    else { throw StoreError(.corrupt, "the store's schema cannot be read") }
    return (schema, checksum != nil)
  }

  /// Returns whether the database has the mark of checksums if it should have it, and only then.
  private func isMarked(_ hasChecksums: Bool) throws -> Bool {
    guard let mark = dialect.checksumMark else { return true }
    let statement = try connection.statement(mark.query)
    defer { statement.rewind() }
    return try statement.step() && (statement.int64(at: 0) == mark.value) == hasChecksums
  }

  /// Makes the tables of an entity that is new to the store.
  private func create(_ table: SQLTable) throws {
    if try connection.hasTable(table.name) {
      throw StoreError(
        .corrupt, "the database has a table \(table.name) that the store's schema does not list",
        entity: table.entity.modelName)
    }
    for text in table.creations(dialect) { try connection.execute(text) }
  }

  /// Changes the tables; gives the layout, and what is to be changed in the rows then.
  private func evolve(to declared: StoredSchema) throws -> (SQLSchema, [StoreChange]) {
    let found = try storedSchema()
    let stored = found?.schema
    let declared = declared.keepingHistory(options, of: stored)
    if stored == nil {
      guard try connection.isEmpty() else {
        throw StoreError(
          .notADatabase,
          "the database has tables, but another program made them: it has no schema of a store")
      }
      try SQLSession.createMeta(connection, dialect)
    }
    let changes = try SchemaComparison.compare(
      stored: stored ?? StoredSchema(entities: []), declared: declared,
      policy: stored == nil ? .additive : options.schemaPolicy)
    let kept = changes.union
    let hadChecksums = found?.hasChecksums ?? false
    let hasChecksums = hadChecksums || checksums
    let before = SQLSchema(
      declared: stored ?? StoredSchema(entities: []), kept: stored ?? kept,
      hasChecksums: hadChecksums)
    let after = SQLSchema(
      declared: declared, kept: kept, hasChecksums: hasChecksums, verifiesRows: checksums)
    let known = Dictionary(
      uniqueKeysWithValues: before.keptTables.map { ($0.kept.name, $0) })
    var brokenRules: [StoreError] = []
    for table in after.keptTables {
      if let stored, stored[table.kept.name] != nil, let old = known[table.kept.name] {
        brokenRules += try change(old, into: table)
      } else {
        try create(table)
      }
    }
    if let error = StoreError.rowsBreaking(brokenRules) { throw error }
    let text = try JSONCoding.encode(kept)
    try SQLSession.setMeta(SQLMeta.schema, text, connection, dialect)
    if hasChecksums {
      try SQLSession.setMeta(
        SQLMeta.checksum, SQLMeta.checksum(ofSchema: text), connection, dialect)
    }
    if hasChecksums, !hadChecksums, let mark = dialect.checksumMark {
      try connection.execute(mark.set)
    }
    return (after, try changes.derivedFillings(declared))
  }

  /// Changes rows in the transaction that changes the tables.
  private func apply(_ changes: [StoreChange], _ schema: SQLSchema) throws {
    if changes.isEmpty { return }
    let session = SQLSession(connection, schema, dialect, options)
    let writer = SQLWriter(session) { _ in }
    do {
      for change in changes { _ = try writer.apply(change) }
    } catch {
      writer.end()
      throw error
    }
    writer.leave()
  }

  // MARK: One table

  /// Changes a table: what goes first, so that names are free, then what comes.
  ///
  /// Returns the new unique rules that rows break.
  private func change(_ old: SQLTable, into new: SQLTable) throws -> [StoreError] {
    let kept = Set(new.indexes.map(\.stored))
    for index in old.indexes where !kept.contains(index.stored) {
      if let text = old.removal(of: index, dialect) { try connection.execute(text) }
    }
    for (before, after) in zip(old.columns, new.columns) {
      if let folded = before.folded, after.folded == nil {
        try connection.execute(old.removal(ofFolded: folded, dialect))
      }
      if let elements = before.elements, after.elements == nil {
        for text in old.removal(ofElements: elements, dialect) { try connection.execute(text) }
      }
    }
    let added = new.columns.dropFirst(old.columns.count)
    // A timestamp is no default that a table could keep.
    var isRewritten = added.contains {
      !dialect.canAdd($0.stored) || $0.stored.computedDefault == .now
    }
    // A generated column that is stored cannot be added, and its expression cannot be changed.
    if new.checksum != nil, old.checksum == nil || !added.isEmpty { isRewritten = true }
    if isRewritten {
      try rewrite(old, into: new)
    } else {
      for column in added { try add(column, to: new) }
    }
    // With every column there, rows can be read whole.
    for (place, column) in new.columns.enumerated() {
      let before = place < old.columns.count ? old.columns[place] : nil
      if let folded = column.folded, before?.folded == nil, !isRewritten {
        try connection.execute(new.addition(ofFolded: folded, dialect))
        try connection.execute(
          "UPDATE \(dialect.quoted(new.name)) SET \(dialect.quoted(folded)) = "
            + "\(SQLFunction.fold.rawValue)(\(dialect.quoted(column.name)))"
            + intactClause(new))
      }
      guard let elements = column.elements else { continue }
      if before?.elements == nil {
        for text in new.creation(ofElements: column, dialect) { try connection.execute(text) }
        try fillElements(of: column, new)
      } else if isRewritten {
        try connection.execute(new.creation(ofCleaner: elements, dialect))
      }
    }
    let built = Set(old.indexes.map(\.stored))
    var brokenRules: [StoreError] = []
    for index in new.indexes {
      // Everything that belonged to the table was dropped with it.
      let isLost = isRewritten && new.elements(of: index) == nil
      if isLost || !built.contains(index.stored), let error = try build(index, new) {
        brokenRules.append(error)
      }
    }
    return brokenRules
  }

  /// Writes a table anew, with every column of `new`, under the old name.
  private func rewrite(_ old: SQLTable, into new: SQLTable) throws {
    let draft = dialect.quoted(SQLNames.draft(of: new.name))
    var names: [String] = []
    var values: [SQLText] = []
    for (place, column) in new.columns.enumerated() {
      let name = dialect.quoted(column.name)
      let value = column.stored.filling(at: now)
      let isOld = place < old.columns.count
      names.append(name)
      values.append(
        isOld ? SQLText(name) : "\(.constant(value, .stored(column.stored.type.kind)))")
      if let folded = column.folded {
        names.append(dialect.quoted(folded))
        values.append(
          isOld
            ? "\(sql: SQLFunction.fold.rawValue)(\(sql: name))" : "\(.constant(value, .folded))")
      }
    }
    try connection.execute(new.creation(dialect, named: SQLNames.draft(of: new.name)))
    try run(
      """
      INSERT INTO \(sql: draft) (\(sql: names.joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", ")) FROM \(sql: dialect.quoted(old.name)) \
      \(sql: intactClause(old))
      """)
    try connection.execute("DROP TABLE \(dialect.quoted(old.name))")
    try connection.execute("ALTER TABLE \(draft) RENAME TO \(dialect.quoted(new.name))")
  }

  /// The words that make a statement throw at a damaged row, whose damage it would hide.
  private func intactClause(_ table: SQLTable) -> String {
    table.intactRequirement(dialect).map { " WHERE \($0)" } ?? ""
  }

  private func run(_ text: SQLText) throws {
    let query = SQLQuery(text, dialect)
    let statement = try connection.statement(query.sql)
    defer { statement.rewind() }
    try statement.bindConstants(query)
    try statement.run()
  }

  private func add(_ column: SQLTable.Column, to table: SQLTable) throws {
    try connection.execute(table.addition(of: column, dialect))
    guard let value = column.stored.defaultValue, !value.isNull,
      !dialect.literal(SQLValue(storing: value, as: column.stored.type.kind)).isExact
    else { return }
    try run(
      """
      UPDATE \(sql: dialect.quoted(table.name)) SET \(sql: dialect.quoted(column.name)) = \
      \(.constant(value, .stored(column.stored.type.kind)))
      """)
  }

  /// Builds an index; returns an error where it is a unique rule that rows break.
  private func build(_ index: SQLTable.Index, _ table: SQLTable) throws -> StoreError? {
    guard let text = table.creation(of: index, dialect) else { return nil }
    do {
      try connection.execute(text)
      return nil
    } catch let error as StoreError where error.code == .duplicate {
      return StoreError.rowsBreaking(index.stored, of: table.kept)
    }
  }

  private func fillElements(of column: SQLTable.Column, _ table: SQLTable) throws {
    let rows = PreparedRows(table, dialect, connection)
    guard
      let elements = rows.queries.elements.first(where: {
        table.column($0.column) == column
      })
    else { return }
    let positions = table.places.indices
    var names = positions.map { dialect.quoted(table.column($0).name) }
    if let test = table.intactTest(dialect) { names.append(test) }
    let statement = try connection.statement(
      "SELECT \(names.joined(separator: ", ")) FROM \(dialect.quoted(table.name))")
    defer { statement.rewind() }
    var filler = Filler(rows: rows, elements: elements)
    _ = try statement.visitRows(rows.layout, &filler)
  }

  private struct Filler: RowVisitor {
    let rows: PreparedRows
    let elements: RowQueries.Elements

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      var values: [StoredValue] = []
      for column in 0..<row.columnCount { values.append(try row.value(at: column)) }
      try rows.insert(elements, values)
      return .next
    }
  }
}
