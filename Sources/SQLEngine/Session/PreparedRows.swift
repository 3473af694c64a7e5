internal import ORMStorage

/// The statements for full rows of one table, prepared on one connection as they are needed.
package final class PreparedRows {
  let table: SQLTable
  let queries: RowQueries
  /// The layout of a full row: the declared columns, which requests count, then those that are not declared.
  let layout: SQLRowLayout
  private let connection: any SQLConnection
  private let dialect: any SQLDialect
  private var statements: [ExactText: any SQLStatement] = [:]

  init(_ table: SQLTable, _ dialect: any SQLDialect, _ connection: any SQLConnection) {
    self.table = table
    self.queries = RowQueries(table, dialect)
    self.connection = connection
    self.dialect = dialect
    layout = SQLRowLayout(
      entity: table.entity.modelName,
      columns: table.columnIndexes.indices.map { SQLRowLayout.Column(table.column($0).stored) },
      key: table.entity.key, intact: table.checksum == nil ? nil : table.columnIndexes.count)
  }

  /// The full row with the key of `values`; nil when there is none.
  func select(_ values: [StoredValue]) throws -> [StoredValue]? {
    var collector = ValueCollector(atMost: 1)
    try withRow(values, layout, &collector)
    return collector.rows.first
  }

  /// Hands the row with the key of `values` to a visitor, laid out as it asks.
  func withRow<V: RowVisitor>(
    _ values: [StoredValue], _ layout: SQLRowLayout, _ visitor: inout V
  ) throws {
    let statement = try bound(queries.select, values)
    defer { statement.rewind() }
    _ = try statement.visitRows(layout, &visitor)
  }

  func insert(_ values: [StoredValue]) throws {
    try run(queries.insert, values)
    for elements in queries.elements { try insert(elements, values) }
  }

  /// Writes a row over the one with its key, whose values are `old`.
  func update(_ values: [StoredValue], old: [StoredValue]) throws {
    guard let update = queries.update else { return }
    try run(update, values)
    for elements in queries.elements
    where !values[elements.column].isIdentical(to: old[elements.column]) {
      try run(elements.delete, values)
      try insert(elements, values)
    }
  }

  /// Removes the row with the key of `values`, and with it its elements.
  func delete(_ values: [StoredValue]) throws { try run(queries.delete, values) }

  /// Adds the different elements of a row's array.
  func insert(_ elements: RowQueries.Elements, _ values: [StoredValue]) throws {
    guard case .array(let array) = values[elements.column] else { return }
    var values = values
    var known = KeyTable()
    for (number, element) in array.enumerated() where !element.isNull {
      if !dialect.supportsOnConflict, known.position(of: [element], next: number) < number {
        continue
      }
      values[elements.column] = element
      try run(elements.insert, values)
    }
  }

  /// The greatest key in the table; 0 when that is less, or there is none.
  func greatestKey() throws -> Int64 {
    guard let query = queries.greatestKey else { return 0 }
    let statement = try bound(query, [])
    defer { statement.rewind() }
    return try statement.step() && !statement.isNull(at: 0) ? max(0, statement.int64(at: 0)) : 0
  }

  /// The greatest key in the table, as ``greatestKey()``, and the text that the engine has recorded under a
  /// name, by one statement.
  func greatestKey(recordedAs name: String) throws -> (key: Int64, recorded: String?) {
    guard let query = queries.greatestKey else { return (0, nil) }
    let dialect = dialect
    let statement = try statement(
      "SELECT (\(query.sql)), (SELECT \(dialect.quoted("value")) FROM "
        + "\(dialect.quoted(table: SQLNames.meta)) WHERE \(dialect.quoted("name")) = "
        + "\(dialect.placeholder(1)))")
    defer { statement.rewind() }
    try statement.bind(name, at: 1)
    guard try statement.step() else { return (0, nil) }
    return (statement.isNull(at: 0) ? 0 : max(0, statement.int64(at: 0)), statement.text(at: 1))
  }

  private func run(_ query: SQLQuery, _ values: [StoredValue]) throws {
    let statement = try bound(query, values)
    defer { statement.rewind() }
    try statement.run()
  }

  private func statement(_ sql: String) throws -> any SQLStatement {
    if let known = statements[sql] { return known }
    let statement = try connection.statement(sql)
    statements[sql] = statement
    return statement
  }

  private func bound(
    _ query: SQLQuery, _ values: [StoredValue]
  ) throws -> any SQLStatement {
    let statement = try statement(query.sql)
    for parameter in query.parameters {
      guard case .column(let position, let form) = parameter.binding else { continue }
      try statement.bind(values[position], form, at: parameter.first)
    }
    return statement
  }
}
