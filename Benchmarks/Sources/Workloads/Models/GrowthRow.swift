import ORM

/// A row of the growing table as a Strata model.
package struct GrowthRow: Persistable, PrimaryKeyed {
  package var data: GrowthData
  package var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }
  package var rank: Int64 { data.rank }

  package static let entity = Entity<GrowthRow>("GrowthRow") {
    .key("id", \.id)
      .attribute("rank", \.rank, .indexed)
      .attribute("name", \.data.name)
  }

  package init(_ data: GrowthData) { self.data = data }

  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    data = GrowthData(id: try row[0], rank: try row[1], name: try row[2])
  }

  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(data.id, at: 0)
    try row.write(data.rank, at: 1)
    try row.write(data.name, at: 2)
  }
}
