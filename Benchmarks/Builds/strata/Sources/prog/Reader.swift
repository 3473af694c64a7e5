import Foundation
import ORM

struct Reader: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var name: String
  var email: String
  var joined: Date?

  static let entity = Entity<Reader>("Reader") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .attribute("email", \.email)
      .attribute("joined", \.joined)
  }

  init(name: String, email: String, joined: Date? = nil) {
    self.name = name
    self.email = email
    self.joined = joined
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    email = try row[2]
    joined = try row[3]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(email, at: 2)
    try row.write(joined, at: 3)
  }
}
