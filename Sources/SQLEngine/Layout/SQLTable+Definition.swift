internal import ORMStorage

/// The statements that make a table and its companions: indexes, and tables of elements.
extension SQLTable {
  /// Makes the table, or one like it of another name, without its indexes.
  package func creation(_ dialect: any SQLDialect, named other: String? = nil) -> String {
    var parts: [String] = []
    // Key columns first: before version 3.41, SQLite's integrity check of a table without row numbers
    // reports false nulls where another column stands among them.
    let order =
      rowNumber == nil
      ? stored.key + columns.indices.filter { !stored.key.contains($0) } : Array(columns.indices)
    for position in order {
      let column = columns[position]
      parts.append(
        Self.declaration(of: column, isRowNumber: position == rowNumber, dialect))
      if let folded = column.folded { parts.append(Self.foldedDeclaration(folded, dialect)) }
    }
    if let checksum = checksumDeclaration(dialect) { parts.append(checksum) }
    if rowNumber == nil, !primaryKey(dialect).isEmpty {
      parts.append("PRIMARY KEY (\(list(primaryKey(dialect), dialect)))")
    }
    return "CREATE TABLE \(dialect.quoted(table: other ?? name)) (\(parts.joined(separator: ", ")))"
      + dialect.tableEnding(hasRowNumbers: rowNumber != nil)
  }

  /// Adds a column that the table lacks.
  package func addition(of column: Column, _ dialect: any SQLDialect) -> String {
    "ALTER TABLE \(dialect.quoted(table: name)) ADD COLUMN "
      + Self.declaration(of: column, isRowNumber: false, dialect)
  }

  /// Adds the column of folded texts beside a column.
  package func addition(ofFolded folded: String, _ dialect: any SQLDialect) -> String {
    "ALTER TABLE \(dialect.quoted(table: name)) ADD COLUMN "
      + Self.foldedDeclaration(folded, dialect)
  }

  /// An index as the database has it; nil for elements that may repeat, which their table itself orders.
  ///
  /// - Parameter word: the word by which the database builds it outside of a transaction, under the name
  ///   of one that is being built; nil to build it at once.
  package func made(
    _ index: Index, _ dialect: any SQLDialect, online word: String? = nil
  ) -> SQLIndex? {
    let elements = elements(of: index)
    let isUnique = index.stored.isUnique
    if elements != nil && !isUnique { return nil }
    return SQLIndex(
      word == nil ? index.name : SQLNames.building(index: index.name), on: elements ?? name,
      entries(of: terms(of: index, dialect), isUnique: isUnique, dialect), isUnique: isUnique,
      onlineWord: word)
  }

  /// Makes an index; nil for one that ``made(_:_:online:)`` has not.
  package func creation(
    of index: Index, _ dialect: any SQLDialect, online word: String? = nil
  ) -> String? {
    made(index, dialect, online: word).map { dialect.creation(of: $0) }
  }

  /// Removes an index; nil for one that was not made.
  package func removal(of index: Index, _ dialect: any SQLDialect) -> String? {
    let elements = elements(of: index)
    if elements != nil && !index.stored.isUnique { return nil }
    return dialect.removal(ofIndex: index.name, on: elements ?? name)
  }

  /// Removes the column of folded texts beside a column.
  package func removal(ofFolded folded: String, _ dialect: any SQLDialect) -> String {
    "ALTER TABLE \(dialect.quoted(table: name)) DROP COLUMN \(dialect.quoted(folded))"
  }

  /// Makes a table of elements: one row for each different element of each owner, in the order of
  /// elements; by owner through an index; emptied with its owners by a trigger.
  package func creation(ofElements column: Column, _ dialect: any SQLDialect) -> [String] {
    guard let elements = column.elements else { return [] }
    let element = StoredColumn(elements, Self.elementType(column.stored))
    var parts = [
      dialect.declaration(
        of: element, named: dialect.quoted(Self.elementName), isRowNumber: false)
    ]
    let owners = Self.ownerNames(count: stored.key.count)
    for (position, owner) in zip(stored.key, owners) {
      parts.append(
        dialect.declaration(
          of: columns[position].stored, named: dialect.quoted(owner), isRowNumber: false))
    }
    if !overflows(elementTerms(of: column, dialect), dialect) {
      parts.append("PRIMARY KEY (\(list([Self.elementName] + owners, dialect)))")
    }
    return [
      "CREATE TABLE \(dialect.quoted(table: elements)) (\(parts.joined(separator: ", ")))"
        + dialect.tableEnding(hasRowNumbers: false),
      dialect.creation(of: self.owners(ofElements: elements, dialect)),
      creation(ofCleaner: elements, dialect),
    ] + overflowCreations(ofElements: column, dialect)
  }

  /// The index of a table of elements by their owners.
  func owners(ofElements elements: String, _ dialect: any SQLDialect) -> SQLIndex {
    SQLIndex(
      SQLNames.owners(ofElements: elements), on: elements,
      entries(of: ownerTerms(dialect), isUnique: false, dialect))
  }

