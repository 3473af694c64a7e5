public import ORMCore

extension ReadTransaction {
  /// Every object the query asks for as its own model: a row of a subentity comes as the subentity's
  /// model, one of the entity itself as the query's.
  ///
  /// One request, in the query's order. The filter, the order and the page go by the query's model.
  ///
  /// ```swift
  /// for vehicle in try tx.fetchConcrete(Vehicle.all.where { $0.name == "Ant" }) {
  ///   if let car = vehicle as? Car { print(car.doors) }
  /// }
  /// ```
  ///
  /// A row of a subentity whose Swift type the store was opened without comes as the nearest model
  /// above; one of a subentity that the store's schema lacks as the query's model.
  ///
  /// The relationships that the query prefetches come with objects of the query's own model: objects of
  /// subentities do not have them. Theirs are named by `kinds`, as many models as there are. It costs one
  /// request a relationship and model.
  ///
  /// - Throws: as `fetch(_:)`; `invalidCondition` for a kind whose objects are no rows of the query's
  ///   model.
  public func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>, with kinds: ConcretePrefetch...
  ) throws -> [any Persistable] {
    try fetchConcrete(query, kinds: kinds)
  }

  /// The object with this key as its own model, with the relationships of `kinds`; nil when there is
  /// none.
  ///
  /// ```swift
  /// let vehicle = try tx.findConcrete(Vehicle.self, 3)
  /// ```
  ///
  /// - Throws: as ``fetchConcrete(_:with:)``.
  public func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, with kinds: ConcretePrefetch...
  ) throws -> (any Persistable)? {
    try findConcrete(model, id, kinds: kinds)
  }

  func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>, kinds: [ConcretePrefetch]
  ) throws -> [any Persistable] {
    let plan = try store.plan(of: Model.self)
    let own = ConcretePrefetch(Model.self, query.prefetches)
    return try concrete(
      try query.request(by: plan.lowering), plan, [own] + kinds, deleted: query.deleted)
  }

  func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, kinds: [ConcretePrefetch]
  ) throws -> (any Persistable)? {
    let plan = try store.plan(of: model)
    return try concrete(try plan.find(try id.keyValues()), plan, kinds, deleted: .hidden).first
  }

  private func concrete<Model: Persistable>(
    _ request: FetchRequest, _ plan: ModelPlan<Model>, _ kinds: [ConcretePrefetch],
    deleted: DeletedRows
  ) throws -> [any Persistable] {
    for kind in kinds { try kind.check(within: plan.entity, of: store) }
    let concrete = try store.concretePlan(of: plan)
    var visitor = ConcreteCollector(concrete)
    try live().visit(request.giving(concrete.output), &visitor)
    for kind in kinds {
      try kind.attach(to: &visitor.objects, in: self, deleted: deleted)
    }
    return visitor.objects
  }
}
