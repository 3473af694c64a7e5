public import ORMStorage

/// The first rows of each group of a query's rows, such as the three longest tracks of each genre.
///
/// ```swift
/// let longest = Track.all.first(3, per: \.genre, sorted: .descending(\.milliseconds))
/// let tracks = try store.fetch(longest)          // [Track], genre by genre
/// ```
///
/// The models come in the order of their groups, ascending, and then in the order that is given; ties
/// are ordered by the primary key (clause 3.2). Nil is a group of its own, and the first. The condition
/// of the query, its prefetches and the deleted rows that it sees count; a page of it is refused.
public struct FirstPerGroup<Model: PrimaryKeyed>: Sendable {
  /// The rows that are grouped, in the order that counts in each group.
  public let query: Query<Model>
  /// The maximum number of rows of a group.
  public let count: Int
  /// The operands by whose values rows are grouped.
  public let keys: [Operand]
}

extension Query where Model: PrimaryKeyed {
  /// The first rows of each group by an attribute.
  ///
  /// ```swift
  /// Snack.all.first(2, per: \.taste, sorted: .ascending(\.price))
  /// ```
  ///
  /// - Parameters:
  ///   - count: the maximum number of rows of a group.
  ///   - key: the attribute whose values form the groups.
  ///   - order: the order of the rows of a group; the query's unless given.
  public func first<Key: AttributeValue>(
    _ count: Int, per key: AttributePath<Model, Key>, sorted order: Order...
  ) -> FirstPerGroup<Model> {
    first(count, by: [Model.operand(of: key, scope: 0)], order)
  }

  /// The first rows of each group by a to-one: `Track.all.first(3, per: \.genre, sorted: …)`.
  public func first<Target>(
    _ count: Int, per link: AttributePath<Model, ToOne<Target>>, sorted order: Order...
  ) -> FirstPerGroup<Model> {
    first(count, by: Fields<Model>()[link].keyOperands, order)
  }

  /// The first rows of each group by a value that is computed from a row:
  /// `.first(3, per: { $0.genre.name }, sorted: …)`.
  public func first<Key: AttributeValue>(
    _ count: Int, per key: (Fields<Model>) -> Field<Model, Key>, sorted order: Order...
  ) -> FirstPerGroup<Model> {
    first(count, by: [key(Fields()).operand], order)
  }

  private func first(
    _ count: Int, by keys: [Operand], _ order: [Order]
  ) -> FirstPerGroup<Model> {
    var query = self
    if !order.isEmpty { query.order = order }
    return FirstPerGroup(query: query, count: count, keys: keys)
  }
}
