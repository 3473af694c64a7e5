public import ORMCore

extension WriteTransaction {
  /// Saves a batch of any size as one operation: unique rules hold at its end, not between its rows.
  ///
  /// ```swift
  /// let result = try tx.save(snacks)
  /// ```
  ///
  /// - Parameters:
  ///   - models: the objects.
  ///   - merge: the attributes that are written over a row that is there; the policy of the store's
  ///     options unless said otherwise.
  ///   - duplicates: the treatment of two objects with one key; the later wins unless asked to throw
  ///     `invalidBatch`.
  /// - Throws: as `save`; then nothing of the batch was written.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ models: [Model], merge: MergePolicy<Model> = .storeDefault,
    duplicates: DuplicatePolicy = .last
  ) throws -> SaveResult<Model> {
    let plan = try store.plan(of: Model.self)
    let merge = merge.resolved(in: store)
    if let distinct = try DistinctObjects(models, plan: plan) {
      return distinct.whole(try save(distinct.objects, merge: merge, duplicates: duplicates))
    }
    if duplicates == .throw { try checkKeys(of: models, plan: plan) }
    if case .replace = merge.kind {
      return try put(models, plan.saveCounted, demand: .none, plan: plan)
    }
    return try plan.hasLinks
      ? saveGraph(models, demand: .none, merge: merge)
      : put(models, request(for: merge, plan: plan), plan: plan)
  }

  /// Inserts a batch as one operation.
  ///
  /// ```swift
  /// let result = try tx.insert(snacks)
  /// ```
  ///
  /// - Throws: as `insert`; then nothing of the batch was written.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ models: [Model]) throws -> SaveResult<Model> {
    let plan = try store.plan(of: Model.self)
    if let distinct = try DistinctObjects(models, plan: plan) {
      return distinct.whole(try insert(distinct.objects))
    }
    return try put(models, plan.insertCounted, demand: .new, plan: plan)
  }

  /// Updates a batch as one operation.
  ///
  /// ```swift
  /// let result = try tx.update(snacks)
  /// ```
  ///
  /// - Throws: as `update`; then nothing of the batch was written.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ models: [Model]) throws -> SaveResult<Model> {
    let plan = try store.plan(of: Model.self)
    return try put(models, plan.updateCounted, demand: .stored, plan: plan)
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// ```swift
  /// let counts = try tx.insert(lines)
  /// ```
  @discardableResult
  public func insert<Model: Persistable>(_ models: [Model]) throws -> SaveCounts {
    let plan = try store.plan(of: Model.self)
    if models.isEmpty { return SaveCounts() }
    if plan.hasLinks {
      if plan.keySource == .hidden,
        let linked = try LinkedModels(models, keys: [], demand: .new, plan: plan, store: store)
      {
        return SaveCounts(try linked.put(plan.insertCounted, in: self))
      }
      return try writeGraph(models.map { GraphRoot($0, demand: .new) }, merge: .replace).counts
    }
    var source = try ModelSource(models, plan: plan)
    if plan.endsWithPut { try commitWithNextWrite() }
    return SaveCounts(try put(from: &source, plan.insertCounted, entity: plan.entity))
  }

  /// Puts models as they are given as one operation, by a graph where their links need one.
  private func put<Model: PrimaryKeyed>(
    _ models: [Model], _ request: PutRequest, demand: GraphNode.Demand, plan: ModelPlan<Model>
  ) throws -> SaveResult<Model> {
    guard plan.hasLinks else { return try put(models, request, plan: plan) }
    return try putLinked(models, request, demand: demand, plan: plan)
      ?? saveGraph(models, demand: demand)
  }

  /// Puts models without links as one operation.
  func put<Model: PrimaryKeyed>(
    _ models: [Model], _ request: PutRequest, plan: ModelPlan<Model>
  ) throws -> SaveResult<Model> {
    if models.isEmpty { return SaveResult(counts: SaveCounts(), keys: []) }
    let given = models
    var models = models
    if plan.givesUUIDs {
      for index in models.indices { try assignUUID(to: &models[index], plan: plan) }
    }
    let counter: OutcomeCounter
    if request.isWhole(of: plan.entity) {
      var source = try ModelSource(models, plan: plan)
      if plan.endsWithPut { try commitWithNextWrite() }
      counter = try put(from: &source, request, entity: plan.entity)
    } else {
      let rows = try models.map { try Mapper.values(of: $0) }
      counter = try put(plan.entity.rows(rows, for: request), request, entity: plan.entity)
    }
    return try result(of: counter, for: given, putAs: models, plan: plan)
  }

  /// The result of a put of models, whose objects of a class model are given their keys.
  ///
  /// - Parameter models: the models as they were put.
  func result<Model: PrimaryKeyed>(
    of counter: OutcomeCounter, for given: [Model], putAs models: [Model], plan: ModelPlan<Model>
  ) throws -> SaveResult<Model> {
    let keys =
      plan.keySource == .generated
      ? try counter.keys.map { try Model.ID(keyValues: [.int($0)]) } : Model.keys(of: models)
    try give(keys, to: given, plan: plan)
    return SaveResult(counts: SaveCounts(counter), keys: keys)
  }

  private func checkKeys<Model: PrimaryKeyed>(
    of models: [Model], plan: ModelPlan<Model>
  ) throws {
    var seen = KeyPositions(of: Model.self)
    for (index, model) in models.enumerated() where seen.insert(model.id, at: index) != index {
      if try plan.hasNoKey(model) { continue }
      throw StoreError(
        .invalidBatch, "two objects of the batch have the same key", entity: plan.entity.modelName,
        key: try model.id.keyValues())
    }
  }
}

extension WriteTransaction {
  /// Saves objects with all that they reach through links that were set, and gives the counts and keys of
  /// the objects themselves.
  func saveGraph<Model: PrimaryKeyed>(
    _ models: [Model], demand: GraphNode.Demand, merge: MergePolicy<Model> = .replace
  ) throws -> SaveResult<Model> {
    let saved = try writeGraph(models.map { GraphRoot($0, demand: demand) }, merge: merge)
    return SaveResult(
      counts: saved.counts, keys: try saved.keys.map { try Model.ID(keyValues: $0) })
  }

  /// Saves one object with all that it reaches, and gives it back as stored.
  func saveGraph<Model: PrimaryKeyed>(
    _ model: Model, demand: GraphNode.Demand, merge: MergePolicy<Model> = .replace
  ) throws -> Model {
    let saved = try writeGraph(
      [GraphRoot(model, demand: demand)], merge: merge, isReadAgain: true)
    return try result(of: saved, for: model, merge: merge)
  }
}
