import ORM

/// The row as a Strata model, with an index on its score.
package struct Player: Persistable, PrimaryKeyed {
  package var data: PlayerData
  package var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }
  package var score: Int64 { data.score }
  package var rating: Double { data.rating }

  package static let entity = Entity<Player>("Player") {
    .key("id", \.id)
      .attribute("name", \.data.name)
      .attribute("team", \.data.team)
      .attribute("score", \.score, .indexed)
      .attribute("rating", \.rating)
      .attribute("country", \.data.country)
      .attribute("isActive", \.data.isActive)
      .attribute("note", \.data.note)
  }

  package init(_ data: PlayerData) { self.data = data }
  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    data = try PlayerData(row: row)
  }
  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try data.encode(into: &row)
  }
}
