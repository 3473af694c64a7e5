/// An index of a table, by plain names.
public struct SQLIndex: Hashable, Sendable {
  /// The name; nil for an index that no later statement names.
  public let name: String?
  /// The table.
  public let table: String
  /// The parts of an entry, in order.
  public let terms: [Term]
  /// True if no two rows have an equal entry, unless a part of it is null.
  public let isUnique: Bool
  /// The word by which the database builds the index outside of a transaction, as
  /// ``IndexBuildingConnection/onlineIndexWord`` says; nil for one that is made at once.
  public let onlineWord: String?

  /// A part of an entry.
  public struct Term: Hashable, Sendable {
    /// The quoted name of a column, or an expression in parentheses.
    public let text: String
    /// True for a descending order.
    public var isDescending = false
    /// True if nulls come first; nil for the database's default, and if no row has one.
    public var nullsFirst: Bool?

    /// The part as written in `CREATE INDEX`: the text, `DESC`, and the order of nulls.
    public var sql: String {
      let nulls = nullsFirst.map { $0 ? " NULLS FIRST" : " NULLS LAST" } ?? ""
      return text + (isDescending ? " DESC" : "") + nulls
    }
  }

  init(
    _ name: String?, on table: String, _ terms: [Term], isUnique: Bool = false,
    onlineWord: String? = nil
  ) {
    self.name = name
    self.table = table
    self.terms = terms
    self.isUnique = isUnique
    self.onlineWord = onlineWord
  }
}
