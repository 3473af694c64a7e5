import ORM

struct Book: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var title: String
  var price: Double = 0
  var pages: Int = 0
  var authorID: Int64 = 0
  var publisherID: Int64?

  static let entity = Entity<Book>("Book") {
    .key("id", \.id, .generated)
      .attribute("title", \.title)
      .attribute("price", \.price)
      .attribute("pages", \.pages)
      .attribute("authorID", \.authorID)
      .attribute("publisherID", \.publisherID)
  }

  init(
    title: String, price: Double = 0, pages: Int = 0, authorID: Int64 = 0, publisherID: Int64? = nil
  ) {
    self.title = title
    self.price = price
    self.pages = pages
    self.authorID = authorID
    self.publisherID = publisherID
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    title = try row[1]
    price = try row[2]
    pages = try row[3]
    authorID = try row[4]
    publisherID = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(title, at: 1)
    try row.write(price, at: 2)
    try row.write(pages, at: 3)
    try row.write(authorID, at: 4)
    try row.write(publisherID, at: 5)
  }
}
