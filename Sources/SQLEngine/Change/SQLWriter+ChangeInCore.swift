internal import ORMStorage

/// Changes of many rows where the engine calls no functions: core finds the rows and computes their
/// values, and the database writes them by their keys.
extension SQLWriter {
  /// Deletes the rows that a request selects, by their keys; returns their number.
  func deleteByKeys(_ request: FetchRequest, _ table: SQLTable) throws -> Int {
    let keys = try self.keys(request, table)
    guard let list = keyList(of: table) else {
      let rows = try session.rows(table)
      for key in keys { try rows.delete(rows.values(withKey: key)) }
      return keys.count
    }
    for start in stride(from: 0, to: keys.count, by: list.capacity) {
      let batch = keys[start..<min(start + list.capacity, keys.count)].map { $0[0] }
      let shape = FetchShape(entity: request.shape.entity, condition: list.condition)
      _ = try session.change(ChangeKey(shape: shape))
        .run(FetchRequest(shape, bindings: [.array(batch)]))
    }
    return keys.count
  }

  /// The keys of the rows that a request selects.
  private func keys(_ request: FetchRequest, _ table: SQLTable) throws -> [[StoredValue]] {
    let shape = request.shape
    let keys = table.entity.key.map { Operand.attribute(table.entity.columns[$0].attribute) }
    var found = RowCollector()
    try visit(
      FetchRequest(
        FetchShape(
          entity: shape.entity, output: .values(keys), condition: shape.condition,
          sort: shape.isLimited ? shape.sort : [], isLimited: shape.isLimited),
        bindings: request.bindings, limit: request.limit, offset: request.offset), &found)
    return found.rows
  }

  /// A condition on a list of keys, its only parameter; nil where the database cannot test it.
  private func keyList(of table: SQLTable) -> (condition: Condition, capacity: Int)? {
    guard table.entity.key.count == 1, let position = table.entity.key.first else { return nil }
    let column = table.entity.columns[position]
    let kind = column.type.kind
    guard session.dialect.comparesEqual(kind, kind) else { return nil }
    let capacity = max(1, min(session.dialect.limits.listItems, 500))
    return (
      .isIn(
        .attribute(column.attribute), list: .parameterList(0, kind, capacity: capacity), []),
      capacity
    )
  }

  /// Assigns in one statement where it is exact, and else in core.
  func updateExactly(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], changesAll: Bool,
    _ table: SQLTable
  ) throws -> Int {
    if assignments.contains(where: { !fits($0, request, table) }) {
      return try updateInCore(request, assignments, table)
    }
    let change = try session.change(
      ChangeKey(shape: request.shape, assignments: assignments, changesAll: changesAll))
    guard change.plan.isExact else { return try updateInCore(request, assignments, table) }
    let selected = try changesAll ? nil : keys(request, table).count
    do {
      try undoingDuplicates(of: table) { _ = try change.run(request) }
    } catch let error as StoreError where error.code == .duplicate {
      // Rows may pass values to each other.
      return try updateInCore(request, assignments, table)
    }
    return selected ?? session.connection.changes
  }

  /// Runs writes that leave nothing behind if they throw, where the table has unique rules.
  private func undoingDuplicates(of table: SQLTable, _ body: () throws -> Void) throws {
    guard table.indexes.contains(where: \.stored.isUnique) else { return try body() }
    let changesBefore = changes
    try session.connection.beginSavepoint()
    do {
      try body()
    } catch {
      try undo(to: changesBefore)
      throw error
    }
    try session.connection.releaseSavepoint()
  }

  /// Reads the rows, computes what they become, and writes those that change.
  func updateInCore(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], _ table: SQLTable
  ) throws -> Int {
    let selected = try self.rows(request)
    let values = try self.values(assignments, of: selected, request, table)
    let rows = try session.rows(table)
    var changed: [(old: [StoredValue], new: [StoredValue])] = []
    for (row, values) in zip(selected, values) {
      let isWhole = table.places.count == table.entity.columns.count
      guard let old = isWhole ? row.values : try rows.select(row.values) else { continue }
      var new = old
      for (assignment, value) in zip(assignments, values) {
        let column = table.column(assignment.column).stored
        new[assignment.column] = try value.assigned(
          to: column, of: table.entity.modelName, limit: session.options.maximumValueSize)
      }
      if !zip(new, old).allSatisfy({ $0.isIdentical(to: $1) }) { changed.append((old, new)) }
    }
    do {
      try undoingDuplicates(of: table) {
        for row in changed { try rows.update(row.new, old: row.old) }
      }
    } catch let error as StoreError where error.code == .duplicate {
      // Rows may pass values to each other.
      for row in changed { try rows.delete(row.old) }
      for row in changed { try write(table, row.new) { try rows.insert(row.new) } }
    }
    return selected.count
  }

  /// The whole rows that a request selects.
  private func rows(_ request: FetchRequest) throws -> [BufferedRow] {
    let shape = request.shape
    var found = RowCollector()
    try visit(
      FetchRequest(
        FetchShape(
          entity: shape.entity, condition: shape.condition, sort: shape.sort,
          isLimited: shape.isLimited), bindings: request.bindings, limit: request.limit,
        offset: request.offset), &found)
    return found.rows.map { BufferedRow($0) }
  }

  /// The values that rows are assigned.
  private func values(
    _ assignments: [StoreChange.Assignment], of rows: [BufferedRow], _ request: FetchRequest,
    _ table: SQLTable
  ) throws -> [[StoredValue]] {
    let reader = batchReader
    let operands = try assignments.map { assignment in
      try CompiledOperand(assignment.value, entity: table.entity, schema: session.schema.declared)
        .bound(to: request.bindings, related: reader)
    }
    var result: [[StoredValue]] = []
    let size = 4_096
    for start in stride(from: 0, to: rows.count, by: size) {
      let batch = rows[start..<min(start + size, rows.count)]
      if assignments.contains(where: \.value.namesRelatedRows) {
        try reader?.prepare(batch) { row in
          for operand in operands { _ = try operand.evaluateForUpdate(row) }
        }
      }
      for row in batch {
        result.append(
          try zip(assignments, operands).map { assignment, operand in
            do {
              return try operand.evaluateForUpdate(row)
            } catch let error as StoreError where error.code == .overflow {
              throw error.filling(
                attributes: [table.column(assignment.column).stored.attribute])
            }
          })
      }
    }
    return result
  }
}

extension PreparedRows {
  /// A row that has nothing but a key, for statements that read no more.
  func values(withKey key: [StoredValue]) -> [StoredValue] {
    var values = Array(repeating: StoredValue.null, count: table.places.count)
    for (position, value) in zip(table.entity.key, key) { values[position] = value }
    return values
  }
}
