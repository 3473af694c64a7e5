internal import ORMCore

extension WriteTransaction {
  /// Saves by key with a policy other than `.replace`.
  func saveMerging<Model: PrimaryKeyed>(
    _ models: [Model], plan: ModelPlan<Model>, merge: MergePolicy<Model>
  ) throws -> SaveResult<Model> {
    let request = try self.request(for: merge, plan: plan)
    if models.isEmpty { return SaveResult(counts: SaveCounts(), keys: []) }
    let given = models
    var models = models
    if plan.givesUUIDs {
      for index in models.indices { try assignUUID(to: &models[index], plan: plan) }
    }
    let rows = FullRows(
      try models.map { try Mapper.values(of: $0) },
      set: request.columns ?? Array(0..<plan.entity.modelColumnCount))
    let counter = try put(rows, request, entity: plan.entity)
    let keys =
      plan.keySource == .generated
      ? try counter.keys.map { try Model.ID(keyValues: [.int($0)]) } : models.ids
    try give(keys, to: given, plan: plan)
    return SaveResult(counts: SaveCounts(counter), keys: keys)
  }

  /// The put of a merge policy.
  func request<Model: Persistable>(
    for merge: MergePolicy<Model>, plan: ModelPlan<Model>
  ) throws -> PutRequest {
    var request = PutRequest(entity: plan.entity.name, mode: .upsert, reports: .outcomes)
    switch merge.resolved(in: store).kind {
    case .replace, .storeDefault: break
    case .skippingNil: request.nilKeeps = true
    case .insertOnly: request.mode = .insertMissing
    case .invalid(let error): throw error
    case .only(let names):
      var columns = Set(plan.entity.key)
      columns.formUnion(try plan.entity.columns(only: names))
      request.columns = columns.sorted()
    }
    return request
  }
}
