internal import FoundationEssentials
internal import ORMStorage

/// A set-based update of an intercepted entity.
///
/// Rules that are conditions are asked of the store in one request, with the assigned values
/// instead of the attributes. If only managed attributes remain, the same update assigns them
/// (`ManagedUpdate`). Where hooks or checks by code need rows, those that the
/// update selects are read before and after it, a list of keys at a time.
struct InterceptedUpdate {
  let interceptor: EntityInterceptor
  let request: FetchRequest
  let assignments: [StoreChange.Assignment]
  let writer: any StoreWriter
  let transaction: WriteTransaction
  /// The rows of changes that the layers beneath may use.
  let deltas: RowDeltas
  private var entity: StoredEntity { interceptor.entity }

  /// Updates; gives how many rows are concerned.
  func run() throws -> Int {
    if interceptor.typed == nil, !request.shape.isLimited {
      if interceptor.managed.isEmpty {
        try checkRules()
        return try writer.apply(.update(request, assignments))
      }
      let managed = ManagedUpdate(
        interceptor: interceptor, request: request, assignments: assignments, writer: writer,
        transaction: transaction)
      if let managed {
        try checkRules()
        if let count = try managed.run() { return count }
      }
    }
    return try updateRows()
  }

  /// Looks for a row that would break a rule.
  private func checkRules() throws {
    let assigned = Dictionary(
      assignments.map { (entity.columns[$0.column].attribute, $0.value) },
      uniquingKeysWith: { _, last in last })
    let rules = interceptor.rules.filter { rule in
      assignments.contains { rule.columns.contains($0.column) }
    }
    if rules.isEmpty { return }
    var bindings = request.bindings
    var unchanged: [Condition] = []
    for rule in rules {
      let condition = try rule.current().normalized().parameterized(into: &bindings)
      unchanged.append(
        condition.rewriting { operand in
          guard case .path(let path) = operand, path.scope == 0, path.names.count == 1 else {
            return nil
          }
          return assigned[path.names[0]]
        })
    }
    let operands = entity.columns.map { assigned[$0.attribute] ?? .attribute($0.attribute) }
    let broken = FetchRequest(
      FetchShape(
        entity: entity.name, output: .values(operands),
        condition: .all([request.shape.condition, .not(.all(unchanged))]), sort: request.shape.sort,
        isLimited: true), bindings: bindings, limit: 1)
    let rows = try writer.rows(of: broken)
    guard let row = rows.first else { return }
    // Nil breaks no rule: the update itself reports overflows, and missing values.
    let isNothing = assignments.contains {
      row[$0.column].isNull && !entity.columns[$0.column].isOptional
    }
    if isNothing { return }
    try interceptor.check(row, interceptor.boundRules(on: Set(assignments.map(\.column))))
  }

  // MARK: Row by row

  private func updateRows() throws -> Int {
    let rules = try interceptor.boundRules(on: nil)
    let managed = ManagedValues(
      interceptor: interceptor, now: transaction.store.runtime.now)
    let values = assignedValues
    let rows = try writer.rows(
      of: values == nil
        ? request.giving(.rows) : request.giving(.rows).limited(to: entity.partSize + 1))
    guard let values, rows.count > entity.partSize else {
      // All at once: few rows, or an assigned value reads others, or a unique rule holds for all together.
      let delta = delta(rows)
      let count = try deltas.offering(delta) {
        try writer.apply(.update(request, assignments))
      }
      try settle(delta, rules, managed)
      return count
    }
    let keys = try writer.keys(of: entity, in: request)
    for part in entity.parts(of: keys) {
      let before = delta(try writer.storedRows(of: entity, keys: part))
      let conditions = KeyLists(entity, entity.key).conditions(part)
      for condition in conditions {
        var list = FetchRequest(of: entity, condition: condition)
        let assignments = values.map {
          StoreChange.Assignment(
            column: $0.column, value: $0.value.parameterized(into: &list.bindings))
        }
        // The rows of the part are those of the change if it is made by one.
        _ = try deltas.offering(conditions.count == 1 ? before : nil) {
          try writer.apply(.update(list, assignments))
        }
      }
      try settle(before, rules, managed)
    }
    return keys.count
  }

