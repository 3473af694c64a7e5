internal import ORMStorage

/// A hidden row keeps its key and its unique values: an error that it causes says so.
extension WriteTransaction {
  /// The error of a put or an update, which states whether the conflicting row is one that was
  /// soft-deleted; any other error as it is.
  package func namingHidden(_ error: any Error, entity: StoredEntity) -> any Error {
    guard var error = error as? StoreError, error.code == .duplicate, entity.deletedAt != nil,
      error.attributes.count == error.values.count, !error.values.isEmpty
    else { return error }
    let own = error.attributes.compactMap { entity.column(ofAttribute: $0) }
    guard own.count == error.attributes.count else { return error }
    // The conflicting row may be of any kind.
    let columns = store.schema.rooted(own, of: entity)
    let entity = store.schema.root(of: entity)
    let terms = entity.indexes.first { index in
      index.isUnique && index.terms.map(\.column) == columns
    }?.terms
    let parts = columns.enumerated().map { index, column in
      Condition.compare(
        .attribute(entity.columns[column].attribute), .equal, .value(error.values[index]),
        terms?[index].form == .caseFolded ? .caseInsensitive : [])
    }
    let request = FetchRequest(
      of: entity, output: .values([.attribute(entity.columns[entity.key[0]].attribute)]),
      condition: entity.seeing(.only, where: .all(parts)), limit: 1)
    var visitor = ValueCollector()
    guard (try? live().visit(request, &visitor)) != nil, !visitor.rows.isEmpty else {
      return error
    }
    error.message += "; the row that has it is soft-deleted: restore it, or purge it"
    return error
  }
}
