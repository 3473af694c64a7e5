public import FoundationEssentials
public import ORMCore

/// The operations that restore and purge soft-deleted rows, of models with a `.softDelete`
/// attribute.
extension WriteTransaction {
  /// Restores the hidden rows that the query asks for, with those that the delete rule cascade hid
  /// together with them, and gives the number that the query asked for.
  ///
  /// ```swift
  /// let count = try tx.restore(Project.where { $0.name == "Site" })
  /// try tx.restore(Project.where { $0.id == 1 })
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

  /// Deletes the hidden rows that the query asks for, for good, applies their delete rules, and gives the
  /// number of those rows.
  ///
  /// ```swift
  /// let count = try tx.purge(Project.where { $0.name == "Site" })
  /// try tx.purge(Project.all, before: monday)
  /// ```
  ///
  /// A visible row is not purged, and not counted. Hidden rows that a cascade reaches are
  /// deleted with them, and visible rows of models without a soft delete or that require the link;
  /// other visible rows are hidden, and lead nowhere.
  ///
  /// - Parameters:
  ///   - query: the rows; those alone are concerned that are hidden.
  ///   - timestamp: the time before which the rows were hidden; nil for any.
  /// - Throws: `denied`, `validationFailed`; then nothing was purged.
  @discardableResult
  public func purge<Model: Persistable>(
    _ query: Query<Model>, before timestamp: Date? = nil
  ) throws -> Int {
    let plan = try store.plan(of: Model.self)
    var query = query.hiddenAlone
    if let timestamp, let attribute = plan.entity.deletedAtAttribute {
      query = query.where(
        Filter(.compare(.attribute(attribute), .less, .value(.date(timestamp)), [])))
    }
    return try purge(try query.request(by: plan.lowering), entity: plan.entity)
  }

}

extension ModelPlan {
  /// The request for one row that is hidden.
  package func hidden(_ key: [StoredValue]) throws -> FetchRequest {
    let stored = try find(key, seesDeleted: true)
    return FetchRequest(
      of: entity,
      condition: entity.seeing(.only, where: .all(entity.equalities(entity.key, stored.bindings))))
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
