public import ORMCore

extension WriteTransaction {
  /// Saves an object into the rows that match a filter; a matched row keeps its primary key.
  ///
  /// ```swift
  /// let counts = try tx.save(snack, matching: \.name == "Chips")
  /// ```
  ///
  /// The object's own key counts only when a row is inserted.
  ///
  /// - Parameters:
  ///   - model: the object.
  ///   - filter: the condition on the rows.
  ///   - onMissing: the treatment of an object that no row matches; by default it is inserted.
  ///   - matches: the treatment of several matching rows; by default all are updated.
  ///   - merge: the attributes that are written over a matched row; the policy of the store's options
  ///     unless said otherwise.
  /// - Throws: as `save`; `notFound` and `ambiguous` as asked; `duplicate` when a row is to be
  ///   inserted and another has the object's key.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model, matching filter: Filter<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault
  ) throws -> SaveCounts {
    let plan = try store.plan(of: Model.self)
    let keys = try self.keys(matching: filter, plan: plan)
    let target = MatchedRow(
      model: model, values: try plan.fullRow(of: model), keys: try chosen(keys, matches, plan))
    return try save([target], plan: plan, onMissing: onMissing, merge: merge)
  }

  /// Saves an object into the rows that equal it in some attributes:
  /// `save(snack, matchingOn: \.name, \.taste)`; nil equals nil.
  ///
  /// ```swift
  /// let counts = try tx.save(snack, matchingOn: \.name, \.taste)
  /// ```
  ///
  /// - Throws: as `save(_:matching:)`.
  @discardableResult
  public func save<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault
  ) throws -> SaveCounts {
    try save(
      model, matching: Filter.equal(model, on: path, repeat each others), onMissing: onMissing,
      matches: matches, merge: merge)
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// ```swift
  /// let counts = try tx.save(snacks, matching: BatchMatch(contain: [\.name]))
  /// ```
  ///
  /// - Throws: as `save`; `invalidBatch` when the equal-list holds several values or the
  ///   contain-list is empty.
  @discardableResult
  public func save<Model: Persistable>(
    _ models: [Model], matching match: BatchMatch<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault
  ) throws -> SaveCounts {
    let plan = try store.plan(of: Model.self)
    let equal = try match.equal.flatMap { try columns(of: $0, plan) }
    let contain = try match.contain.flatMap { try columns(of: $0, plan) }
    guard !contain.isEmpty else {
      throw StoreError(
        .invalidBatch, "the list `contain` of a batch match is empty",
        entity: plan.entity.modelName)
    }
    let rows = try models.map { try plan.fullRow(of: $0) }
    guard let first = rows.first else { return SaveCounts() }
    for row in rows {
      for column in equal where !StoredValue.equals(row[column], first[column]) {
        throw StoreError(
          .invalidBatch, "the list `equal` of a batch match holds more than one value",
          entity: plan.entity.modelName, attributes: [plan.entity.columns[column].attribute])
      }
    }
    let stored = try storedKeys(equal: equal, contain: contain, rows: rows, plan: plan)
    var targets: [MatchedRow<Model>] = []
    var positions: [GroupKey: Int] = [:]
    for (model, row) in zip(models, rows) {
      let group = GroupKey(contain.map { row[$0] })
      let target = MatchedRow(
        model: model, values: row, keys: try chosen(stored[group] ?? [], matches, plan))
      // Two objects that match alike: the later wins.
      if let earlier = positions[group] {
        targets[earlier] = target
      } else {
        positions[group] = targets.count
        targets.append(target)
      }
    }
    return try save(targets, plan: plan, onMissing: onMissing, merge: merge)
  }

  /// The columns of a property of a batch match: that of an attribute, or those of a to-one's key.
  ///
  /// - Throws: `invalidBatch` for a relationship that the object's row does not hold.
  private func columns<Model: Persistable>(
    of path: any AnyKeyPath & Sendable, _ plan: ModelPlan<Model>
  ) throws -> [Int] {
    guard let end = Model.entity.relationship(at: path) else {
      return [try plan.entity.column(named: Model.name(of: path))]
    }
    let name = end.declaration.name
    guard case .own(let names, _)? = plan.entity.relationship(named: name)?.storage else {
      throw StoreError(
        .invalidBatch,
        "a batch match cannot compare this relationship: its links are not in the object's own row",
        entity: plan.entity.modelName, attributes: [name])
    }
    return try names.map { try plan.entity.column(named: $0) }
  }

  /// The keys of the rows that agree with the batch's equal-list, by their contain-list.
  private func storedKeys<Model: Persistable>(
    equal: [Int], contain: [Int], rows: [[StoredValue]], plan: ModelPlan<Model>
  ) throws -> [GroupKey: [[StoredValue]]] {
    let names = plan.entity.columns.map(\.attribute)
    let common = equal.map { column in
      Condition.compare(.attribute(names[column]), .equal, .value(rows[0][column]), [])
    }
    var seen: Set<GroupKey> = []
    let values = rows.map { $0[contain[0]] }.filter { seen.insert(GroupKey([$0])).inserted }
    let output = (plan.entity.key + contain).map { Operand.attribute(names[$0]) }
    var stored: [GroupKey: [[StoredValue]]] = [:]
    // Lists are cut so that every batch stays inside the limits of conditions.
    let size = Swift.max(1, Swift.min(1000, plan.lowering.limits.listItems))
    for start in stride(from: 0, to: values.count, by: size) {
      let part = Array(values[start..<Swift.min(start + size, values.count)])
      let list = Condition.isIn(.attribute(names[contain[0]]), list: .value(.array(part)), [])
      let request = try plan.lowering.request(
        output: .values(output), condition: .all(common + [list]), order: [],
        paging: .all, start: nil)
      let rows = try live().rows(of: request)
      for values in rows {
        let group = GroupKey(Array(values.dropFirst(plan.entity.key.count)))
        stored[group, default: []].append(Array(values.prefix(plan.entity.key.count)))
      }
    }
    return stored
  }

  /// The primary keys of the rows that match, in key order.
  func keys<Model: Persistable>(
    matching filter: Filter<Model>, plan: ModelPlan<Model>
  ) throws -> [[StoredValue]] {
    let operands = plan.entity.key.map { Operand.attribute(plan.entity.columns[$0].attribute) }
    var query = Query<Model>()
    query.filter = filter
    return try live().rows(of: query.request(output: .values(operands), by: plan.lowering))
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
          .ambiguous, "\(keys.count) rows match, and at most one was expected",
          entity: plan.entity.modelName, key: keys[0])
      }
      return keys
    }
  }

  /// Writes each object over the rows with its keys, then those without any as new rows.
  ///
  /// Unique rules hold as in one operation: an inserted row frees no value that an updated one could
  /// need.
  private func save<Model: Persistable>(
    _ targets: [MatchedRow<Model>], plan: ModelPlan<Model>, onMissing: OnMissing,
    merge: MergePolicy<Model>
  ) throws -> SaveCounts {
    let (writes, ignored) = try writes(of: targets, plan: plan, onMissing: onMissing)
    if plan.hasLinks {
      let roots = writes.map { write in
        GraphRoot(
          write.target.model, demand: write.key == nil ? .new : .stored, key: write.key)
      }
      var counts = try writeGraph(roots, merge: merge).counts
      counts.ignored = ignored
      return counts
    }
    var request = try self.request(for: merge, plan: plan)
    let isUpsert = request.mode == .upsert
    var counts = SaveCounts(ignored: ignored)
    try operation { _ in
      for isInsert in [false, true] {
        let rows = writes.filter { ($0.key == nil) == isInsert }.map { write in
          write.target.row(withKey: write.key, of: plan.entity, store.runtime)
        }
        if rows.isEmpty { continue }
        if isUpsert { request.mode = isInsert ? .insert : .update }
        counts.add(try put(plan.entity.rows(rows, for: request), request, entity: plan.entity))
      }
    }
    return counts
  }

  /// The rows that objects are written to, nil for new ones, in the order of the objects; of two new
  /// objects with one key the later counts.
  ///
  /// - Throws: `notFound` if asked for where no row matches.
  private func writes<Model: Persistable>(
    of targets: [MatchedRow<Model>], plan: ModelPlan<Model>, onMissing: OnMissing
  ) throws -> (writes: [(target: MatchedRow<Model>, key: [StoredValue]?)], ignored: Int) {
    var writes: [(target: MatchedRow<Model>, key: [StoredValue]?)] = []
    var ignored = 0
    var positions: [GroupKey: Int] = [:]
    for target in targets {
      for key in target.keys { writes.append((target, key)) }
      guard target.keys.isEmpty else { continue }
      switch onMissing {
      case .ignore: ignored += 1
      case .throw:
        throw StoreError(.notFound, "no row matches", entity: plan.entity.modelName)
      case .insert:
        let key = plan.entity.keyValues(of: target.values)
        if plan.entity.keySource.isUnassigned(key) {
          writes.append((target, nil))
        } else if let earlier = positions[GroupKey(key)] {
          writes[earlier].target = target
        } else {
          positions[GroupKey(key)] = writes.count
          writes.append((target, nil))
        }
      }
    }
    return (writes, ignored)
  }
}

/// An object of a save by match: its values by column, and the keys of the rows it goes into.
private struct MatchedRow<Model: Persistable> {
  let model: Model
  let values: [StoredValue]
  let keys: [[StoredValue]]

  /// The values with the key of a row that is there; with a key that is made for it where the row is new
  /// and needs one.
  func row(
    withKey key: [StoredValue]?, of entity: StoredEntity, _ runtime: StoreRuntime
  ) -> [StoredValue] {
    var row = values
    if let key {
      for (part, position) in zip(key, entity.key) { row[position] = part }
    } else if entity.keySource.isUnassigned(entity.keyValues(of: row)),
      let uuid = UUIDGenerator.key(for: entity.keySource, by: runtime.options.uuids)
    {
      row[entity.key[0]] = .uuid(uuid)
    }
    return row
  }
}

extension ModelPlan {
  /// A model's values by column, in the stored form; a hidden key, which it lacks, is 0.
  fileprivate func fullRow(of model: Model) throws -> [StoredValue] {
    let values =
      hasLinks ? try Mapper.attributeValues(of: model) : try Mapper.values(of: model)
    return values.count < entity.modelColumnCount ? values + [.int(0)] : values
  }
}
