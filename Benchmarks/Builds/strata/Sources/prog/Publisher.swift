import ORM

struct Publisher: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var name: String
  var country: String?

  static let entity = Entity<Publisher>("Publisher") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .attribute("country", \.country)
  }

  init(name: String, country: String? = nil) {
    self.name = name
    self.country = country
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    country = try row[2]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(country, at: 2)
  }
}
