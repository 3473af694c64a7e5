internal import ORMStorage

extension WriteTransaction {
  /// Restores the hidden rows that the query asks for, as for a typed query.
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
