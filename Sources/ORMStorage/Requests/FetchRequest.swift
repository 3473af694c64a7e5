public import ORMValues

/// A request to a store: a shape, which stores compile once and cache, and the values bound into it
/// this time.
///
/// A value: Hashable, Sendable. It holds no store and no text of any query language.
public struct FetchRequest: Hashable, Sendable {
  /// The request without the values.
  public var shape: FetchShape
  /// The values of the shape's parameters, by slot.
  public var bindings: [StoredValue]
  /// The maximum number of rows; nil for all.
  ///
  /// Only if `shape.isLimited`.
  public var limit: Int?
  /// The number of rows to skip.
  ///
  /// Only if `shape.isLimited`.
  public var offset: Int

  /// Makes a request of a shape and its values.
  public init(
    _ shape: FetchShape, bindings: [StoredValue] = [], limit: Int? = nil, offset: Int = 0
  ) {
    self.shape = shape
    self.bindings = bindings
    self.limit = limit
    self.offset = offset
  }

  /// Makes a request from a condition that still holds its values: they become bindings.
  public init(
    entity: String, output: FetchShape.Output = .rows, condition: Condition = .constant(true),
    sort: [SortTerm] = [], limit: Int? = nil, offset: Int = 0
  ) {
    var bindings: [StoredValue] = []
    let condition = condition.normalized().parameterized(into: &bindings)
    let sort = sort.map { $0.parameterized(into: &bindings) }
    let output = output.parameterized(into: &bindings)
    self.init(
      FetchShape(
        entity: entity, output: output, condition: condition, sort: sort,
        isLimited: limit != nil || offset != 0),
      bindings: bindings, limit: limit, offset: offset)
  }

  /// Makes a request for rows of an entity in the order of their keys.
  package init(
    of entity: StoredEntity, output: FetchShape.Output = .rows,
    condition: Condition = .constant(true), limit: Int? = nil, offset: Int = 0
  ) {
    self.init(
      entity: entity.name, output: output, condition: condition,
      sort: SortTerm.total([], entity: entity), limit: limit, offset: offset)
  }
}
