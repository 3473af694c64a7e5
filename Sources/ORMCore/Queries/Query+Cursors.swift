public import ORMRows
internal import ORMStorage

extension Query where Model: PrimaryKeyed {
  /// The position of a row in this query's order, from the row itself, as it is or would be stored.
  ///
  /// ```swift
  /// let cursor = try Snack.all.sorted(by: .ascending(\.name)).cursor(after: snack)
  /// ```
  ///
  /// Values of other objects in the order come from the links that were fetched or set.
  ///
  /// - Throws: `invalidValue` and `missingValue` for a row that cannot be stored; `notLoaded`, naming
  ///   the entity and the relationship, for a link of the order that is not loaded.
  public func cursor(after model: Model) throws -> QueryCursor {
    let entity = Model.entity.description.lowered()
    let sort = SortTerm.total(terms, entity: entity)
    let values = try sort.map { term in
      try ObjectCompiler.operand(term.operand, on: Model.self).value(for: model)
        .folded(term.options)
    }
    return QueryCursor(sort: sort, values: values)
  }
}
