public import ORMCore

extension WriteTransaction {
  /// Saves an object into the rows that match a filter; a matched row keeps its primary key.
  ///
  /// - Parameters:
  ///   - onMissing: what happens when no row matches; inserted unless said otherwise.
  ///   - matches: what happens when several do; all are updated unless said otherwise.
  /// - Throws: as `save`; `notFound` and `ambiguous` as asked.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model, matching filter: Filter<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) throws -> SaveCounts {
    let plan = try store.plan(of: Model.self)
    let keys = try self.keys(matching: filter, plan: plan)
    var counts = SaveCounts()
    try savepoint { _ in
      try save(
        [(try RowOfModel(model, plan: plan), try chosen(keys, matches, plan))], plan: plan,
        onMissing: onMissing, merge: merge, counts: &counts)
    }
    return counts
  }

  /// Saves an object into the rows that equal it in some attributes; nil equals nil.
  @discardableResult
  public func save<Model: Persistable, each Value>(
    _ model: Model, matchingOn paths: repeat AttributePath<Model, each Value>,
    onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Model> = .replace
  ) throws -> SaveCounts {
    try save(
      model, matching: try Filter.equal(model, on: repeat each paths), onMissing: onMissing,
      matches: matches, merge: merge)
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// - Throws: as `save`; `invalidBatch` when the equal-list holds several values or the
  ///   contain-list is empty.
  @discardableResult
  public func save<Model: Persistable>(
    _ models: [Model], matching match: BatchMatch<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) throws -> SaveCounts {
    let plan = try store.plan(of: Model.self)
    let equal = try match.equal.map { try column(of: $0, plan: plan) }
    let contain = try match.contain.map { try column(of: $0, plan: plan) }
    guard !contain.isEmpty else {
      throw StoreError(
        .invalidBatch, "the contain-list of a batch match is empty",
        entity: plan.entity.modelName)
    }
    let rows = try models.map { try RowOfModel($0, plan: plan) }
    guard let first = rows.first else { return SaveCounts() }
    for row in rows {
      for column in equal where !StoredValue.equals(row.values[column], first.values[column]) {
        throw StoreError(
          .invalidBatch, "the equal-list of a batch match holds more than one value",
          entity: plan.entity.modelName, attributes: [plan.entity.columns[column].attribute])
      }
    }
    var counts = SaveCounts()
    try savepoint { _ in
      let stored = try storedKeys(
        equal: equal, contain: contain, rows: rows, plan: plan)
      var pairs: [(RowOfModel, [[StoredValue]])] = []
      var positions: [GroupKey: Int] = [:]
      for row in rows {
        let key = GroupKey(contain.map { row.values[$0] })
        let target = try chosen(stored[key] ?? [], matches, plan)
        // Two objects that match alike: the later wins.
        if let earlier = positions[key] {
          pairs[earlier] = (row, target)
        } else {
          positions[key] = pairs.count
          pairs.append((row, target))
        }
      }
      try save(pairs, plan: plan, onMissing: onMissing, merge: merge, counts: &counts)
    }
    return counts
  }

  /// The keys of the rows that agree with the batch's equal-list, by their contain-list.
  private func storedKeys<Model: Persistable>(
    equal: [Int], contain: [Int], rows: [RowOfModel], plan: ModelPlan<Model>
  ) throws -> [GroupKey: [[StoredValue]]] {
    let names = plan.entity.columns.map(\.attribute)
    let common = equal.map { column in
      Condition.compare(
        .attribute(names[column]), .equal, .value(rows[0].values[column]), [])
    }
    var stored: [GroupKey: [[StoredValue]]] = [:]
    // Lists are cut so that every batch stays inside the limits of conditions.
    let size = Swift.max(1, Swift.min(1000, plan.lowering.limits.listItems))
    for start in stride(from: 0, to: rows.count, by: size) {
      let part = rows[start..<Swift.min(start + size, rows.count)]
      let list = Condition.isIn(
        .attribute(names[contain[0]]), list: .value(.array(part.map { $0.values[contain[0]] })), [])
      let output = (plan.entity.key + contain).map { Operand.attribute(names[$0]) }
      let request = try plan.lowering.request(
        output: .values(output), condition: .all(common + [list]), order: [],
        paging: .all, start: nil)
      var visitor = ValueCollector()
      try live().visit(request, &visitor)
      for values in visitor.rows {
        let key = Array(values.prefix(plan.entity.key.count))
        let group = GroupKey(Array(values.dropFirst(plan.entity.key.count)))
        if stored[group]?.contains(key) != true { stored[group, default: []].append(key) }
      }
    }
    return stored
  }

  private func column<Model: Persistable>(
    of path: any AnyKeyPath & Sendable, plan: ModelPlan<Model>
  ) throws -> Int {
    let name = try Model.name(of: path)
    guard let column = plan.entity.column(ofAttribute: name) else {
      throw StoreError(
        .unknownAttribute, "the store has no attribute of this name",
        entity: plan.entity.modelName, attributes: [name])
    }
    return column
  }

  /// The primary keys of the rows that match, in key order.
  func keys<Model: Persistable>(
    matching filter: Filter<Model>, plan: ModelPlan<Model>
  ) throws -> [[StoredValue]] {
    let operands = plan.entity.key.map { Operand.attribute(plan.entity.columns[$0].attribute) }
    var query = Query<Model>()
    query.filter = filter
    var visitor = ValueCollector()
    try live().visit(
      try query.request(output: .values(operands), by: plan.lowering), &visitor)
    return visitor.rows
  }

  private func chosen<Model: Persistable>(
    _ keys: [[StoredValue]], _ matches: MatchPolicy, _ plan: ModelPlan<Model>
  ) throws -> [[StoredValue]] {
    switch matches {
    case .all: return keys
    case .first: return Array(keys.prefix(1))
    case .one:
      guard keys.count < 2 else {
        throw StoreError(
          .ambiguous, "\(keys.count) rows match where one was asked for",
          entity: plan.entity.modelName, key: keys[0])
      }
      return keys
    }
  }

  /// Writes each object over the rows with its keys, or as a new row where there are none, as one
  /// verb of updates and one of inserts.
  private func save<Model: Persistable>(
    _ pairs: [(row: RowOfModel, keys: [[StoredValue]])], plan: ModelPlan<Model>,
    onMissing: OnMissing, merge: MergePolicy<Model>, counts: inout SaveCounts
  ) throws {
    let request = try self.request(for: merge, plan: plan)
    let columns = request.columns ?? Array(plan.entity.columns.indices)
    var rows: [[StoredValue]] = []
    for (row, keys) in pairs {
      var row = row
      if keys.isEmpty {
        switch onMissing {
        case .insert:
          try giveKey(to: &row, plan: plan)
          rows.append(columns.map { row.values[$0] })
        case .ignore: counts.ignored += 1
        case .throw:
          throw StoreError(.notFound, "no row matches", entity: plan.entity.modelName)
        }
      }
      for key in keys {
        for (part, position) in zip(key, plan.entity.key) { row.values[position] = part }
        rows.append(columns.map { row.values[$0] })
      }
    }
    guard !rows.isEmpty else { return }
    var explicit = request
    explicit.columns = columns
    counts.add(try put(rows, explicit, columns: columns, entity: plan.entity))
  }

  private func giveKey<Model: Persistable>(
    to row: inout RowOfModel, plan: ModelPlan<Model>
  ) throws {
    switch plan.keySource {
    case .uuidV4 where row.values[plan.entity.key[0]] == .uuid(.unassigned):
      row.values[plan.entity.key[0]] = .uuid(UUIDGenerator.random())
    case .uuidV7 where row.values[plan.entity.key[0]] == .uuid(.unassigned):
      row.values[plan.entity.key[0]] = .uuid(UUIDGenerator.timeOrdered())
    default: break
    }
  }
}
