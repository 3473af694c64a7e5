package import ORMCore

/// How the engine reaches the rows of a statement, as its planner says.
package struct SQLAccess: Hashable, Sendable {
  /// How rows are reached.
  package var access: Explanation.Access
  /// The index, by its stored name; nil for the primary key and for scans.
  package var index: String?
  /// The bounds of the range that is read, by columns of the table; their values are bound later.
  package var bounds: [Bound]
  /// The accesses, where there are several.
  package var parts: [SQLAccess] = []
  /// Whether rows are sorted after they were found.
  package var isSorted: Bool
  /// Whether rows are brought into groups by sorting, where groups are asked for.
  package var sortsGroups = false
  /// Whether the rows are looked for once, in a subquery that names no row outside of it.
  package var isOnce = false
  /// The plan as the engine prints it.
  package var lines: [String]

  /// One bound of a range.
  package struct Bound: Hashable, Sendable {
    /// The attribute's name in the program.
    package var attribute: String
    /// `=`, `<` or `>`; engines do not say whether the bound itself belongs to the range.
    package var symbol: String

    /// Makes a bound.
    package init(attribute: String, symbol: String) {
      self.attribute = attribute
      self.symbol = symbol
    }
  }

  /// Makes an access.
  package init(
    _ access: Explanation.Access, index: String? = nil, bounds: [Bound] = [], isSorted: Bool,
    lines: [String]
  ) {
    self.access = access
    self.index = index
    self.bounds = bounds
    self.isSorted = isSorted
    self.lines = lines
  }
}
