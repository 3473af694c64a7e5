internal import ORMStorage

/// Changes of many rows where the engine calls no functions: core finds the rows and computes their
/// values, and the database writes them by their keys.
extension SQLWriter {
  /// Deletes the rows that a request selects, by their keys; returns their number.
  func deleteByKeys(_ request: FetchRequest, _ table: SQLTable) throws -> Int {
    let keys = try self.keys(request, table)
    var check = StopCheck(every: 8)
    guard let list = keyList(of: table) else {
      let rows = try session.rows(table)
      for key in keys {
        try check.step()
        try rows.delete(rows.values(withKey: key))
      }
      return keys.count
    }
    for start in stride(from: 0, to: keys.count, by: list.capacity) {
      try check.step()
      let batch = keys[start..<min(start + list.capacity, keys.count)].map { $0[0] }
      let shape = FetchShape(entity: request.shape.entity, condition: list.condition)
      _ = try session.change(ChangeKey(shape: shape))
        .run(FetchRequest(shape, bindings: [.array(batch)]))
    }
    return keys.count
  }

  /// The number of rows that a request selects.
  private func count(_ request: FetchRequest, _ table: SQLTable) throws -> Int {
    // A page is one of keys.
    if request.shape.isLimited { return try keys(request, table).count }
    let found = try rows(
      of: FetchRequest(
        FetchShape(
          entity: request.shape.entity, output: .aggregates([Aggregate(.count)]),
          condition: request.shape.condition), bindings: request.bindings))
    guard case .int(let count)? = found.first?.first else { return 0 }
    return Int(count)
  }

  /// The keys of the rows that a request selects.
  private func keys(_ request: FetchRequest, _ table: SQLTable) throws -> [[StoredValue]] {
    let shape = request.shape
    let keys = table.entity.key.map { Operand.attribute(table.entity.columns[$0].attribute) }
    return try rows(
      of: FetchRequest(
        FetchShape(
          entity: shape.entity, output: .values(keys), condition: shape.condition,
          sort: shape.isLimited ? shape.sort : [], isLimited: shape.isLimited),
        bindings: request.bindings, limit: request.limit, offset: request.offset))
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
    let counts = try change.counts(request)
    if let counts, counts.tooLarge > 0 { return try updateInCore(request, assignments, table) }
    let selected = try counts?.selected ?? (changesAll ? nil : count(request, table))
    do {
      try undoingFaults(of: table, assignments) {
        try commitWithNextStatement()
        _ = try change.run(request)
      }
    } catch let error as StoreError where [.duplicate, .missingValue].contains(error.code) {
      // Rows may pass values to each other; and core names the row that lacks a value.
      return try updateInCore(request, assignments, table)
    }
    return selected ?? session.connection.changes
  }

  /// Runs writes that leave nothing behind if they throw, where a row may break a rule.
  private func undoingFaults(
    of table: SQLTable, _ assignments: [StoreChange.Assignment] = [], _ body: () throws -> Void
  ) throws {
    let mayLackValues = assignments.contains { assignment in
      assignment.value.namesRelatedRows && !table.column(assignment.column).stored.isOptional
    }
    guard mayLackValues || table.indexes.contains(where: \.stored.isUnique) else {
      return try body()
    }
    let before = mark
    try session.connection.beginSavepoint()
    do {
      try body()
    } catch {
      try undo(to: before)
      throw error
    }
    try session.connection.releaseSavepoint()
  }

