internal import ORMStorage

/// The tables of dropped entities, which stay in the database under names that no program can give.
///
/// A drop reads none of their pages. The next opening that changes the schema removes them, and so does
/// the end of a migration of many transactions.
struct SQLHiddenTables {
  private let connection: any SQLConnection
  private let dialect: any SQLDialect

  init(_ connection: any SQLConnection, _ dialect: any SQLDialect) {
    self.connection = connection
    self.dialect = dialect
  }

  /// The names of the tables, in an order in which they can be removed.
  private func names() throws -> [String] {
    guard let text = try SQLSession.meta(SQLMeta.hiddenTables, connection, dialect) else {
      return []
    }
    guard let names = try? JSONCoding.decode([String].self, from: text) else {
      throw StoreError(.corrupt, "the store's list of dropped entities cannot be read")
    }
    return names
  }

  /// Hides tables with their tables of elements.
  func hide(_ tables: [SQLTable]) throws {
    if tables.isEmpty { return }
    var names = try names()
    for table in tables {
      for elements in table.elementColumns.compactMap(\.elements) {
        try connection.execute(table.removal(ofCleaner: elements, dialect))
        let unique = table.indexes.filter {
          $0.stored.isUnique && table.elements(of: $0) == elements
        }
        names.append(
          try hide(elements, [SQLNames.owners(ofElements: elements)] + unique.map(\.name)))
      }
      let indexes = table.indexes.filter { table.elements(of: $0) == nil }
      names.append(try hide(table.name, indexes.map(\.name)))
    }
    try SQLSession.setMeta(
      SQLMeta.hiddenTables, JSONCoding.encode(names), connection, dialect)
  }

  private func hide(_ table: String, _ indexes: [String]) throws -> String {
    var number = 1
    while try connection.hasTable(SQLNames.dropped(table, ordinal: number)) { number += 1 }
    let hidden = SQLNames.dropped(table, ordinal: number)
    try connection.execute(SQLTable.renaming(table, to: hidden, dialect))
    for (position, index) in indexes.enumerated() {
      let name = SQLNames.index("\(hidden)$\(position)")
      if try !connection.renameIndex(index, to: name) {
        try connection.execute(dialect.removal(ofIndex: index, on: hidden))
      }
    }
    return hidden
  }

  /// Removes the tables; returns false if there are none.
  func remove() throws -> Bool {
    let names = try names()
    if names.isEmpty { return false }
    for name in names {
      try connection.execute("DROP TABLE \(dialect.quoted(table: name))")
    }
    try SQLSession.removeMeta(SQLMeta.hiddenTables, connection, dialect)
    return true
  }
}
