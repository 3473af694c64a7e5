internal import ORMStorage

/// The statements that read and write one full row of a table by its key: a value, made by a pure
/// function of table and dialect.
///
/// Their parameters are columns of a full row.
package struct RowQueries: Sendable {
  /// The full row with a key, and the test of its checksum where it has one.
  package var select: SQLQuery
  /// Writes a row that is not there.
  package var insert: SQLQuery
  /// Writes a row that is there; nil when the key is all there is.
  package var update: SQLQuery?
  /// Removes a row.
  package var delete: SQLQuery
  /// The greatest key, for an entity that generates keys.
  package var greatestKey: SQLQuery?
  /// The statements that maintain the tables of elements.
  package var elements: [Elements]

  /// The statements that maintain one table of elements.
  package struct Elements: Sendable {
    /// The column of a full row that holds the array.
    package var column: Int
    /// Removes the elements of an owner.
    package var delete: SQLQuery
    /// Adds one element, which is the parameter of the array column, unless the owner has it and the
    /// statement can tell.
    package var insert: SQLQuery
  }

  /// Makes the statements of a table.
  package init(_ table: SQLTable, _ dialect: any SQLDialect) {
    let name = dialect.quoted(table: table.name)
    func quoted(_ position: Int) -> String { dialect.quoted(table.column(position).name) }
    func parameter(_ position: Int) -> SQLText {
      "\(.column(position, .stored(table.column(position).stored.type.kind)))"
    }
    func match(_ names: [String]) -> SQLText {
      zip(names, table.entity.key).map { "\(sql: $0) = \(parameter($1))" }.joined(
        separator: " AND ")
    }
    let all = Array(table.columnIndexes.indices)
    let key = match(table.entity.key.map(quoted))
    var names: [String] = []
    var values: [SQLText] = []
    var sets: [SQLText] = []
    for position in all {
      var parts = [(quoted(position), parameter(position))]
      if let folded = table.column(position).folded {
        parts.append((dialect.quoted(folded), "\(.column(position, .folded))"))
      }
      names += parts.map(\.0)
      values += parts.map(\.1)
      if table.isReplaced(position) {
        sets += parts.map { "\(sql: $0.0) = \($0.1)" as SQLText }
      }
    }
    let selected = all.map(quoted) + [table.intactTest(dialect)].compactMap(\.self)
    select = SQLQuery(
      "SELECT \(sql: selected.joined(separator: ", ")) FROM \(sql: name) WHERE \(key)", dialect)
    insert = SQLQuery(
      """
      INSERT INTO \(sql: name) (\(sql: names.joined(separator: ", "))) \
      VALUES (\(values.joined(separator: ", ")))
      """, dialect)
    update =
      sets.isEmpty
      ? nil
      : SQLQuery(
        "UPDATE \(sql: name) SET \(sets.joined(separator: ", ")) WHERE \(key)", dialect)
    func deletion(from table: String) -> String { dialect.deletion(from: table, as: nil) }
    delete = SQLQuery("\(sql: deletion(from: name)) WHERE \(key)", dialect)
    greatestKey =
      table.entity.generatesKeys
      ? SQLQuery("SELECT max(\(sql: quoted(table.entity.key[0]))) FROM \(sql: name)", dialect)
      : nil
    elements = all.compactMap { position in
      guard let elements = table.column(position).elements else { return nil }
      let element = SQLTable.elementType(table.column(position).stored)
      let owners = SQLTable.ownerNames(count: table.entity.key.count).map { dialect.quoted($0) }
      let columns = ([dialect.quoted(SQLTable.elementName)] + owners).joined(separator: ", ")
      let target = table.entries(
        of: table.elementTerms(of: table.column(position), dialect), isUnique: true, dialect
      ).map(\.text).joined(separator: ", ")
      let ending = dialect.supportsOnConflict ? " ON CONFLICT (\(target)) DO NOTHING" : ""
      let values = ["\(.column(position, .stored(element.kind)))"] + table.entity.key.map(parameter)
      return Elements(
        column: position,
        delete: SQLQuery(
          "\(sql: deletion(from: dialect.quoted(table: elements))) WHERE \(match(owners))", dialect),
        insert: SQLQuery(
          """
          INSERT INTO \(sql: dialect.quoted(table: elements)) (\(sql: columns)) \
          VALUES (\(values.joined(separator: ", ")))\(sql: ending)
          """, dialect))
    }
  }
}
