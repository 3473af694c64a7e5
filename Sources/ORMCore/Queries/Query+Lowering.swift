package import ORMRows
package import ORMStorage

extension Query {
  /// The request of this query for the model's entity in a store.
  package func request(
    output: FetchShape.Output = .rows, most: Int? = nil, by lowering: RequestLowering
  ) throws -> FetchRequest {
    try lowering.request(
      output: output, condition: filter.condition, order: terms, paging: paging, start: start,
      most: most, deleted: deleted)
  }
}
