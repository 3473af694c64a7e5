public import ORMCore

/// A row of any entity, by names: for tools, scripts and models known only when the program runs.
///
/// ```swift
/// let row = DynamicRow("Snack", ["name": .string("Chips"), "price": .double(2.5)])
/// try store.write { try $0.save([row]) }
/// print(row["name"])
/// ```
public struct DynamicRow: Hashable, Sendable {
  /// The entity's name in the program.
  public var entity: String
  /// The values of its attributes by name.
  ///
  /// A missing attribute keeps its stored value; in a new row it gets the default, or null.
  public var values: [String: StoredValue]

  /// Makes a row.
  ///
  /// ```swift
  /// let row = DynamicRow("Snack", ["name": .string("Chips")])
  /// ```
  public init(_ entity: String, _ values: [String: StoredValue] = [:]) {
    self.entity = entity
    self.values = values
  }

  /// The value of an attribute; null where there is none.
  public subscript(attribute: String) -> StoredValue {
    get { values[attribute] ?? .null }
    set { values[attribute] = newValue }
  }
}

/// A query for the rows of an entity, by the names of the entity and its attributes.
///
/// ```swift
/// let query = DynamicQuery("Snack", limit: 10)
/// let rows = try store.read { try $0.fetch(query) }
/// ```
public struct DynamicQuery: Hashable, Sendable {
  /// The entity's name in the program.
  public var entity: String
  /// Which rows.
  public var condition: Condition
  /// The order; the primary key always comes last.
  public var order: [SortTerm]
  /// The maximum number of rows; nil for all.
  public var limit: Int?
  /// The number of rows to skip first.
  public var offset: Int
  /// Which rows are seen of entities with a soft delete.
  public var deleted: DeletedRows

  /// Makes a query; every visible row in the order of the primary key unless said otherwise.
  public init(
    _ entity: String, where condition: Condition = .constant(true), order: [SortTerm] = [],
    limit: Int? = nil, offset: Int = 0, deleted: DeletedRows = .hidden
  ) {
    self.entity = entity
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset
    self.deleted = deleted
  }
}
