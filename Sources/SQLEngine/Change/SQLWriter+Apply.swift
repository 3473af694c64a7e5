package import ORMStorage

/// Changes of many rows.
extension SQLWriter {
  package func apply(_ change: StoreChange) throws -> Int {
    try first { try last { try applyNow(change) } }
  }

  private func applyNow(_ change: StoreChange) throws -> Int {
    try checkOpen()
    switch change {
    case .clear(let entity): return try delete(FetchRequest(FetchShape(entity: entity)))
    case .delete(let request): return try delete(request)
    case .update(let request, let assignments):
      do {
        return try updateOrOverflow(request, assignments)
      } catch let error as StoreError
        where [.overflow, .tooLarge].contains(error.code) && error.entity == nil
      {
        throw error.filling(
          entity: try session.schema.table(request.shape.entity).entity.modelName)
      }
    }
  }

  /// Updates rows; gives the table overflow keys if a value is too long for an entry of an index.
  private func updateOrOverflow(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment]
  ) throws -> Int {
    let table = try session.schema.table(request.shape.entity)
    guard session.mayOverflow(table),
      assignments.contains(where: { assignment in
        let kind = SQLTable.elementType(table.column(assignment.column).stored).kind
        return session.dialect.mayOverflow(kind)
      })
    else { return try update(request, assignments) }
    var count = 0
    do {
      try undoing { count = try update(request, assignments) }
    } catch let error as StoreError where error.code == .tooLarge {
      try undoing {
        try session.overflow(table)
        count = try update(request, assignments)
      }
    }
    return count
  }

  private func delete(_ request: FetchRequest) throws -> Int {
    let table = try session.schema.table(request.shape.entity)
    // The greatest key may be about to go; it is never given out again.
    if table.entity.generatesKeys { try reserving { try keySource?.record(table) } }
    let rows = table.entity.generatesKeys && keySource == nil ? try session.rows(table) : nil
    let greatest = try rows?.greatestKey() ?? 0
    let change = try session.change(ChangeKey(shape: request.shape))
    let isAll =
      if case .constant(true) = request.shape.condition { !request.shape.isLimited } else { false }
    // A rule removes elements before the rows go, where a condition on elements would find none.
    let hasRule =
      !table.elementColumns.isEmpty
      && table.overflows(table.keyTerms(session.dialect), session.dialect)
    guard change.plan.isExact, isAll || !hasRule, !mayEndAlone else {
      let count = try deleteByKeys(request, table)
      if count > 0, let rows, try rows.greatestKey() < greatest {
        try session.recordKey(greatest, table)
      }
      return count
    }
    if isAll {
      // One statement for all is cheaper than the trigger, which works owner by owner.
      for column in table.elementColumns {
        guard let elements = column.elements else { continue }
        let table = session.dialect.quoted(table: elements)
        try session.connection.execute(session.dialect.deletion(from: table, as: nil))
      }
    }
    if !isAll { try commitWithNextStatement() }
    _ = try change.run(request)
    let count = session.connection.changes
    if count > 0, let rows, try rows.greatestKey() < greatest {
      try session.recordKey(greatest, table)
    }
    return count
  }

  private func update(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment]
  ) throws -> Int {
    let table = try session.schema.table(request.shape.entity)
    if assignments.isEmpty || mayEndAlone
      || assignments.contains(where: { table.column($0.column).elements != nil })
      // The engine works values out row by row, while it changes the rows.
      || assignments.contains(where: { assignment in
        assignment.value.relatedSteps.contains { $0.entity == request.shape.entity }
      }) || Self.goesRound(request, assignments)
    {
      return try updateRows(request, assignments, table)
    }
    let changesAll =
      !comparesRows || assignments.contains { self.changesAll($0, request, table) }
    if !session.evaluatesInEngine {
      return try updateExactly(request, assignments, changesAll: changesAll, table)
    }
    // Rows that are selected and stay as they are show in the count of calls alone.
    if !changesAll && !session.dialect.countsCalls {
      return try updateRows(request, assignments, table)
    }
    let key = ChangeKey(
      shape: request.shape, assignments: assignments,
      checksValues: assignments.contains { !fits($0, request, table) }, changesAll: changesAll)
    do {
      let change = try session.change(key)
      return try change.run(request) ?? session.connection.changes
    } catch let error as StoreError where error.code == .duplicate {
      // The statement has undone itself. Rows may pass values to each other.
      try checkOpen()
      return try updateRows(request, assignments, table)
    }
  }

  /// Returns whether an aggregate goes round a cycle, which core adds up.
  private static func goesRound(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment]
  ) -> Bool {
    request.shape.aggregatesRound || assignments.contains { $0.value.aggregatesRound }
  }

  /// Returns whether an assignment adds to a required integer, or takes from it, a number that is
  /// not 0, so that every result without overflow differs from the old value.
  func changesAll(
    _ assignment: StoreChange.Assignment, _ request: FetchRequest, _ table: SQLTable
  ) -> Bool {
    let column = table.column(assignment.column).stored
    guard column.type.kind == .int, !column.isOptional,
      case .arithmetic(let symbol, let left, let right) = assignment.value,
      symbol == .add || symbol == .subtract, left == .attribute(column.attribute)
    else { return false }
    switch right {
    case .value(.int(let step)): return step != 0
    case .parameter(let slot, _):
      guard request.bindings.indices.contains(slot), case .int(let step) = request.bindings[slot]
      else { return false }
      return step != 0
    default: return false
    }
  }

  /// Returns whether a bound value has exactly the kind that its column takes; true for computed values.
  func fits(
    _ assignment: StoreChange.Assignment, _ request: FetchRequest, _ table: SQLTable
  ) -> Bool {
    let column = table.column(assignment.column).stored
    let value: StoredValue
    switch assignment.value {
    case .value(let constant): value = constant
    case .parameter(let slot, _):
      guard request.bindings.indices.contains(slot) else { return false }
      value = request.bindings[slot]
    default: return true
    }
    let assigned = try? value.assigned(
      to: column, of: table.entity.modelName, limit: session.options.maximumValueSize,
      isConstant: true)
    return assigned?.isIdentical(to: value) ?? false
  }

  /// Reads the rows, computes their new values, deletes those that change and inserts them anew.
  func updateRows(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], _ table: SQLTable
  ) throws -> Int {
    if !session.evaluatesInEngine || Self.goesRound(request, assignments) {
      return try updateInCore(request, assignments, table)
    }
    let shape = request.shape
    // Each row as it is, then its new values.
    let width = table.entity.columns.count
    let columns = table.entity.columns.map { Operand.attribute($0.attribute) }
    let fetch = try session.assignedFetch(
      FetchShape(
        entity: shape.entity, output: .values(columns + assignments.map(\.value)),
        condition: shape.condition, sort: shape.sort, isLimited: shape.isLimited))
    var selected = ValueCollector()
    let names =
      table.entity.columns.map(\.attribute)
      + assignments.map { table.column($0.column).stored.attribute }
    let run = try FetchRun(session, fetch, request, related: nil, assigned: names)
    defer { run.close() }
    _ = try run.visit(&selected)
    let rows = try session.rows(table)
    var changed: [[StoredValue]] = []
    var check = StopCheck(every: 8)
    for values in selected.rows {
      try check.step()
      guard let old = try rows.select(values) else { continue }
      var new = old
      for (assignment, value) in zip(assignments, values.dropFirst(width)) {
        let column = table.column(assignment.column).stored
        new[assignment.column] = try value.assigned(
          to: column, of: table.entity.modelName, limit: session.options.maximumValueSize,
          isConstant: assignment.isConstant)
      }
      if !zip(new, old).allSatisfy({ $0.isIdentical(to: $1) }) { changed.append(new) }
    }
    for values in changed {
      try check.step()
      try rows.delete(values)
    }
    for values in changed {
      try check.step()
      try write(table, values) { try rows.insert(values) }
    }
    return selected.rows.count
  }
}
