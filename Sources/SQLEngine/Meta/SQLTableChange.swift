internal import FoundationEssentials
internal import ORMStorage

/// The change of one table from its old to its new form, column by column and index by index.
struct SQLTableChange {
  let old: SQLTable
  let new: SQLTable
  /// True if the table is written anew, under its new name and with all of its new columns.
  let isRewritten: Bool
  let connection: any SQLConnection
  let dialect: any SQLDialect
  /// Returns the timestamp that rows get in added columns whose default is the current time.
  let now: () -> Date
  /// The former column in `old` of each column of `new`; nil for one that is added.
  let columns: [SQLTable.Column?]
  /// The former index in `old` of each index of `new`; nil for one that is built.
  let indexes: [SQLTable.Index?]
  /// The columns that are dropped.
  private let removed: [SQLTable.Column]
  /// An added index that was built before, under the name of one that is being built.
  private let built: SchemaChanges.Part?

  /// The most columns that were dropped and are still in a table.
  private static let mostDroppedColumns = 16

  init(
    _ old: SQLTable, _ new: SQLTable, _ changes: SchemaChanges, connection: any SQLConnection,
    dialect: any SQLDialect, now: @escaping () -> Date, built: SchemaChanges.Part? = nil
  ) {
    self.built = built
    self.old = old
    self.new = new
    self.connection = connection
    self.dialect = dialect
    self.now = now
    let entity = new.stored.name
    columns = new.columns.map { column in
      changes.nameBefore(ofColumn: column.stored.name, in: entity).flatMap { name in
        old.columns.first { $0.stored.name == name }
      }
    }
    indexes = new.indexes.map { index in
      changes.nameBefore(ofIndex: index.stored.name, in: entity).flatMap { name in
        old.indexes.first { $0.stored.name == name }
      }
    }
    let remaining = Set(columns.compactMap { $0 })
    removed = old.columns.filter { !remaining.contains($0) }
    let keeps = dialect.columnRemoval == .hiding
    var isRewritten = false
    var hasAdded = false
    for (before, column) in zip(columns, new.columns) {
      if let before {
        if before.stored.isOptional != column.stored.isOptional, !keeps { isRewritten = true }
      } else {
        hasAdded = true
        // A timestamp is no default that a table could keep.
        if !dialect.canAdd(column.stored) || column.stored.computedDefault == .now {
          isRewritten = true
        }
      }
    }
    if !removed.isEmpty, dialect.columnRemoval == .rewriting { isRewritten = true }
    if old.dropped.count + removed.count > Self.mostDroppedColumns { isRewritten = true }
    // A generated column that is stored cannot be added, and its expression cannot be changed.
    if new.checksum != nil, old.checksum == nil || hasAdded { isRewritten = true }
    self.isRewritten = isRewritten
  }

  /// The columns of the table afterwards that were dropped.
  var droppedColumns: [SQLTable.DroppedColumn] {
    if isRewritten || dialect.columnRemoval != .hiding { return [] }
    return (old.dropped + removed.flatMap(hidden)).sorted {
      $0.ordinal ?? .max < $1.ordinal ?? .max
    }
  }

  /// The names under which a column that is dropped stays in the table, and its folded texts.
  private func hidden(_ column: SQLTable.Column) -> [SQLTable.DroppedColumn] {
    guard let ordinal = old.rowColumnNames.firstIndex(of: column.name) else { return [] }
    let name = SQLNames.dropped(column.name, ordinal: ordinal)
    let folded = column.folded.map { _ in SQLNames.folded(column: name) }
    return [.init(name: name, ordinal: ordinal)]
      + (folded.map { [.init(name: $0, ordinal: nil)] } ?? [])
  }

  /// The column that a column of `old` becomes; nil for one that is dropped.
  private func successor(of column: SQLTable.Column) -> SQLTable.Column? {
    columns.firstIndex(of: column).map { new.columns[$0] }
  }

  // MARK: Drops

  /// Drops the objects that the new table lacks, and those that are made again.
  func drop() throws {
    for index in old.indexes where !indexes.contains(index) || isLost(index) {
      guard let text = old.removal(of: index, dialect) else { continue }
      do {
        try connection.execute(text)
      } catch let error as StoreError where dialect.isRefusedStatement(error) {
        throw StoreError(
          .corrupt,
          "the schema that the store keeps names an index that is not there: \(index.name)",
          entity: old.stored.modelName)
      }
    }
    for column in old.columns {
      let after = successor(of: column)
      let isHidden = after == nil && dialect.columnRemoval == .hiding
      if let folded = column.folded, after?.folded == nil, !isRewritten, !isHidden {
        try connection.execute(old.removal(ofFolded: folded, dialect))
      }
      guard let elements = column.elements else { continue }
      if let other = after?.elements {
        if changesCleaner(elements, other) {
          try connection.execute(old.removal(ofCleaner: elements, dialect))
        }
      } else {
        for text in old.removal(ofElements: elements, dialect) { try connection.execute(text) }
      }
    }
    if isRewritten || dialect.columnRemoval != .dropping { return }
    for column in removed { try connection.execute(old.removal(of: column, dialect)) }
  }

  /// Returns whether an index of the table's own columns goes with the table that is written anew.
  private func isLost(_ index: SQLTable.Index) -> Bool {
    isRewritten && old.elements(of: index) == nil
  }

  private func changesCleaner(_ elements: String, _ other: String) -> Bool {
    isRewritten
      || old.creation(ofCleaner: elements, dialect) != new.creation(ofCleaner: other, dialect)
  }

  // MARK: Renames

  /// The renames of the table and of its tables of elements.
  var tableRenames: [SQLRename] {
    [SQLRename(old.name, new.name)] + elementPairs
  }

