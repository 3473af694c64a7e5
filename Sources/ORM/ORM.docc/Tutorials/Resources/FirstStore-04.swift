import ORM
import SQLiteBackend

@Persistable
struct Book {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.unique) var isbn: String
  @Attribute(.indexed) var title: String
  var pages: Int
  var rating: Int?
}

let schema = try Schema(Book.self)
let store = try SQLiteStore(path: "books.sqlite", schema: schema)
