package import ORMStorage

/// A position in the order of a query: the sort values and key of one row.
///
/// ```swift
/// let query = Snack.all.sorted(by: .ascending(\.name)).limit(50)
/// let next = try store.fetch(query.after(query.cursor(after: snack)))
/// ```
///
/// Codable, so that it can travel to a client and back; ``text`` is a short form for URLs.
public struct QueryCursor: Hashable, Codable, Sendable {
  /// The order it belongs to, the primary key included.
  package var sort: [SortTerm]
  /// The row's value of each term.
  package var values: [StoredValue]
  /// A digest of the order, of a cursor that was made of a text and does not know the order.
  var digest: UInt64?

  package init(sort: [SortTerm], values: [StoredValue]) {
    self.sort = sort
    self.values = values
  }
}

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
