internal import FoundationEssentials
internal import ORMCore

/// A set-based update of an entity that is guarded.
///
/// Rules that are conditions are asked of the store in one request, with what is assigned in the
/// place of the attributes. Where hooks, checks by code or kept attributes need rows, those that the
/// update selects are read before and after it.
struct GuardedUpdate {
  let entityGuard: EntityGuard
  let request: FetchRequest
  let assignments: [StoreChange.Assignment]
  let writer: any StoreWriter
  let transaction: WriteTransaction
  private var entity: StoredEntity { entityGuard.entity }

  /// Updates; gives how many rows are concerned.
  func run() throws -> Int {
    if entityGuard.typed == nil, entityGuard.kept.isEmpty, !request.shape.isLimited {
      try checkRules()
      return try writer.apply(.update(request, assignments))
    }
    return try updateRows()
  }

  /// Looks for a row that would break a rule.
  private func checkRules() throws {
    let assigned = Dictionary(
      assignments.map { (entity.columns[$0.column].attribute, $0.value) },
      uniquingKeysWith: { _, last in last })
    let rules = entityGuard.rules.filter { rule in
      assignments.contains { rule.columns.contains($0.column) }
    }
    if rules.isEmpty { return }
    var bindings = request.bindings
    var kept: [Condition] = []
    for rule in rules {
      let condition = try rule.current().normalized().parameterized(into: &bindings)
      kept.append(
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
        condition: .all([request.shape.condition, .not(.all(kept))]), sort: request.shape.sort,
        isLimited: true), bindings: bindings, limit: 1)
    var visitor = ValueCollector()
    try writer.visit(broken, &visitor)
    guard let row = visitor.rows.first else { return }
    try entityGuard.check(row, entityGuard.boundRules(on: Set(assignments.map(\.column))))
  }

  private func updateRows() throws -> Int {
    var visitor = ValueCollector()
    try writer.visit(request.giving(.rows), &visitor)
    let before = visitor.rows
    let count = try writer.apply(.update(request, assignments))
    let after = try writer.wholeRows(of: entity, keys: before.map { entity.keyValues(of: $0) })
    let rules = try entityGuard.boundRules(on: nil)
    let kept = KeptValues(entityGuard: entityGuard, now: Date())
    var changed: [(old: [StoredValue], new: [StoredValue])] = []
    for old in before {
      let key = entity.keyValues(of: old)
      guard var row = after[GroupKey(key)] else { continue }
      kept.keep(old, in: &row, isChanged: false)
      guard !isSame(row, old) else {
        // What is kept may have been assigned by hand.
        if let stored = after[GroupKey(key)], !isSame(stored, old) { changed.append((old, old)) }
        continue
      }
      var failures: [StoreError] = []
      if let typed = entityGuard.typed {
        if typed.hasHooks {
          row = try typed.willUpdate(row, from: old, in: transaction)
          guard GroupKey(entity.keyValues(of: row)) == GroupKey(key) else {
            throw StoreError(
              .invalidValue, "a hook changed the primary key", entity: entity.modelName, key: key)
          }
        }
        if typed.hasChecks { failures = try typed.failures(of: row, old: old, in: transaction) }
      }
      kept.keep(old, in: &row, isChanged: true)
      try entityGuard.check(row, rules, and: failures)
      changed.append((old, row))
    }
    try write(changed.map(\.new), after)
    if let typed = entityGuard.typed, typed.hasHooks {
      for (old, new) in changed where !isSame(old, new) {
        try typed.didUpdate(new, from: old, in: transaction)
      }
    }
    return count
  }

  /// Writes what is to be other than the update made it.
  private func write(_ rows: [[StoredValue]], _ stored: [GroupKey: [StoredValue]]) throws {
    let rows = rows.filter { row in
      stored[GroupKey(entity.keyValues(of: row))].map { !isSame($0, row) } ?? false
    }
    if rows.isEmpty { return }
    let columns = Set(entityGuard.modelColumns + entity.key).subtracting(entityGuard.derived)
      .sorted()
    var put = PutRequest(entity: entity.name, mode: .update)
    put.columns = columns
    var source = ValueSource(
      rows.map { row in columns.map { row[$0] } }, columns: columns, entity: entity)
    var visitor = IgnoringVisitor()
    try writer.put(put, from: &source, to: &visitor)
  }

  private func isSame(_ row: [StoredValue], _ other: [StoredValue]) -> Bool {
    zip(row, other).allSatisfy { $0.isIdentical(to: $1) }
  }
}

/// A delete of rows whose model has hooks or checks for it.
struct GuardedDelete {
  let entityGuard: EntityGuard
  let typed: any TypedGuard
  let writer: any StoreWriter
  let transaction: WriteTransaction

  /// Deletes what a request selects by a change; gives how many rows were there.
  func run(_ request: FetchRequest, _ change: StoreChange) throws -> Int {
    var visitor = ValueCollector()
    try writer.visit(request.giving(.rows), &visitor)
    for row in visitor.rows {
      if typed.hasHooks { try typed.willDelete(row, in: transaction) }
      let failures =
        typed.checksDeletes ? try typed.deleteFailures(of: row, in: transaction) : []
      try entityGuard.check(row, [], and: failures)
    }
    let count = try writer.apply(change)
    if typed.hasHooks {
      for row in visitor.rows { try typed.didDelete(row, in: transaction) }
    }
    return count
  }
}
