import ORM

/// The row with an index on its score and one on its team, and one on its country and
/// score.
package struct RankedPlayer: Persistable, PrimaryKeyed {
  package var data: PlayerData
  package var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }
  package var name: String { data.name }
  package var score: Int64 { data.score }
  package var team: Int64? { data.team }
  package var country: String { data.country }

  package static let entity = Entity<RankedPlayer>("RankedPlayer") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("team", \.team, .indexed)
      .attribute("score", \.score, .indexed)
      .attribute("rating", \.data.rating)
      .attribute("country", \.country)
      .attribute("isActive", \.data.isActive)
      .attribute("note", \.data.note)
      .index("country", "score")
  }

  package init(_ data: PlayerData) { self.data = data }
  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    data = try PlayerData(row: row)
  }
  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try data.encode(into: &row)
  }
}
