public import ORMCore

extension WriteTransaction {
  /// Inserts the model, or updates the row with its key, and gives it back as stored: with its key
  /// where the store or Strata gives keys.
  ///
  /// What is stored already to the last bit is not written.
  ///
  /// - Throws: `invalidValue`, `missingValue`, `tooLarge`, `duplicate` for a broken unique rule,
  ///   `keysExhausted`.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .replace
  ) throws -> Model {
    let plan = try store.plan(of: Model.self)
    guard case .replace = merge.kind else {
      return try saveMerging([model], plan: plan, merge: merge).models[0]
    }
    return try put(model, plan.save, counted: plan.saveCounted, plan: plan)
  }

  /// Inserts the model.
  ///
  /// - Throws: as `save`, and `duplicate` when the key exists.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    let plan = try store.plan(of: Model.self)
    return try put(model, plan.insert, counted: plan.insertCounted, plan: plan)
  }

  /// Updates the row with the model's key.
  ///
  /// - Throws: as `save`, and `notFound` when there is no such row.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    let plan = try store.plan(of: Model.self)
    return try put(model, plan.update, counted: plan.updateCounted, plan: plan)
  }

  /// Inserts a model without a key of its own.
  public func insert<Model: Persistable>(_ model: Model) throws {
    try insert([model])
  }

  private func put<Model: PrimaryKeyed>(
    _ model: Model, _ request: PutRequest, counted: PutRequest, plan: ModelPlan<Model>
  ) throws -> Model {
    let writer = try live(changing: plan.entity)
    var model = model
    switch plan.keySource {
    case .generated:
      var source = ModelSource([model], plan: plan)
      var visitor = OutcomeCounter(collectsKeys: true)
      try writer.put(counted, from: &source, to: &visitor)
      if let key = visitor.keys.first { model.id = try Model.ID(keyValues: [.int(key)]) }
      return model
    case .uuidV4, .uuidV7: try assignUUID(to: &model, plan: plan)
    case .program, .hidden: break
    }
    var source = ModelSource([model], plan: plan)
    var visitor = IgnoringVisitor()
    try writer.put(request, from: &source, to: &visitor)
    return plan.isNormalizing ? try model.asStored(plan: plan) : model
  }

  /// Gives a model whose UUID is unassigned a new one.
  func assignUUID<Model: PrimaryKeyed>(to model: inout Model, plan: ModelPlan<Model>) throws {
    guard try model.id.keyValues() == [.uuid(.unassigned)] else { return }
    let uuid = plan.keySource == .uuidV7 ? UUIDGenerator.timeOrdered() : UUIDGenerator.random()
    model.id = try Model.ID(keyValues: [.uuid(uuid)])
  }
}

extension Persistable {
  /// The model as it reads back: its texts in the form that is kept.
  func asStored(plan: ModelPlan<Self>) throws -> Self {
    var values = try BufferedRow(encoding: self).values
    for position in values.indices {
      values[position] = values[position].normalized(for: plan.entity.columns[position])
    }
    return try Self(row: BufferedRow(values))
  }
}
