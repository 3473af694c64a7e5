internal import ORMCore

extension WriteTransaction {
  /// Saves by key with a policy other than `.replace`.
  func saveMerging<Model: PrimaryKeyed>(
    _ models: [Model], plan: ModelPlan<Model>, merge: MergePolicy<Model>
  ) throws -> (models: [Model], result: SaveResult<Model>) {
    var models = models
    if plan.keySource == .uuidV4 || plan.keySource == .uuidV7 {
      for index in models.indices { try assignUUID(to: &models[index], plan: plan) }
    }
    let request = try self.request(for: merge, plan: plan)
    if models.isEmpty { return ([], SaveResult(counts: SaveCounts(), keys: [])) }
    let rows = try models.map { try RowOfModel($0, plan: plan) }
    let columns = request.columns ?? Array(plan.entity.columns.indices)
    let keys = try put(
      rows.map { row in columns.map { row.values[$0] } }, request, columns: columns,
      entity: plan.entity)
    let isGenerated = plan.keySource == .generated
    for index in models.indices {
      if isGenerated { models[index].id = try Model.ID(keyValues: [.int(keys.keys[index])]) }
      if let stored = try find(Model.self, models[index].id) { models[index] = stored }
    }
    return (
      models, SaveResult(counts: SaveCounts(keys), keys: models.map(\.id))
    )
  }

  /// The put of a merge policy.
  func request<Model: Persistable>(
    for merge: MergePolicy<Model>, mode: PutRequest.Mode = .upsert, plan: ModelPlan<Model>
  ) throws -> PutRequest {
    var request = PutRequest(entity: plan.entity.name, mode: mode, reports: .outcomes)
    switch merge.kind {
    case .replace: break
    case .skippingNil: request.nilKeeps = true
    case .insertOnly: request.mode = .insertMissing
    case .invalid(let error): throw error
    case .only(let names):
      var columns = Set(plan.entity.key)
      for name in names {
        guard let column = plan.entity.column(ofAttribute: name) else {
          throw StoreError(
            .unknownAttribute, "the entity has no attribute of this name",
            entity: plan.entity.modelName, attributes: [name])
        }
        columns.insert(column)
      }
      request.columns = columns.sorted()
    }
    return request
  }

  /// Puts rows of values as one verb.
  @discardableResult
  func put(
    _ rows: [[StoredValue]], _ request: PutRequest, columns: [Int], entity: StoredEntity
  ) throws -> OutcomeCounter {
    let writer = try live(changing: entity)
    var source = ValueSource(rows, columns: columns, entity: entity)
    var visitor = OutcomeCounter(collectsKeys: entity.generatesKeys)
    try savepoint { _ in try writer.put(request, from: &source, to: &visitor) }
    return visitor
  }
}

/// A model's row as values, in the form that is kept; a hidden key, which it lacks, is 0.
struct RowOfModel {
  var values: [StoredValue]

  init<Model: Persistable>(_ model: Model, plan: ModelPlan<Model>) throws {
    do {
      values = try BufferedRow(encoding: model).values
    } catch let error as StoreError {
      throw error.filling(model, entity: plan.entity)
    }
    for position in values.indices {
      values[position] = values[position].normalized(for: plan.entity.columns[position])
    }
    if values.count < plan.entity.columns.count { values.append(.int(0)) }
  }
}
