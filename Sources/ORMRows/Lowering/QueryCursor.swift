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
  package var digest: UInt64?

  package init(sort: [SortTerm], values: [StoredValue]) {
    self.sort = sort
    self.values = values
  }
}
