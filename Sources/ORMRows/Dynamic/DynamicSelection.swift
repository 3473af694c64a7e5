public import ORMStorage

/// Computed values of rows, or groups of rows and their aggregates, requested of an entity by names: for
/// tools, and for requests that are known only when the program runs.
///
/// ```swift
/// var selection = DynamicSelection("Snack", [.value("taste"), .aggregate("n", Aggregate(.count))])
/// selection.keys = [.attribute("taste")]
/// selection.having = .compare(.output(1), .greater, .value(.int(2)), [])
/// let rows = try store.fetch(selection)      // rows[0]["taste"], rows[0]["n"]
/// ```
public struct DynamicSelection: Hashable, Codable, Sendable {
  /// The rows that are read, and the order and the part of the result.
  ///
  /// The order may name columns of the result by `Operand.output(_:)`, counted as `columns`
  /// does; that of groups and of distinct values must, or be of keys.
  public var query: DynamicQuery
  /// The columns that a row of the result holds.
  public var columns: [Column]
  /// The operands by which rows are grouped.
  ///
  /// Without any, each row stands for itself. If all columns are aggregates, all rows form one
  /// group, which always exists.
  ///
  /// Strings that differ only in case form one group by
  /// `.attribute("name").folded(.caseInsensitive)`. A column, a condition or an order that names
  /// the attribute then refers to the least spelling.
  public var keys: [Operand]
  /// The condition that groups meet; it names columns of the result by `Operand.output(_:)`, or keys.
  public var having: Condition
  /// True if equal rows of the result are given once.
  public var isDistinct: Bool
  /// The number of columns, the first, the result shows; the others are there to be asked about.
  public var shownCount: Int?

  /// Makes a selection of columns; every row in the order of the primary key, ungrouped, unless
  /// said otherwise.
  public init(
    _ query: DynamicQuery, _ columns: [Column], keys: [Operand] = [],
    having: Condition = .constant(true), isDistinct: Bool = false
  ) {
    self.query = query
    self.columns = columns
    self.keys = keys
    self.having = having
    self.isDistinct = isDistinct
  }

  /// Makes a selection of an entity's rows.
  ///
  /// ```swift
  /// let selection = DynamicSelection("Snack", [.value("name"), .value("price")])
  /// ```
  public init(_ entity: String, _ columns: [Column], keys: [Operand] = []) {
    self.init(DynamicQuery(entity), columns, keys: keys)
  }

  /// One column of the result.
  public struct Column: Hashable, Codable, Sendable {
    /// The name of the column in the rows of the result.
    public var name: String
    /// The value that it holds.
    public var value: Value

    /// Makes a column.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }

    /// Returns whether two columns are the same; names are compared by scalars.
    public static func == (a: Column, b: Column) -> Bool {
      a.name.hasSameScalars(as: b.name) && a.value == b.value
    }

    /// An attribute, by its name.
    public static func value(_ attribute: String) -> Column {
      Column(attribute, .operand(.attribute(attribute)))
    }

    /// Returns a column whose value is computed from a row, or from the keys of a group.
    public static func value(_ name: String, _ operand: Operand) -> Column {
      Column(name, .operand(operand))
    }

    /// An aggregate over the rows of a group.
    ///
    /// ```swift
    /// let counts = DynamicSelection(
    ///   "Snack", [.value("taste"), .aggregate("n", Aggregate(.count))], keys: [.attribute("taste")])
    /// ```
    public static func aggregate(_ name: String, _ aggregate: Aggregate) -> Column {
      Column(name, .aggregate(aggregate))
    }
  }

  /// The value of a column of the result.
  public enum Value: Hashable, Codable, Sendable {
    /// A value of the row, or a key of the group.
    case operand(Operand)
    /// An aggregate over the rows of the group.
    case aggregate(Aggregate)
  }

  /// The names of the columns that the result shows, in their order.
  public var names: [String] { columns.prefix(shownCount ?? columns.count).map(\.name) }
}

extension DynamicSelection.Value {
  /// Reads a value in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is not in this form.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "operand": self = .operand(try coded.value())
    case "aggregate": self = .aggregate(try coded.value())
    default: throw coded.isUnknown
    }
  }

  /// Encodes the value as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .operand(let operand): try CodedCase.encode("operand", operand, to: encoder)
    case .aggregate(let aggregate): try CodedCase.encode("aggregate", aggregate, to: encoder)
    }
  }
}