  /// Makes the trigger that empties a table of elements with its owners; it goes with their table.
  package func creation(ofCleaner elements: String, _ dialect: any SQLDialect) -> String {
    dialect.creation(of: cleaner(ofElements: elements, dialect))
  }

  /// Removes a column.
  package func removal(of column: Column, _ dialect: any SQLDialect) -> String {
    "ALTER TABLE \(dialect.quoted(table: name)) DROP COLUMN \(dialect.quoted(column.name))"
  }

  /// Removes a table of elements.
  package func removal(ofElements elements: String, _ dialect: any SQLDialect) -> [String] {
    [removal(ofCleaner: elements, dialect), "DROP TABLE \(dialect.quoted(table: elements))"]
  }

  /// Removes the trigger that empties a table of elements.
  package func removal(ofCleaner elements: String, _ dialect: any SQLDialect) -> String {
    dialect.removal(of: cleaner(ofElements: elements, dialect))
  }

  /// The trigger that empties a table of elements.
  func cleaner(ofElements elements: String, _ dialect: any SQLDialect) -> SQLCleaner {
    SQLCleaner(
      name: SQLNames.cleaner(ofElements: elements), elements: elements,
      owners: Self.ownerNames(count: stored.key.count), table: name,
      key: keyColumns.map(\.name), hasOverflowKeys: overflows(keyTerms(dialect), dialect))
  }

  /// Removes everything, the table last.
  package func removals(_ dialect: any SQLDialect) -> [String] {
    elementColumns.flatMap { removal(ofElements: $0.elements ?? "", dialect) }
      + ["DROP TABLE \(dialect.quoted(table: name))"]
  }

  /// Gives a table another name.
  package static func renaming(
    _ name: String, to newName: String, _ dialect: any SQLDialect
  ) -> String {
    "ALTER TABLE \(dialect.quoted(table: name)) RENAME TO \(dialect.quoted(newName))"
  }

  /// Gives a column of the table another name.
  package func renaming(
    column: String, to newName: String, _ dialect: any SQLDialect
  ) -> String {
    "ALTER TABLE \(dialect.quoted(table: name)) RENAME COLUMN \(dialect.quoted(column)) "
      + "TO \(dialect.quoted(newName))"
  }

  /// Everything, for a table that does not exist.
  package func creations(_ dialect: any SQLDialect) -> [String] {
    [creation(dialect)] + overflowCreations(dialect)
      + elementColumns.flatMap { creation(ofElements: $0, dialect) }
      + indexes.compactMap { creation(of: $0, dialect) }
  }

  /// The table of elements that an index is about; nil for one of the table's own columns.
  package func elements(of index: Index) -> String? {
    guard let term = index.stored.terms.first, term.form == .elements else { return nil }
    return columns[term.column].elements
  }

  /// The name of the column of elements in a table of elements.
  package static let elementName = "element"

  /// The names of the columns of the owner's key in a table of elements.
  package static func ownerNames(count: Int) -> [String] {
    count == 1 ? ["owner"] : (1...count).map { "owner\($0)" }
  }

  private static func declaration(
    of column: Column, isRowNumber: Bool, _ dialect: any SQLDialect
  ) -> String {
    var text = dialect.declaration(
      of: column.stored, named: dialect.quoted(column.name), isRowNumber: isRowNumber)
    if let value = column.stored.defaultValue, !value.isNull {
      let literal = dialect.literal(value, of: column.stored)
      text += " DEFAULT \(literal.text)"
    }
    return text
  }

  /// The declarations of a column and of its folded texts by name, as a database tells them
  /// (``SQLTableLayout``).
  func declarations(
    of column: Column, _ dialect: any SQLDialect
  ) -> [(name: String, declaration: String)] {
    func plain(_ stored: StoredColumn) -> String {
      let text = dialect.declaration(of: stored, named: "", isRowNumber: false)
      let end = text.firstRange(of: " CHECK (")?.lowerBound ?? text.endIndex
      return String(text[..<end].drop { $0 == " " })
    }
    return [(column.name, plain(column.stored))]
      + (column.folded.map { [($0, plain(StoredColumn($0, .string, isOptional: true)))] } ?? [])
  }

  /// The names of the primary key's columns; empty for a table whose key is an overflow key.
  func primaryKey(_ dialect: any SQLDialect) -> [String] {
    rowNumber == nil && overflows(keyTerms(dialect), dialect) ? [] : keyColumns.map(\.name)
  }

  private static func foldedDeclaration(_ name: String, _ dialect: any SQLDialect) -> String {
    dialect.declaration(
      of: StoredColumn(name, .string, isOptional: true), named: dialect.quoted(name),
      isRowNumber: false)
  }

  private func list(_ names: [String], _ dialect: any SQLDialect) -> String {
    names.map { dialect.quoted($0) }.joined(separator: ", ")
  }
}
