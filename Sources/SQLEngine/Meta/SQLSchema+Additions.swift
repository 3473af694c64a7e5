internal import ORMStorage

extension SQLSchema {
  /// An error of the code `corrupt` for each object that another program has added to the tables of
  /// the store, and that changes the meaning of statements over these.
  func additions(
    _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws -> [StoreError] {
    var entities: [String: String?] = [key(SQLNames.meta, dialect): nil]
    var own: Set<String> = []
    var names = [SQLNames.meta]
    for table in storedTables {
      let elements = table.elementColumns.compactMap(\.elements)
      for name in [table.name] + elements {
        names.append(name)
        entities[key(name, dialect)] = table.stored.modelName
      }
      own.formUnion(elements.map { dialect.quoted(SQLNames.cleaner(ofElements: $0)) })
      if MigrationEntity.isKeyList(table.stored) {
        let lister = SQLNames.lister(ofKeys: table.name)
        own.formUnion((["", "$all"] + SQLKeyLister.changes).map { dialect.quoted(lister + $0) })
      }
    }
    var found: [StoreError] = []
    for addition in try connection.additions(toTables: names) {
      guard let entity = entities[key(addition.table, dialect)],
        !own.contains(dialect.quoted(addition.name))
      else { continue }
      let name = addition.name.isEmpty ? "" : " " + addition.name
      found.append(
        StoreError(
          .corrupt,
          "the table \(addition.table) has a \(addition.kind)\(name) that the store has not made, so "
            + "that rows are not read and written as the program says: remove it",
          entity: entity))
    }
    return found
  }

  /// The form of a table's name in which names are compared: a dialect may shorten them, and databases may
  /// fold the case, by which no two of these names differ.
  private func key(_ name: String, _ dialect: any SQLDialect) -> String {
    SQLNames.folded(dialect.quoted(name))
  }
}
