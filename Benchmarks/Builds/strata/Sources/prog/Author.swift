import ORM

struct Author: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var name: String
  var born: Int?
  var isActive: Bool = true

  static let entity = Entity<Author>("Author") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .attribute("born", \.born)
      .attribute("isActive", \.isActive)
  }

  init(name: String, born: Int? = nil, isActive: Bool = true) {
    self.name = name
    self.born = born
    self.isActive = isActive
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    born = try row[2]
    isActive = try row[3]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(born, at: 2)
    try row.write(isActive, at: 3)
  }
}
