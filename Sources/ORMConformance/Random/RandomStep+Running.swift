internal import ORM
internal import ORMCore
internal import ORMObservation

/// An error that undoes the transaction around; thrown by the steps themselves, never by a store.
struct RandomUndo: Error {}

extension RandomStep {
  /// Runs the step in a transaction of a store; returns counts and the result of the operation.
  func run(
    _ transaction: WriteTransaction, _ entity: EntityDescription
  ) throws -> [[StoredValue]] {
    switch self {
    case .put(let mode, let rows):
      let rows = rows.map { DynamicRow("Row", $0) }
      switch mode {
      case .insert: return [try transaction.insert(rows).list]
      case .update: return [try transaction.update(rows).list]
      case .upsert, .insertMissing: return [try transaction.save(rows).list]
      }
    case .save(let save):
      return entity.key.isEmpty
        ? [try transaction.insert(save.rows.map(HiddenRow.init)).list]
        : try save.run(transaction, entity)
    case .match(let save):
      return entity.key.isEmpty
        ? try save.run(transaction, HiddenRow.self) : try save.run(transaction, KeyedRow.self)
    case .patch(let patch): return [[.int(Int64(try patch.run(transaction, entity)))]]
    case .change(let selection, let changes):
      return [[.int(Int64(try transaction.update(selection.query, changes)))]]
    case .delete(let selection):
      if selection.isFirst {
        let limit = min(selection.limit ?? 1, 1)
        let count =
          entity.key.isEmpty
          ? try transaction.delete(selection.typed(HiddenRow.self).limit(limit))
          : try transaction.delete(selection.typed(KeyedRow.self).limit(limit))
        return [[.int(Int64(count))]]
      }
      return [[.int(Int64(try transaction.delete(selection.query)))]]
    case .deleteKeys(let keys):
      let keys = keys.map { RandomKey(keyValues: $0) }
      if keys.count == 1 {
        return [[.int(try transaction.delete(KeyedRow.self, id: keys[0]) ? 1 : 0)]]
      }
      return [[.int(Int64(try transaction.delete(KeyedRow.self, ids: keys)))]]
    case .deleteAll: return [[.int(Int64(try transaction.deleteAll(entity: "Row")))]]
    case .ask(let request): return try request.ask(transaction, entity)
    case .savepoint, .transaction, .reopen: return []
    }
  }
}

extension RandomStep.TypedSave {
  func run(
    _ transaction: WriteTransaction, _ entity: EntityDescription
  ) throws -> [[StoredValue]] {
    let models = rows.map(KeyedRow.init)
    if isBatch || models.count != 1 {
      let result: SaveResult<KeyedRow>
      switch mode {
      case .insert: result = try transaction.insert(models)
      case .update: result = try transaction.update(models)
      case .upsert, .insertMissing:
        result = try transaction.save(
          models, merge: merge.policy(), duplicates: refusesDuplicates ? .throw : .last)
      }
      let keys = entity.givesKeys ? result.keys.map(\.values) : []
      return [result.counts.list] + keys
    }
    switch mode {
    case .insert: return [try transaction.insert(models[0]).values]
    case .update: return [try transaction.update(models[0]).values]
    case .upsert, .insertMissing:
      return [try transaction.save(models[0], merge: merge.policy()).values]
    }
  }
}

extension RandomStep.MatchSave {
  func run<Row: RandomRow>(
    _ transaction: WriteTransaction, _ row: Row.Type
  ) throws -> [[StoredValue]] {
    let models = rows.map { Row($0) }
    if isBatch {
      let match = BatchMatch<Row>(
        equal: equal.map { Row.path(of: $0) }, contain: contain.map { Row.path(of: $0) })
      return [
        try transaction.save(
          models, matching: match, onMissing: onMissing, matches: matches, merge: merge.policy()
        ).list
      ]
    }
    let filter = try Filter<Row>.equal(models[0], on: equal + contain)
    return [
      try transaction.save(
        models[0], matching: filter, onMissing: onMissing, matches: matches,
        merge: merge.policy()
      ).list
    ]
  }
}

extension RandomStep.Patch {
  func run(_ transaction: WriteTransaction, _ entity: EntityDescription) throws -> Int {
    if entity.key.isEmpty { return try run(transaction, HiddenRow.self) }
    guard isByKey else { return try run(transaction, KeyedRow.self) }
    let key = RandomKey(keyValues: equalities.list(entity.key))
    return try transaction.patch(KeyedRow.self, key, onMissing: onMissing) { set(&$0) }
  }

  private func run<Row: RandomRow>(
    _ transaction: WriteTransaction, _ row: Row.Type
  ) throws -> Int {
    try transaction.patch(
      Row.all.where(Filter(condition)), onMissing: onMissing
    ) { set(&$0) }
  }

  private func set<Row: RandomRow>(_ changes: inout Changes<Row>) {
    for (name, value) in self.changes.sorted(by: { $0.key < $1.key }) {
      changes.set(name, to: value)
    }
  }
}

extension RandomStep.Selection {
  fileprivate func typed<Row: RandomRow>(_ row: Row.Type) -> Query<Row> {
    var query = Query<Row>()
    query.filter = Filter(condition)
    query.order = order.map { .init($0) }
    if limit != nil || offset != 0 { query.paging = .limit(limit, offset: offset) }
    return query
  }
}

extension RandomStep.Merge {
  func policy<Row: RandomRow>() -> MergePolicy<Row> {
    switch self {
    case .replace: .replace
    case .skippingNil: .skippingNil
    case .only(let names): .only(names: names)
    case .insertOnly: .insertOnly
    }
  }
}

extension SaveCounts {
  /// The counts as values.
  var list: [StoredValue] {
    [inserted, updated, unchanged, ignored].map { .int(Int64($0)) }
  }
}
