import ORM

/// The row as a Strata model without an index.
package struct PlainPlayer: Persistable, PrimaryKeyed {
  package var data: PlayerData
  package var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }

  package static let entity = Entity<PlainPlayer>("PlainPlayer") {
    .key("id", \.id)
      .attribute("name", \.data.name)
      .attribute("team", \.data.team)
      .attribute("score", \.data.score)
      .attribute("rating", \.data.rating)
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
