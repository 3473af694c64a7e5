internal import ORMStorage

/// Puts that read each row first: where elements are stored, old rows are asked for, or a unique
/// rule was broken between the rows of an operation.
extension SQLWriter {
  /// Rows that are written only when all are known.
  private struct Pending {
    private(set) var rows: [(values: [StoredValue], isStored: Bool)] = []
    private var numbers = KeyTable()

    subscript(key: [StoredValue]) -> [StoredValue]? {
      numbers.position(of: key).map { rows[$0].values }
    }

    mutating func set(_ key: [StoredValue], _ values: [StoredValue], isStored: Bool) {
      let number = numbers.position(of: key, next: rows.count)
      if number < rows.count {
        rows[number].values = values
      } else {
        rows.append((values, isStored))
      }
    }
  }

  /// Reads, compares and writes row by row; `deferring`, every changed row is taken out before any
  /// is written again, so that rows may pass values to each other.
  func putRows<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, from source: inout S, to visitor: inout O,
    deferring: Bool
  ) throws {
    let rows = try session.rows(put.table)
    let mode = put.request.mode
    var pending = Pending()
    var check = StopCheck()
    while var values = try nextRow(of: put.table, from: &source) {
      try check.step()
      let isNew = try giveKey(&values, put)
      let key = put.table.entity.key.map { values[$0] }
      let waiting = pending[key]
      let old = isNew ? nil : try waiting ?? rows.select(values)
      let outcome: PutOutcome
      if let old {
        switch mode {
        case .insert: throw duplicateKey(put.table, values)
        case .insertMissing: outcome = .unchanged
        case .update, .upsert:
          let new = try merge(values, into: old, put)
          let isSame = zip(new, old).allSatisfy { $0.isIdentical(to: $1) }
          outcome = isSame ? .unchanged : .updated
          if !isSame {
            if put.request.reports.contains(.oldRows) {
              try report(&visitor, of: old, waiting: waiting != nil, rows)
            }
            if deferring {
              pending.set(key, new, isStored: waiting == nil)
            } else {
              try write(put.table, new) { try rows.update(new, old: old) }
            }
          }
        }
      } else {
        if mode == .update { throw notFound(put.table, values) }
        let new = try complete(values, put)
        outcome = .inserted
        if deferring {
          pending.set(key, new, isStored: false)
        } else {
          try write(put.table, new) { try rows.insert(new) }
        }
      }
      if put.request.reports.contains(.outcomes) {
        try visitor.didPut(outcome, key: integerKey(put.table, values))
      }
    }
    for row in pending.rows where row.isStored { try rows.delete(row.values) }
    for row in pending.rows {
      try write(put.table, row.values) { try rows.insert(row.values) }
    }
  }

  /// The values of the next row of a source, by the entity's columns; nil when there are no more.
  func nextRow<S: RowSource>(
    of table: SQLTable, from source: inout S
  ) throws -> [StoredValue]? {
    var row = RowBuilder(columnCount: table.entity.columns.count)
    guard try source.next(into: &row) else { return nil }
    for (column, value) in zip(table.entity.columns, row.values) {
      try value.checkSize(
        session.options.maximumValueSize, column.attribute, of: table.entity.modelName)
    }
    return row.values
  }

  /// Gives a row a key where the store makes them and the source gave none; true when it did.
  private func giveKey(
    _ values: inout [StoredValue], _ put: PreparedPut
  ) throws -> Bool {
    guard put.table.entity.generatesKeys, put.request.mode != .update else { return false }
    let position = put.table.entity.key[0]
    if case .int(let key) = values[position], key != 0 {
      keys.note(key, put.table)
      return false
    }
    values[position] = .int(try nextKey(put.table))
    return true
  }

  private func integerKey(_ table: SQLTable, _ values: [StoredValue]) -> Int64 {
    guard table.rowNumber != nil, case .int(let key) = values[table.entity.key[0]] else {
      return 0
    }
    return key
  }

  /// The row that is stored once `values` were put into `old`.
  private func merge(
    _ values: [StoredValue], into old: [StoredValue], _ put: PreparedPut
  ) throws -> [StoredValue] {
    var new = old
    for position in put.set where put.table.isReplaced(position) {
      if put.request.nilKeeps && values[position].isNull { continue }
      new[position] = values[position]
    }
    try checkRequired(new, put.table)
    return new
  }

  /// The full row that is stored when `values` are inserted.
  private func complete(
    _ values: [StoredValue], _ put: PreparedPut
  ) throws -> [StoredValue] {
    var new = put.table.columnIndexes.indices.map { position -> StoredValue in
      let isKey = put.table.entity.key.contains(position)
      if isKey { return values[position] }
      let other = put.table.column(position).stored.defaultValue ?? .null
      guard put.set.contains(position) else { return other }
      return put.request.nilKeeps && values[position].isNull ? other : values[position]
    }
    for position in put.table.entity.key { new[position] = values[position] }
    try checkRequired(new, put.table)
    return new
  }

  private func report<O: PutVisitor>(
    _ visitor: inout O, of old: [StoredValue], waiting: Bool, _ rows: PreparedRows
  ) throws {
    var teller = OldRowVisitor(visitor: visitor)
    if waiting {
      _ = try teller.visit(BufferedRow(old))
    } else {
      try rows.withRow(old, SQLRowLayout(rows.table.entity), &teller)
    }
    visitor = teller.visitor
  }

  /// Runs a write of one row and completes the error of one that breaks a rule.
  func write(
    _ table: SQLTable, _ values: [StoredValue], _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as StoreError where error.code == .duplicate {
      throw try brokenRule(error, table, values)
    } catch let error as StoreError where error.code == .tooLarge {
      throw error.filling(
        entity: table.entity.modelName, key: table.entity.key.map { values[$0] })
    }
  }
}
