internal import ORMStorage

/// Errors of rows that cannot be written, with entity, attributes and values.
extension SQLWriter {
  /// Returns the error of row `row` of a source, which the engine refused or did not find.
  ///
  /// The source is rewound, to read the row again.
  func describe<S: RowSource>(
    _ error: StoreError, _ put: PreparedPut, row: Int, of source: inout S
  ) -> any Error {
    source.rewind()
    do {
      var values: [StoredValue] = []
      for _ in 0...row {
        guard let next = try nextRow(of: put.table, from: &source) else { return error }
        values = next
      }
      switch error.code {
      case .notFound: return notFound(put.table, values)
      case .duplicate:
        if try isUnseen(put.table, values) { return contended() }
        return duplicateKey(put.table, values, error.engineCode)
      case .missingValue:
        return missingValue(
          put.table,
          put.table.entity.columns.indices.filter { position in
            let column = put.table.entity.columns[position]
            let takesDefault = put.request.nilKeeps || !put.set.contains(position)
            return !column.isOptional && values[position].isNull
              && !put.table.entity.key.contains(position)
              && !(takesDefault && column.defaultValue?.isNull == false)
          }, error.engineCode, values)
      default:
        var error = error.filling(
          entity: put.table.entity.modelName, key: put.table.entity.key.map { values[$0] })
        if error.code == .invalidValue, error.engineCode != nil {
          error.message =
            "a value is not what its attribute takes; make the model's coding match its entity"
        }
        return error
      }
    } catch {
      return error
    }
  }

  func notFound(_ table: SQLTable, _ values: [StoredValue]) -> StoreError {
    StoreError(
      .notFound, "no row has this key", entity: table.entity.modelName,
      key: table.entity.key.map { values[$0] })
  }

  func duplicateKey(
    _ table: SQLTable, _ values: [StoredValue], _ engineCode: Int? = nil
  ) -> StoreError {
    duplicate(table, values, columns: table.entity.key, engineCode)
  }

  private func duplicate(
    _ table: SQLTable, _ values: [StoredValue], columns: [Int], _ engineCode: Int?
  ) -> StoreError {
    StoreError(
      .duplicate, "a row with these values exists already", entity: table.entity.modelName,
      key: table.entity.key.map { values[$0] },
      attributes: columns.map { table.column($0).stored.attribute },
      values: columns.map { values[$0] }, engineCode: engineCode)
  }

  /// Throws `missingValue` if a full row lacks a required value.
  func checkRequired(_ values: [StoredValue], _ table: SQLTable) throws {
    let missing = table.columnIndexes.indices.filter {
      !table.column($0).stored.isOptional && values[$0].isNull
    }
    if !missing.isEmpty { throw missingValue(table, missing, nil, values) }
  }

  private func missingValue(
    _ table: SQLTable, _ columns: [Int], _ engineCode: Int?, _ values: [StoredValue] = []
  ) -> StoreError {
    StoreError(
      .missingValue, "a required attribute has no value and no default",
      entity: table.entity.modelName,
      key: values.isEmpty ? [] : table.entity.key.map { values[$0] },
      attributes: columns.map { table.column($0).stored.attribute }, engineCode: engineCode)
  }

  /// Finds the unique rule that a full row breaks.
  func brokenRule(
    _ error: StoreError, _ table: SQLTable, _ values: [StoredValue]
  ) throws -> StoreError {
    for index in table.indexes where index.stored.isUnique {
      let columns = index.stored.terms.map { position(ofColumn: $0.column, table) }
      if table.elements(of: index) != nil {
        guard case .array(let elements) = values[columns[0]] else { continue }
        for element in elements where !element.isNull {
          var single = values
          single[columns[0]] = element
          if try isTaken(index, columns, table, single) {
            return duplicate(table, single, columns: columns, error.engineCode)
          }
        }
      } else if columns.allSatisfy({ !values[$0].isNull }),
        try isTaken(index, columns, table, values)
      {
        return duplicate(table, values, columns: columns, error.engineCode)
      }
    }
    if try isUnseen(table, values) { return contended() }
    return duplicate(table, values, columns: table.entity.key, error.engineCode)
  }

  /// Returns whether the row that another one was refused for is none that the transaction can see.
  ///
  /// If writers run together, one that began later or at the same time may have committed the row.
  private func isUnseen(_ table: SQLTable, _ values: [StoredValue]) throws -> Bool {
    if keySource == nil { return false }
    return try session.rows(table).select(values) == nil
  }

  private func position(ofColumn index: Int, _ table: SQLTable) -> Int {
    table.columnIndexes.firstIndex(of: index) ?? 0
  }

  /// Returns whether a row with another key has the same values in a unique index.
  private func isTaken(
    _ index: SQLTable.Index, _ columns: [Int], _ table: SQLTable, _ values: [StoredValue]
  ) throws -> Bool {
    let dialect = session.dialect
    let elements = table.elements(of: index)
    var tests: [SQLText] = []
    for (term, position) in zip(index.stored.terms, columns) {
      let column = table.column(position)
      switch term.form {
      case .value:
        tests.append(
          """
          \(sql: dialect.quoted(column.name)) = \
          \(.column(position, .stored(column.stored.type.kind)))
          """)
      case .caseFolded:
        tests.append(
          "\(sql: dialect.quoted(column.folded ?? column.name)) = \(.column(position, .folded))")
      case .elements:
        let kind = SQLTable.elementType(column.stored).kind
        tests.append(
          """
          \(sql: dialect.quoted(SQLTable.elementName)) = \(.column(position, .stored(kind)))
          """)
      }
    }
    let keys =
      elements == nil
      ? table.entity.key.map { table.column($0).name }
      : SQLTable.ownerNames(count: table.entity.key.count)
    let isSelf = zip(keys, table.entity.key).map { name, position -> SQLText in
      let kind = table.column(position).stored.type.kind
      return "\(sql: dialect.quoted(name)) = \(.column(position, .stored(kind)))"
    }
    let query = SQLQuery(
      """
      SELECT 1 FROM \(sql: dialect.quoted(table: elements ?? table.name)) WHERE \
      \(tests.chained(by: " AND ")) AND NOT (\(isSelf.joined(separator: " AND ")))
      """, dialect)
    let statement = try session.connection.statement(query.sql)
    defer { statement.rewind() }
    for parameter in query.parameters {
      guard case .column(let position, let form) = parameter.binding else { continue }
      try statement.bind(values[position], form, at: parameter.first)
    }
    return try statement.step()
  }
}