  /// The assignments, with values instead of parameters.
  ///
  /// It is nil if updating the rows one list of keys after another may give another result.
  private var assignedValues: [StoreChange.Assignment]? {
    var written = Set(assignments.map(\.column)).union(interceptor.managed)
    if interceptor.hooks != nil { written.formUnion(interceptor.modelColumns) }
    let isUnique = entity.indexes.contains { index in
      index.isUnique && index.terms.contains { written.contains($0.column) }
    }
    guard !isUnique, assignments.allSatisfy(\.value.isOfOneRow) else { return nil }
    return assignments.map { assignment in
      StoreChange.Assignment(
        column: assignment.column,
        value: assignment.value.rewriting { operand in
          guard case .parameter(let slot, _) = operand, request.bindings.indices.contains(slot)
          else { return nil }
          return .value(request.bindings[slot])
        })
    }
  }

  /// The delta of whole rows.
  private func delta(_ rows: [[StoredValue]]) -> RowDelta {
    RowDelta(of: entity, columns: Array(entity.columns.indices), old: rows)
  }

  /// Runs hooks, managed attributes and rules on the rows that the update has changed.
  private func settle(
    _ delta: RowDelta, _ rules: [BoundRule], _ managed: ManagedValues
  ) throws {
    let after = try delta.new(in: writer)
    var changed: [(old: [StoredValue], stored: [StoredValue], new: [StoredValue])] = []
    for (old, stored) in zip(delta.old, after) {
      guard let stored else { continue }
      var row = stored
      managed.keep(old, in: &row, isChanged: false)
      guard !isSame(row, old) else {
        // Managed attributes may have been assigned by hand.
        if !isSame(stored, old) { changed.append((old, stored, old)) }
        continue
      }
      if let hooks = interceptor.hooks {
        row = try hooks.willUpdate(row, from: old, in: transaction)
        try entity.checkKey(of: row, madeByHookOf: old)
      }
      let failures = try interceptor.failures(of: row, old: old, in: transaction)
      managed.keep(old, in: &row, isChanged: true)
      try interceptor.check(row, rules, and: failures)
      changed.append((old, stored, row))
    }
    try write(changed.filter { !isSame($0.stored, $0.new) }.map(\.new))
    if let hooks = interceptor.hooks {
      for (old, _, new) in changed where !isSame(old, new) {
        try hooks.didUpdate(new, from: old, in: transaction)
      }
    }
  }

  /// Writes the rows that must differ from those of the update.
  private func write(_ rows: [[StoredValue]]) throws {
    if rows.isEmpty { return }
    let columns = Set(interceptor.modelColumns + entity.key).subtracting(interceptor.derived)
      .sorted()
    try writer.put(rows.map { row in columns.map { row[$0] } }, in: columns, of: entity, .update)
  }

  private func isSame(_ row: [StoredValue], _ other: [StoredValue]) -> Bool {
    zip(row, other).allSatisfy { $0.isIdentical(to: $1) }
  }
}

extension Operand {
  /// True if it is worked out of attributes of the row itself, and the same whenever that is done.
  fileprivate var isOfOneRow: Bool {
    switch self {
    case .value, .parameter: true
    case .path(let path): path.scope == 0 && path.names.count == 1
    case .arithmetic(_, let left, let right): left.isOfOneRow && right.isOfOneRow
    case .negated(let operand), .function(_, let operand), .element(let operand, _),
      .json(let operand, _):
      operand.isOfOneRow
    case .list(let operands): operands.allSatisfy(\.isOfOneRow)
    default: false
    }
  }
}