  private var elementPairs: [SQLRename] {
    zip(columns, new.columns).compactMap { before, after in
      guard let old = before?.elements, let new = after.elements else { return nil }
      return SQLRename(old, new)
    }
  }

  /// Renames columns, once the table has its new name, and allows and forbids nil in them.
  func renameColumns() throws {
    if isRewritten { return }
    var renames: [SQLRename] = []
    for (before, after) in zip(columns, new.columns) {
      guard let before else { continue }
      renames.append(SQLRename(before.name, after.name))
      if let old = before.folded, let new = after.folded { renames.append(SQLRename(old, new)) }
    }
    let keeps = dialect.columnRemoval == .hiding
    for column in removed where keeps {
      let names = [column.name] + (column.folded.map { [$0] } ?? [])
      renames += zip(names, hidden(column)).map { SQLRename($0, $1.name) }
    }
    for rename in SQLRename.ordered(renames) {
      try connection.execute(new.renaming(column: rename.from, to: rename.to, dialect))
    }
    for column in removed where keeps && !column.stored.isOptional {
      guard let name = hidden(column).first?.name else { continue }
      try connection.altering.setRequired(false, column.stored, named: name, in: new.name)
    }
    for (before, column) in zip(columns, new.columns) where keeps {
      guard let before, before.stored.isOptional != column.stored.isOptional else { continue }
      try connection.altering.setRequired(
        !column.stored.isOptional, column.stored, named: column.name, in: new.name)
    }
  }

  /// The renames of indexes that stay, and the indexes under their new names.
  var indexRenames: [(rename: SQLRename, index: SQLIndex)] {
    var renames: [(rename: SQLRename, index: SQLIndex)] = []
    for (before, after) in zip(indexes, new.indexes) {
      guard let before, !isLost(before), let index = new.made(after, dialect) else { continue }
      renames.append((SQLRename(before.name, after.name), index))
    }
    for pair in elementPairs {
      let rename = SQLRename(
        SQLNames.owners(ofElements: pair.from), SQLNames.owners(ofElements: pair.to))
      renames.append((rename, new.owners(ofElements: pair.to, dialect)))
    }
    return renames
  }

  // MARK: Additions

  /// Adds the new parts to the table, and returns the new unique rules that rows break.
  func complete() throws -> [StoreError] {
    if isRewritten {
      try rewrite()
    } else {
      for (before, column) in zip(columns, new.columns) where before == nil { try add(column) }
    }
    // With every column there, rows can be read whole.
    for (before, column) in zip(columns, new.columns) {
      if let folded = column.folded, before?.folded == nil, !isRewritten {
        try connection.execute(new.addition(ofFolded: folded, dialect))
        try fillFolds(of: column, folded)
      }
      guard let elements = column.elements else { continue }
      if let other = before?.elements {
        if changesCleaner(other, elements) {
          try connection.execute(new.creation(ofCleaner: elements, dialect))
        }
      } else {
        for text in new.creation(ofElements: column, dialect) { try connection.execute(text) }
        try fillElements(of: column)
      }
    }
    try completeOverflowKeys()
    return try zip(indexes, new.indexes).compactMap { before, index in
      if let before, !isLost(before) { return nil }
      return try build(index)
    }
  }

  /// Makes the indexes of overflow keys that are new, or went with a table that was written anew.
  private func completeOverflowKeys() throws {
    if !new.hasOverflowKeys { return }
    if isRewritten {
      for text in new.overflowCreations(dialect) { try connection.execute(text) }
      return
    }
    var known: Set<ExactText> = []
    for (index, before) in columns.enumerated() {
      guard let before, let column = old.columns.firstIndex(of: before) else { continue }
      let isKey = old.stored.key.contains(column)
      for form in [StoredIndex.Form.value, .caseFolded] {
        let isIndexed = old.indexes.contains {
          $0.stored.terms.contains { $0.column == column && $0.form == form }
        }
        guard isIndexed || isKey && form == .value else { continue }
        let name = form == .value ? new.columns[index].name : new.columns[index].folded
        if let name { known.insert(dialect.quoted(name)) }
      }
    }
    for text in new.overflowAdditions({ known.contains($0) }, dialect) {
      try connection.execute(text)
    }
  }

  private func add(_ column: SQLTable.Column) throws {
    try connection.execute(new.addition(of: column, dialect))
    guard let value = column.stored.defaultValue, !value.isNull,
      !dialect.literal(value, of: column.stored).isExact
    else { return }
    try run(
      """
      UPDATE \(sql: dialect.quoted(table: new.name)) SET \(sql: dialect.quoted(column.name)) = \
      \(.constant(value, .stored(column.stored.type.kind)))
      """)
  }

  /// Builds an index; returns an error where it is a unique rule that rows break.
  private func build(_ index: SQLTable.Index) throws -> StoreError? {
    guard let text = new.creation(of: index, dialect) else { return nil }
    let name = SQLNames.building(index: index.name)
    if built == .init(new.stored.name, index.stored.name),
      try connection.renameIndex(name, to: index.name)
    {
      return nil
    }
    do {
      try connection.execute(text)
      return nil
    } catch let error as StoreError where error.code == .duplicate {
      return StoreError.rowsBreaking(index.stored, of: new.stored)
    }
  }

  func run(_ text: SQLText) throws {
    let query = SQLQuery(text, dialect)
    let statement = try connection.statement(query.sql)
    defer { statement.rewind() }
    try statement.bindConstants(query)
    try statement.run()
  }

  /// The words that make a statement throw at a damaged row, whose damage it would hide.
  func intactClause(_ table: SQLTable) -> String {
    table.intactRequirement(dialect).map { " WHERE \($0)" } ?? ""
  }
}
