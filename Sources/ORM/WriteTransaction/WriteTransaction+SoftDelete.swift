public import FoundationEssentials
public import ORMCore

/// The operations that restore and purge soft-deleted rows, of models with a `.softDelete`
/// attribute.
extension WriteTransaction {
  /// Brings the hidden rows that the query asks for back, with what was hidden together with them by
  /// the delete rule cascade, and gives how many the query asked for.
  ///
  /// ```swift
  /// let count = try tx.restore(Project.where { $0.name == "Site" })
  /// ```
  ///
  /// Of the query's rows those alone are concerned that are hidden.
  ///
  /// - Throws: `missingTarget` when a row must lead to one that is hidden or does not exist;
  ///   `validationFailed`. Then nothing was restored.
  @discardableResult
  public func restore<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    let plan = try store.plan(of: Model.self)
    return try restore(try query.hiddenAlone.request(by: plan.lowering), entity: plan.entity)
  }

  /// Brings the row with this key back, as for a query.
  ///
  /// ```swift
  /// try tx.restore(Project.self, id: 1)
  /// ```
  ///
  /// - Returns: whether it was hidden.
  @discardableResult
  public func restore<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) throws -> Bool {
    let plan = try store.plan(of: model)
    return try restore(plan.hidden(try id.keyValues()), entity: plan.entity) > 0
  }

  /// Brings the row with the model's key back, as for a query.
  ///
  /// ```swift
  /// try tx.restore(project)
  /// ```
  ///
  /// - Returns: whether it was hidden.
  @discardableResult
  public func restore<Model: PrimaryKeyed>(_ model: Model) throws -> Bool {
    try restore(Model.self, id: model.id)
  }

  /// Deletes the hidden rows that the query asks for, for good, with what their delete rules ask
  /// for, and gives how many those were.
  ///
  /// ```swift
  /// let count = try tx.purge(Project.where { $0.name == "Site" })
  /// ```
  ///
  /// A visible row is not purged, and not counted. Hidden rows that a cascade reaches are
  /// deleted with them, and visible rows of models without a soft delete or that require the link;
  /// other visible rows are hidden, and lead nowhere.
  ///
  /// - Throws: `denied`, `validationFailed`; then nothing was purged.
  @discardableResult
  public func purge<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    let plan = try store.plan(of: Model.self)
    return try purge(try query.hiddenAlone.request(by: plan.lowering), entity: plan.entity)
  }

  /// Deletes the hidden row with this key for good, as for a query.
  ///
  /// ```swift
  /// try tx.purge(Project.self, id: 1)
  /// ```
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func purge<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) throws -> Bool {
    let plan = try store.plan(of: model)
    return try purge(plan.hidden(try id.keyValues()), entity: plan.entity) > 0
  }

  /// Deletes the hidden row with the model's key for good, as for a query.
  ///
  /// ```swift
  /// try tx.purge(project)
  /// ```
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func purge<Model: PrimaryKeyed>(_ model: Model) throws -> Bool {
    try purge(Model.self, id: model.id)
  }

  /// Deletes the rows that were hidden before a timestamp for good, all hidden ones unless one is given,
  /// and gives how many those were.
  ///
  /// ```swift
  /// let count = try tx.purgeAll(Project.self, before: monday)
  /// ```
  ///
  /// - Throws: as for a query.
  @discardableResult
  public func purgeAll<Model: Persistable>(
    _ model: Model.Type, before timestamp: Date? = nil
  ) throws -> Int {
    let plan = try store.plan(of: model)
    var query = Query<Model>()
    if let timestamp, let attribute = plan.entity.deletedAtAttribute {
      query = query.where(
        Filter(.compare(.attribute(attribute), .less, .value(.date(timestamp)), [])))
    }
    return try purge(query)
  }

  /// Brings the hidden rows that the query asks for back, as for a typed query.
  ///
  /// ```swift
  /// let count = try tx.restore(DynamicQuery("Project", in: store.schema, where: "name == 'Site'"))
  /// ```
  @discardableResult
  public func restore(_ query: DynamicQuery) throws -> Int {
    let plan = try EntityPlan(query.entity, in: store)
    return try restore(try plan.request(query.hiddenAlone), entity: plan.entity)
  }

  /// Deletes the hidden rows that the query asks for, for good, as for a typed query.
  ///
  /// ```swift
  /// let count = try tx.purge(DynamicQuery("Project", in: store.schema, where: "name == 'Site'"))
  /// ```
  @discardableResult
  public func purge(_ query: DynamicQuery) throws -> Int {
    let plan = try EntityPlan(query.entity, in: store)
    return try purge(try plan.request(query.hiddenAlone), entity: plan.entity)
  }
}

extension ModelPlan {
  /// The request for one row that is hidden.
  func hidden(_ key: [StoredValue]) throws -> FetchRequest {
    let stored = try find(key, seesDeleted: true)
    let request = FetchRequest(
      entity: entity.name,
      condition: entity.seeing(
        .only,
        where: .all(
          zip(entity.key, stored.bindings).map {
            .compare(.attribute(entity.columns[$0].attribute), .equal, .value($1), [])
          })), sort: SortTerm.total([], entity: entity))
    return request
  }
}

extension Query {
  /// The same of hidden rows alone.
  fileprivate var hiddenAlone: Query {
    var copy = self
    copy.deleted = deleted.hiddenAlone
    return copy
  }

  /// The same of rows that are not hidden: there is nothing else to delete.
  func deletable(in entity: StoredEntity) -> Query {
    guard deleted != .hidden, let visible = entity.condition(seeing: .hidden) else { return self }
    return self.where(Filter(visible))
  }
}

extension DynamicQuery {
  fileprivate var hiddenAlone: DynamicQuery {
    var copy = self
    copy.deleted = deleted.hiddenAlone
    return copy
  }

  /// The same of rows that are not hidden: there is nothing else to delete.
  func deletable(in entity: StoredEntity) -> DynamicQuery {
    guard deleted != .hidden, let visible = entity.condition(seeing: .hidden)
    else { return self }
    var copy = self
    copy.condition = .all([condition, visible])
    return copy
  }
}
