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
  try store.save([
    Book(isbn: "9780141439518", title: "Pride and Prejudice", pages: 435),
    Book(isbn: "9780141439662", title: "Sense and Sensibility", pages: 409),
    Book(isbn: "9780141439792", title: "Northanger Abbey", pages: 248),
  ])
}
