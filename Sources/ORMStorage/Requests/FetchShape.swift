/// The part of a request that repeats, by which stores compile, plan and cache.
///
/// An immutable class, so that a request carries one reference and a cache can look it up by
/// identity first; equality and hashing are by content, the hash worked out once.
public final class FetchShape: Sendable {
  /// The stored name of the entity.
  public let entity: String
  /// The content of a row of the result.
  public let output: Output
  /// The condition that rows meet; its values are parameters.
  public let condition: Condition
  /// The order.
  ///
  /// For rows it is total: core ends it with the key, in the last term's direction.
  public let sort: [SortTerm]
  /// True if the request has a limit or an offset.
  public let isLimited: Bool
  /// The rows that the caller takes; nil if it takes all.
  ///
  /// A store may leave other rows out, and need not.
  package let firstRows: FirstRows?
  private let hash: Int

  /// Makes a shape; `condition`, `sort` and `output` hold parameters instead of values.
  public convenience init(
    entity: String, output: Output = .rows, condition: Condition = .constant(true),
    sort: [SortTerm] = [], isLimited: Bool = false
  ) {
    self.init(
      entity: entity, output: output, condition: condition, sort: sort, isLimited: isLimited,
      firstRows: nil)
  }

  /// Makes a shape of which only some rows are taken.
  package init(
    entity: String, output: Output, condition: Condition, sort: [SortTerm], isLimited: Bool,
    firstRows: FirstRows?
  ) {
    self.entity = entity
    self.output = output
    self.condition = condition
    self.sort = sort
    self.isLimited = isLimited
    self.firstRows = firstRows
    var hasher = Hasher()
    hasher.combine(entity)
    hasher.combine(output)
    hasher.combine(condition)
    hasher.combine(sort)
    hasher.combine(isLimited)
    hasher.combine(firstRows)
    self.hash = hasher.finalize()
  }

  /// The first rows of each group of rows, which are values.
  package struct FirstRows: Hashable, Sendable {
    /// The most rows of a group.
    package let count: Int
    /// The number of first values by which rows are grouped.
    package let groupWidth: Int
    /// The order of a group's rows, by values of the result (``Operand/output(_:)``); total.
    package let sort: [SortTerm]

    /// Describes rows.
    package init(_ count: Int, groupWidth: Int, sort: [SortTerm]) {
      self.count = count
      self.groupWidth = groupWidth
      self.sort = sort
    }
  }

  /// The content of a row of the result.
  public enum Output: Hashable, Sendable {
    /// Whole rows: column `i` is `StoredEntity.columns[i]`.
    case rows
    /// Values worked out of each row, in this order.
    case values([Operand])
    /// The row that each row leads to by the step's links: all columns of that row, then these attributes of
    /// the row itself.
    ///
    /// The links name the whole key of the other entity, so that there is one row at most; a row
    /// that leads nowhere is left out. The order is by attributes of the row itself, and there is no
    /// limit.
    case joined(RelatedRows.Step, [String])
    /// One row of aggregates over all rows that match. The sort is empty.
    case aggregates([Aggregate])
    /// One row for each group of the rows that match: those equal in every key. It holds the keys,
    /// then the aggregates; rows are given of those groups for which `having` holds.
    ///
    /// `having` and the sort name these columns by ``Operand/output(_:)``. Without another sort
    /// groups come in the order of their keys; core ends every sort with them (clause 4.2).
    case groups(keys: [Operand], aggregates: [Aggregate], having: Condition)

    /// The operands that are worked out of each row.
    package var operands: [Operand] {
      switch self {
      case .rows, .joined: []
      case .values(let operands): operands
      case .aggregates(let aggregates): aggregates.compactMap(\.operand)
      case .groups(let keys, let aggregates, _): keys + aggregates.compactMap(\.operand)
      }
    }
  }
}

extension FetchShape {
  /// The same shape for a caller that takes only some of its rows.
  package func taking(_ rows: FirstRows) -> FetchShape {
    FetchShape(
      entity: entity, output: output, condition: condition, sort: sort, isLimited: isLimited,
      firstRows: rows)
  }
}

extension FetchShape: Hashable {
  /// Equal in every part.
  public static func == (a: FetchShape, b: FetchShape) -> Bool {
    if a === b { return true }
    return a.hash == b.hash && a.entity == b.entity && a.isLimited == b.isLimited
      && a.output == b.output && a.condition == b.condition && a.sort == b.sort
      && a.firstRows == b.firstRows
  }

  /// Feeds the hash that was worked out when the shape was made.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
