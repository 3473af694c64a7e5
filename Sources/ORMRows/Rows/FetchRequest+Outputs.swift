internal import ORMStorage

extension FetchRequest {
  /// The same rows, with the values of some columns.
  package func selecting(_ columns: [Int], of entity: StoredEntity) -> FetchRequest {
    FetchRequest(
      FetchShape(
        entity: shape.entity,
        output: .values(columns.map { .attribute(entity.columns[$0].attribute) }),
        condition: shape.condition, sort: shape.sort, isLimited: shape.isLimited),
      bindings: bindings, limit: limit, offset: offset)
  }

  /// The request with another output.
  package func giving(_ output: FetchShape.Output) -> FetchRequest {
    FetchRequest(
      FetchShape(
        entity: shape.entity, output: output, condition: shape.condition, sort: shape.sort,
        isLimited: shape.isLimited),
      bindings: bindings, limit: limit, offset: offset)
  }

  /// Returns the request with at most `limit` rows.
  package func limited(to limit: Int) -> FetchRequest {
    FetchRequest(
      shape.isLimited
        ? shape
        : FetchShape(
          entity: shape.entity, output: shape.output, condition: shape.condition,
          sort: shape.sort, isLimited: true),
      bindings: bindings, limit: min(self.limit ?? limit, limit), offset: offset)
  }
}
