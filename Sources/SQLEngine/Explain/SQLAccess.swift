public import ORMStorage

/// The path by which a database reaches the rows of a table, as its planner prints it.
public struct SQLAccess: Hashable, Sendable {
  /// The path to the rows.
  public var access: Explanation.Access
  /// The index, by its name in the schema; nil for the primary key and for scans.
  public var index: String?
  /// The bounds of the range that is read, by columns of the table; their values are bound later.
  public var bounds: [Bound]
  /// The paths, where there are several.
  public var parts: [SQLAccess] = []
  /// True if rows are sorted after they were found.
  public var isSorted: Bool
  /// True if rows are brought into groups by sorting.
  public var sortsGroups = false
  /// True if the rows are looked for once, in a subquery that names no row outside of it.
  public var isOnce = false
  /// The plan as the database prints it.
  public var lines: [String]

  /// One bound of a range.
  public struct Bound: Hashable, Sendable {
    /// The attribute's name in the program.
    public var attribute: String
    /// `=`, `<` or `>`; databases do not say whether the bound itself belongs to the range.
    public var symbol: String

    /// Makes a bound.
    public init(attribute: String, symbol: String) {
      self.attribute = attribute
      self.symbol = symbol
    }
  }

  /// Makes a path.
  public init(
    _ access: Explanation.Access, index: String? = nil, bounds: [Bound] = [], isSorted: Bool,
    lines: [String]
  ) {
    self.access = access
    self.index = index
    self.bounds = bounds
    self.isSorted = isSorted
    self.lines = lines
  }

  /// A table of a statement, by its names in the database and in the program.
  public struct Table: Hashable, Sendable {
    /// The name by which the statement knows the table: its alias, or its own name.
    public let name: String
    /// True if the name is an alias.
    ///
    /// Otherwise the table is the only one of the statement, beside those of elements.
    public let isAlias: Bool
    /// The columns.
    public let columns: [Column]
    /// The attributes of the primary key, in key order.
    public let key: [String]
    /// The attribute of the key that is the row number; nil for a table without row numbers.
    public let rowNumber: String?
    /// The indexes beside the primary key.
    public let indexes: [Index]

    /// One column of a table.
    public struct Column: Hashable, Sendable {
      /// The column's name.
      public let name: String
      /// The attribute's name in the program.
      public let attribute: String
      /// The column beside it that holds its folded text; nil without one.
      public let folded: String?
      /// The table of the elements of its arrays; nil without one.
      public let elements: String?
    }

    /// One index of a table.
    public struct Index: Hashable, Sendable {
      /// The index's name in the database.
      public let name: String
      /// The index's name in the schema.
      public let schemaName: String
      /// The table of elements that the index is about; nil for one of the table's own columns.
      public let elements: String?
    }
  }
}

extension SQLAccess.Table {
  init(_ table: SQLTable, alias: String?) {
    name = alias ?? table.name
    isAlias = alias != nil
    columns = table.columns.map {
      Column(
        name: $0.name, attribute: $0.stored.attribute, folded: $0.folded, elements: $0.elements)
    }
    key = table.keyColumns.map(\.stored.attribute)
    rowNumber = table.rowNumber.map { table.columns[$0].stored.attribute }
    indexes = table.indexes.map {
      Index(name: $0.name, schemaName: $0.stored.name, elements: table.elements(of: $0))
    }
  }
}
