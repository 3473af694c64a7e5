internal import ORMCore

extension WriteTransaction {
  /// The put of a save with a merge policy.
  func request<Model: Persistable>(
    for merge: MergePolicy<Model>, plan: ModelPlan<Model>
  ) throws -> PutRequest {
    var request = PutRequest(entity: plan.entity.name, mode: .upsert, reports: .outcomes)
    switch merge.resolved(in: store).kind {
    case .replace, .storeDefault: return plan.saveCounted
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

extension PutRequest {
  /// True if every row that is put becomes the row as it is given.
  func isWhole(of entity: StoredEntity) -> Bool {
    columns == entity.modelColumns && !nilKeeps && mode != .insertMissing
  }
}

extension StoredEntity {
  /// Rows of the values of models, of which a put sets the columns of its request.
  func rows(_ values: [[StoredValue]], for request: PutRequest) -> FullRows {
    FullRows(values, set: request.columns ?? Array(0..<modelColumnCount))
  }
}
