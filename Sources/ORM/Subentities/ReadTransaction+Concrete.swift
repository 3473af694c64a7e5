public import ORMCore

extension ReadTransaction {
  /// Every object the query asks for as what it is: a row of a subentity comes as the subentity's
  /// model, one of the entity itself as the query's.
  ///
  /// One request, in the query's order. The filter, the order and the page go by the query's model.
  ///
  /// ```swift
  /// for vehicle in try transaction.fetchConcrete(Vehicle.all.where { $0.name == "Ant" }) {
  ///   if let car = vehicle as? Car { print(car.doors) }
  /// }
  /// ```
  ///
  /// A row of a subentity whose Swift type the store was opened without comes as the nearest model
  /// above; one of a subentity that the store's schema lacks as the query's model.
  ///
  /// - Throws: as ``fetch(_:)``; `invalidCondition` for a query that prefetches, since objects of
  ///   subentities do not have the relationships of the entities above.
  public func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>
  ) throws -> [any Persistable] {
    let plan = try store.plan(of: Model.self)
    guard query.prefetches.isEmpty else {
      throw StoreError(
        .invalidCondition, "objects that are fetched as what they are come without links",
        entity: plan.entity.modelName)
    }
    let concrete = try store.concretePlan(of: plan)
    var visitor = ConcreteCollector(concrete)
    try live().visit(try query.request(by: plan.lowering).giving(concrete.output), &visitor)
    return visitor.objects
  }

  /// The object with this key as what it is; nil when there is none.
  public func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID
  ) throws -> (any Persistable)? {
    let plan = try store.plan(of: model)
    let concrete = try store.concretePlan(of: plan)
    var visitor = ConcreteCollector(concrete)
    try live().visit(try plan.find(try id.keyValues()).giving(concrete.output), &visitor)
    return visitor.objects.first
  }
}
