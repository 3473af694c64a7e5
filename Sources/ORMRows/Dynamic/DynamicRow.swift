public import ORMStorage

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
  /// A missing attribute keeps its stored value; in a new row it gets the default, or null. Columns of a
  /// selection whose names are canonically equal share one entry; ``subscript(_:)`` distinguishes them
  /// apart.
  public var values: [String: StoredValue] {
    get {
      guard let list else { return named }
      return Dictionary(list.positions.map { ($0.key.text, cells[$0.value]) }) { first, _ in first }
    }
    _modify {
      if list != nil {
        named = values
        list = nil
        cells = []
      }
      yield &named
    }
  }
  /// The values by name; empty where the row has a list.
  private var named: [String: StoredValue]
  /// The attributes of a row whose values lie in an array.
  private var list: AttributeList?
  /// The values by the positions of the list.
  private var cells: [StoredValue] = []

  /// Makes a row.
  ///
  /// ```swift
  /// let row = DynamicRow("Snack", ["name": .string("Chips")])
  /// ```
  public init(_ entity: String, _ values: [String: StoredValue] = [:]) {
    self.entity = entity
    named = values
  }

  /// Makes a row of values in the positions of a list.
  package init(_ entity: String, _ list: AttributeList, _ cells: [StoredValue]) {
    self.entity = entity
    named = [:]
    self.list = list
    self.cells = cells
  }

  /// Takes the values in the positions of a list, which leaves none by name.
  ///
  /// Nil for a row of another form, such as one with an attribute that is not in the list.
  package mutating func takeValues(of list: AttributeList) -> [StoredValue]? {
    guard self.list === list else { return nil }
    defer {
      self.list = nil
      cells = []
    }
    return cells
  }

  /// The list of the row's attributes, with their values; nil for a row of another form.
  package var listed: (list: AttributeList, values: [StoredValue])? { list.map { ($0, cells) } }

  /// The value of an attribute; null where there is none.
  public subscript(attribute: String) -> StoredValue {
    get {
      guard let list else { return named[attribute] ?? .null }
      return list.positions[attribute].map { cells[$0] } ?? .null
    }
    set {
      if let position = list?.positions[attribute] {
        cells[position] = newValue
      } else {
        values[attribute] = newValue
      }
    }
  }

  /// Returns whether two rows have the same values by the same names.
  public static func == (a: Self, b: Self) -> Bool {
    a.entity == b.entity && a.exactValues == b.exactValues
  }

  /// The values by the scalars of their names.
  private var exactValues: [ExactText: StoredValue] {
    list?.positions.mapValues { cells[$0] } ?? [ExactText: StoredValue](named)
  }

  /// Hashes the entity and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entity)
    hasher.combine(exactValues)
  }
}

/// The positions of attributes in arrays of values, which many rows share.
package final class AttributeList: Sendable {
  package let positions: [ExactText: Int]

  /// Makes a list of some of an entity's columns.
  package init(of entity: StoredEntity, at columns: [Int]) {
    positions = Dictionary(columns.map { (ExactText(entity.columns[$0].attribute), $0) }) { $1 }
  }

  /// Makes a list of names in the order of their values; of several alike the last counts.
  package init(_ names: [String]) {
    positions = Dictionary(zip(names.lazy.map { ExactText($0) }, names.indices)) { $1 }
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
  /// The condition that rows meet.
  public var condition: Condition
  /// The order; the primary key always comes last.
  public var order: [SortTerm]
  /// The maximum number of rows; nil for all.
  public var limit: Int?
  /// The number of rows to skip first.
  public var offset: Int
  /// The rows that are seen of entities with a soft delete.
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