  /// Reads the rows, computes their new values, and writes those that change.
  func updateInCore(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], _ table: SQLTable
  ) throws -> Int {
    let selected = try self.rows(request)
    let values = try self.values(assignments, of: selected, request, table)
    let columns = assignments.map(\.column)
    var changed: [Changed] = []
    for (row, values) in zip(selected, values) {
      var new = row.values
      for (assignment, value) in zip(assignments, values) { new[assignment.column] = value }
      if !zip(new, row.values).allSatisfy({ $0.isIdentical(to: $1) }) {
        changed.append(Changed(old: row.values, new: new))
      }
    }
    if !columns.contains(where: table.entity.key.contains) {
      do {
        try undoingFaults(of: table) { try overwrite(changed, columns, table) }
        return selected.count
      } catch let error as StoreError where error.code == .duplicate {
        // Rows may pass values to each other.
      }
    }
    let rows = try session.rows(table)
    let whole = try changed.compactMap { try self.whole($0, columns, table) }
    var check = StopCheck(every: 8)
    for row in whole {
      try check.step()
      try rows.delete(row.old)
    }
    for row in whole {
      try check.step()
      try write(table, row.new) { try rows.insert(row.new) }
    }
    return selected.count
  }

  /// A row as it is and as it becomes.
  private struct Changed {
    var old: [StoredValue]
    var new: [StoredValue]
  }

  /// The row with the columns that the program does not declare; nil where it is gone.
  private func whole(_ row: Changed, _ columns: [Int], _ table: SQLTable) throws -> Changed? {
    if table.columnIndexes.count == table.entity.columns.count { return row }
    guard let old = try session.rows(table).select(row.old) else { return nil }
    var new = old
    for column in columns { new[column] = row.new[column] }
    return Changed(old: old, new: new)
  }

  /// Writes rows over those with their keys, which do not change.
  private func overwrite(_ changed: [Changed], _ columns: [Int], _ table: SQLTable) throws {
    let put = try session.put(
      PutRequest(
        entity: table.entity.name, mode: .update,
        columns: Set(table.entity.key + columns).sorted()))
    if changed.count > 1, let batch = put.batch {
      var source = ChangedRows(rows: changed.map(\.new), columns: put.set, entity: table.entity)
      var visitor = NoOutcomes()
      do {
        return try putBatches(put, batch, from: &source, to: &visitor)
      } catch is BatchRefusal {}
    }
    let rows = try session.rows(table)
    var check = StopCheck(every: 8)
    for row in changed {
      try check.step()
      if let row = try whole(row, columns, table) { try rows.update(row.new, old: row.old) }
    }
  }

  /// The whole rows that a request selects.
  private func rows(_ request: FetchRequest) throws -> [BufferedRow] {
    let shape = request.shape
    let found = try rows(
      of: FetchRequest(
        FetchShape(
          entity: shape.entity, condition: shape.condition, sort: shape.sort,
          isLimited: shape.isLimited), bindings: request.bindings, limit: request.limit,
        offset: request.offset))
    return found.map { BufferedRow($0) }
  }

  /// Returns the values that rows are assigned.
  ///
  /// The first row at fault throws, for any kind of fault.
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
    var check = StopCheck()
    for start in stride(from: 0, to: rows.count, by: size) {
      let batch = rows[start..<min(start + size, rows.count)]
      if assignments.contains(where: \.value.namesRelatedRows) {
        try reader.prepare(batch) { row in
          for operand in operands { _ = try operand.evaluateForUpdate(row) }
        }
      }
      for row in batch {
        try check.step()
        result.append(
          try zip(assignments, operands).map { assignment, operand in
            let column = table.column(assignment.column).stored
            do {
              return try operand.evaluateForUpdate(row).assigned(
                to: column, of: table.entity.modelName, limit: session.options.maximumValueSize,
                isConstant: operand.isConstant)
            } catch let error as StoreError where error.code == .overflow {
              throw error.filling(attributes: [column.attribute])
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
    var values = Array(repeating: StoredValue.null, count: table.columnIndexes.count)
    for (position, value) in zip(table.entity.key, key) { values[position] = value }
    return values
  }
}

/// Gives some columns of whole rows to a put.
private struct ChangedRows: RowSource {
  let rows: [[StoredValue]]
  let columns: [Int]
  let entity: StoredEntity
  private var position = 0

  init(rows: [[StoredValue]], columns: [Int], entity: StoredEntity) {
    self.rows = rows
    self.columns = columns
    self.entity = entity
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard position < rows.count else { return false }
    for column in columns {
      try row.set(value: rows[position][column], at: column, type: entity.columns[column].type)
    }
    position += 1
    return true
  }

  mutating func rewind() { position = 0 }
}

/// A visitor that ignores outcomes.
private struct NoOutcomes: PutVisitor {
  mutating func didPut(_ outcome: PutOutcome, key: Int64) {}
  mutating func didRewind() {}
}
