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

let long = Book.where { $0.pages > 400 }.sorted(by: .ascending(\.title))
for book in try store.fetch(long) {
  print("\(book.title), \(book.pages) pages")
}

let count = try store.count(Book.self)
let pages = try store.sum(Book.all, \.pages)
print("\(count) books, \(pages) pages")
if let abbey = try store.first(Book.where { $0.title.beginsWith("North") }) {
  print("found \(abbey.title)")
}

if var emma = try store.find(Book.self, 1) {
  emma.rating = 5
  try store.save(emma)
}
let unrated = try store.update(Book.where { $0.rating == nil }) { $0.rating = 3 }
print("\(unrated) books rated 3")

do {
  try store.write { transaction in
    try transaction.delete(Book.where { $0.pages < 300 })
    try transaction.save(Book(isbn: "9780141439587", title: "Emma again", pages: 1))
  }
} catch let error as StoreError where error.code == .duplicate {
  print("not saved: \(error.attributes) is taken")
}
print("\(try store.count(Book.self)) books are left")
try store.close()
