public import ORMCore

extension ReadTransaction {
  /// Fetches every object that matches the query as an instance of its own subentity.
  ///
  /// One request, in the query's order. The filter, the order and the page use the attributes of the
  /// query's model.
  ///
  /// ```swift
  /// for vehicle in try tx.fetch(Vehicle.all.where { $0.name == "Ant" }, as: .concrete) {
  ///   if let car = vehicle as? Car { print(car.doors) }
  /// }
  /// ```
  ///
  /// If the store was opened without the Swift type of a subentity, its rows come as the nearest model
  /// above. If the store's schema lacks the subentity, they come as the query's model.
  ///
  /// The relationships that the query prefetches come with objects of the query's own model: objects of
  /// subentities do not have them. ``ConcreteModels`` names theirs. They cost one request for each
  /// relationship and model.
  ///
  /// - Throws: the errors of `fetch(_:)`; `invalidCondition` if the objects of a named model are no rows
  ///   of the query's model.
  public func fetch<Model: Persistable>(
    _ query: Query<Model>, as models: ConcreteModels
  ) throws -> [any Persistable] {
    let plan = try store.plan(of: Model.self)
    return try concrete(
      try query.request(by: plan.lowering), plan,
      [.concrete.adding(Model.self, query.prefetches), models],
      deleted: query.deleted)
  }

  /// Finds the object with this key as an instance of its own subentity; nil if there is none.
  ///
  /// ```swift
  /// let vehicle = try tx.find(Vehicle.self, 3, as: .concrete)
  /// ```
  ///
  /// - Throws: the errors of ``fetch(_:as:)``.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, as models: ConcreteModels
  ) throws -> (any Persistable)? {
    let plan = try store.plan(of: model)
    return try concrete(try plan.find(try id.keyValues()), plan, [models], deleted: .hidden).first
  }

  private func concrete<Model: Persistable>(
    _ request: FetchRequest, _ plan: ModelPlan<Model>, _ forms: [ConcreteModels],
    deleted: DeletedRows
  ) throws -> [any Persistable] {
    for form in forms { try form.check(within: plan.entity, of: store) }
    let concrete = try store.concretePlan(of: plan)
    var visitor = ConcreteCollector(concrete)
    try live().visit(request.giving(concrete.output), &visitor)
    for form in forms {
      try form.attach(to: &visitor.objects, in: self, deleted: deleted)
    }
    return visitor.objects
  }
}
