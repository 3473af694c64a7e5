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

if try store.count(Book.self) == 0 {
  let emma = try store.save(Book(isbn: "9780141439587", title: "Emma", pages: 474))
  print("\(emma.title) has key \(emma.id)")
}
