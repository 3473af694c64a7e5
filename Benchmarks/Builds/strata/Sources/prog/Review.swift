import Foundation
import ORM

struct Review: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var text: String
  var stars: Int = 0
  var bookID: Int64 = 0
  var written: Date

  static let entity = Entity<Review>("Review") {
    .key("id", \.id, .generated)
      .attribute("text", \.text)
      .attribute("stars", \.stars)
      .attribute("bookID", \.bookID)
      .attribute("written", \.written)
  }

  init(text: String, stars: Int = 0, bookID: Int64 = 0, written: Date) {
    self.text = text
    self.stars = stars
    self.bookID = bookID
    self.written = written
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    text = try row[1]
    stars = try row[2]
    bookID = try row[3]
    written = try row[4]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(text, at: 1)
    try row.write(stars, at: 2)
    try row.write(bookID, at: 3)
    try row.write(written, at: 4)
  }
}
